"""An audit: what `check` finds, what remains of CUDA, and what the target lacks."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from devicefix.audit.obstacles import obstacles
from devicefix.audit.result import Audit, Category, Item
from devicefix.audit.targets import SPEAKS_CUDA
from devicefix.engine import Report, check
from devicefix.engine.discovery import Filters, discover, is_excluded
from devicefix.engine.reading import load
from devicefix.engine.report import FileFailedError
from devicefix.findings import Reason
from devicefix.settings import Settings
from devicefix.source import SourceError

_KERNELS: Final = (".cu", ".cuh")
_MOVING: Final = ("DFX1", "DFX2", "DFX3", "DFX4")
_HARD_CODED: Final = "DFX2"
_OPEN: Final = (Reason.NEEDED, Reason.UNKNOWN)


def audit(paths: Sequence[Path], settings: Settings, target: str) -> Audit:
    """How ready ``paths`` are for ``target``. Raises what `check` raises."""
    report = check(paths, settings, cached=settings.cache)
    lines = dict(_of_files(paths, settings, target))
    own = [*lines, *_kernels(paths, settings.exclude)]
    places = {(item.path, line) for item, about in lines.items() for line in about}
    found = [item for item in _found(report, target) if (item.path, item.line) not in places]
    items = sorted((*own, *found), key=lambda item: (item.path, item.line, item.what))
    return Audit(target, tuple(items), report.errors, report.checked)


def _of_files(
    paths: Sequence[Path], settings: Settings, target: str
) -> Iterator[tuple[Item, frozenset[int]]]:
    for path in discover(paths, settings.exclude).files:
        try:
            source = load(path)
            yield from obstacles(source, target)
        except (FileFailedError, SourceError, RecursionError):
            continue  # the report of the check has it


def _kernels(paths: Sequence[Path], exclude: Sequence[str]) -> Iterator[Item]:
    for path in paths:
        folder = Path(os.path.realpath(path))
        yield from _kernels_below(path, folder, Filters.at(folder, exclude))


def _kernels_below(shown: Path, folder: Path, filters: Filters) -> Iterator[Item]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return  # a file; or a folder that cannot be read, which the report of the check has
    filters = filters.inside(folder)
    for entry in entries:
        is_folder = entry.is_dir(follow_symlinks=False)
        if filters.drop(entry.path, is_folder):
            continue
        if is_folder and not is_excluded(entry):
            yield from _kernels_below(shown / entry.name, Path(entry.path), filters)
        elif not is_folder and entry.name.endswith(_KERNELS):
            yield Item(Category.KERNEL, str(shown / entry.name), 1, entry.name)


def _found(report: Report, target: str) -> Iterator[Item]:
    """Findings, and uses of CUDA that nobody reports, or that the program needs besides."""
    told = set[tuple[str, int, int]]()
    for result in report.files:
        left = {one.finding for one in result.left}
        for finding in result.findings:
            speaks = target in SPEAKS_CUDA and finding.code.startswith(_HARD_CODED)
            if finding.code.startswith(_MOVING) and not speaks:
                told.add((finding.path, finding.line, finding.column))
                category = Category.DECISION if finding in left else Category.AUTOMATIC
                yield Item(category, finding.path, finding.line, f"{finding.code} {finding.rule}")
    if report.remains is not None and target not in SPEAKS_CUDA:
        for use in report.remains.uses:
            known = (use.path, use.place.line, use.place.column) in told
            if use.reason in _OPEN and not known:
                yield Item(Category.DECISION, use.path, use.place.line, use.text)
