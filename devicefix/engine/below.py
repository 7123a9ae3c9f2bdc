"""The files and the programs below the paths that were given, with what is known of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from devicefix.engine.discovery import discover
from devicefix.engine.dividing import division
from devicefix.engine.known_projects import known_projects
from devicefix.engine.overlay import Overlay
from devicefix.engine.projects import Plan, plans
from devicefix.engine.reading import Scan, scan
from devicefix.engine.report import FileError, FileFailedError
from devicefix.settings import Settings


class Below(NamedTuple):
    """What lies below some paths."""

    files: tuple[Path, ...]
    scans: list[Scan]
    plans: tuple[Plan, ...]
    errors: tuple[FileError, ...]


def below(paths: Sequence[Path], settings: Settings, overlay: Overlay, code: str) -> Below:
    """Find the programs below ``paths``.

    What the last run has left is used, and left for the next one, where a digest of the ``code``
    is given.
    """
    found, helped = discover(paths, settings.exclude, overlay), settings.takes_helpers
    if code and any(path.is_dir() for path in paths):  # single files are read as fast
        known = known_projects(paths, settings.exclude, code)
        scans, errors = known.scan(found.files)
        programs = tuple(
            plans(paths, scans, settings.exclude, overlay, known.divided, helped=helped)
        )
        known.keep()
    else:
        scans, errors = _scanned(found.files, overlay)
        programs = tuple(plans(paths, scans, settings.exclude, overlay, division, helped=helped))
    return Below(found.files, scans, programs, (*errors, *found.errors))


def _scanned(files: Iterable[Path], overlay: Overlay) -> tuple[list[Scan], list[FileError]]:
    scans, errors = [], []
    for path in files:
        try:
            scans.append(scan(path, overlay))
        except FileFailedError as failure:
            errors.append(failure.error)
    return scans, errors
