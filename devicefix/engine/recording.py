"""Making a baseline of what is found now, or taking out of one what is not found any more."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from devicefix.engine.adoption import is_gone
from devicefix.engine.baseline import Baseline, read_baseline, write_baseline
from devicefix.engine.known import Entry, recognised, sighted
from devicefix.engine.reading import load
from devicefix.engine.report import FileResult, Report
from devicefix.engine.runner import Progress, Rehearsal, Tools, no_progress
from devicefix.engine.work import Work
from devicefix.settings import Settings


class Recorded(Struct, frozen=True):
    """What has become of a baseline."""

    baseline: Baseline
    added: int
    gone: int
    report: Report
    """All that was found, known or not."""


def record_baseline(
    paths: Sequence[Path],
    settings: Settings,
    location: Path,
    *,
    prune: bool = False,
    progress: Progress = no_progress,
    jobs: int = 1,
) -> Recorded:
    """Write what is found below ``paths`` to ``location``; with ``prune`` nothing that is new.

    What it has of other files, and by rules that are not selected, stays. Raises what `check`
    raises; then the file stays as it was.
    """
    old = read_baseline(location, new=not prune)
    tools = Tools(replace(settings, baseline=""), jobs=jobs)
    rehearsal = Rehearsal(paths, tools, progress, Work.SURVEY)
    report = rehearsal.report()
    found = {os.path.realpath(result.path): _entries(result) for result in report.files}
    if prune:
        found = {file: _needed(old.files.get(file, ()), seen) for file, seen in found.items()}
    roots = [os.path.realpath(path) for path in paths]
    gone = (file for file in old.files if is_gone(file, roots))
    looked_at = {*rehearsal.looked_at(report.errors), *gone}
    selected = tools.bench().policy.selected
    new = replace(old, files=_merged(old.files, found, looked_at, selected))
    write_baseline(new)
    return Recorded(new, _more(new, old), _more(old, new), report)


def _entries(result: FileResult) -> list[Entry]:
    source = load(Path(result.path))
    return [sighted(finding.code, finding.span.start, source) for finding in result.findings]


def _needed(old: Iterable[Entry], seen: Sequence[Entry]) -> list[Entry]:
    """The entries that are found still, as they look now."""
    pairs = zip(recognised(old, seen), seen, strict=True)
    return [now for entry, now in pairs if entry is not None]


def _merged(
    old: Mapping[str, Sequence[Entry]],
    found: Mapping[str, Sequence[Entry]],
    looked_at: Collection[str],
    selected: Collection[str],
) -> dict[str, tuple[Entry, ...]]:
    merged = {}
    for file in {*old, *found}:
        before, now = old.get(file, ()), found.get(file, ())
        if file not in looked_at:
            merged[file] = tuple(before)
        else:
            others = (entry for entry in before if entry.code not in selected)
            merged[file] = (*others, *now)
    return merged


def _more(one: Baseline, other: Baseline) -> int:
    """How many findings ``one`` has that ``other`` does not."""
    return sum(
        sum(entry is None for entry in recognised(other.files.get(file, ()), entries))
        for file, entries in one.files.items()
    )
