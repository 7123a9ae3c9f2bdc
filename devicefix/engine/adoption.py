"""What a run is about, where that is not all: a baseline, and what has changed since a revision."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from devicefix.engine.baseline import Baseline, from_here, read_baseline
from devicefix.engine.known import Entry, Recognised
from devicefix.engine.overlay import Overlay
from devicefix.engine.projects import Plan
from devicefix.engine.report import BaselineUse, Stale
from devicefix.engine.scope import EVERYTHING, Scope


class Affair(Struct, frozen=True):
    """The programs of a run, and what it has to say of them."""

    plans: tuple[Plan, ...]
    scope: Scope = EVERYTHING
    baseline: Baseline | None = None
    uncommitted: bool = False
    """Whether it is about what git does not have yet."""


def affair(
    paths: Sequence[Path], plans: tuple[Plan, ...], baseline: str, since: str, overlay: Overlay
) -> Affair:
    """What of ``plans``, which were found below ``paths``, the run is about.

    Programs without a changed line are not looked at. Raises `BaselineError` and `GitError`.
    """
    old = read_baseline(from_here(baseline)) if baseline else None
    changed, uncommitted = None, False
    if since:
        from devicefix.engine.revisions import Revision
        from devicefix.engine.since import lines_since

        revision = Revision(since, paths)
        uncommitted = revision.is_last
        changed = lines_since(revision, (path for plan in plans for path in plan.paths), overlay)
        plans = tuple(plan for plan in plans if not changed.keys().isdisjoint(plan.paths))
    files = old.files if old is not None else {}
    real = {path: os.path.realpath(path) for plan in plans for path in plan.paths} if files else {}
    known = {path: files[file] for path, file in real.items() if file in files}
    return Affair(plans, Scope(changed, known), old, uncommitted)


def use_of(
    baseline: Baseline,
    recognised: Sequence[Recognised],
    looked_at: Collection[str],
    paths: Iterable[Path],
    selected: Callable[[], Collection[str]],
) -> BaselineUse:
    """What of ``baseline`` is needed still; ``looked_at`` has real paths, ``selected`` is slow."""
    left = Counter((os.path.realpath(one.path), one.entry) for one in recognised)
    rest = list(_rest(baseline, left, looked_at, [os.path.realpath(path) for path in paths]))
    codes = selected() if rest else ()
    stale = (Stale(baseline.shown(f), e.code, e.line) for f, e in rest if e.code in codes)
    hidden = sum(not one.shown for one in recognised)
    return BaselineUse(str(baseline.location), hidden, tuple(stale))


def _rest(
    baseline: Baseline,
    found: Counter[tuple[str, Entry]],
    looked_at: Collection[str],
    roots: Sequence[str],
) -> Iterator[tuple[str, Entry]]:
    for file, entries in baseline.files.items():
        if file not in looked_at and not is_gone(file, roots):
            continue
        for entry in entries:
            if found[file, entry]:
                found[file, entry] -= 1
            else:
                yield file, entry


def is_gone(file: str, roots: Iterable[str]) -> bool:
    """Whether a file of a baseline was below one of ``roots``, real paths, and is no more."""
    # unlike Path.exists it says False of a name that is too long
    gone = not os.path.exists(file)  # noqa: PTH110
    return gone and any(Path(file).is_relative_to(root) for root in roots)
