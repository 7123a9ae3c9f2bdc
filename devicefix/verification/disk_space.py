"""Whether there is room for a copy of a tree."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from devicefix.verification.errors import LaunchError
from devicefix.verification.listing import Kind, Listing, gigabytes
from devicefix.verification.placing import clone

MOST_BYTES: Final = 4_000_000_000
"""Of a tree that has to be copied byte by byte."""


def check_disk_space(found: Listing, folder: Path, most: int) -> None:
    """Raises `LaunchError` where a copy in ``folder`` would take more than ``most`` bytes.

    One that shares its blocks with the tree takes none.
    """
    if _can_clone(found, folder):
        return
    size, free = found.size, shutil.disk_usage(folder).free
    if size > most:
        raise LaunchError(
            f"{found.root} holds {gigabytes(size)}, more than the {gigabytes(most)} that are "
            f"copied at most; most is in {found.largest()}"
        )
    if size > free:
        raise LaunchError(
            f"a copy of {found.root} needs {gigabytes(size)}, and {folder.parent} has "
            f"{gigabytes(free)} left (TMPDIR names another folder)"
        )


def _can_clone(found: Listing, folder: Path) -> bool:
    """Whether a file of the tree can share its blocks with one in ``folder``."""
    file = next((p for p, m in found.members.items() if m.kind is Kind.FILE and m.size), None)
    if file is None:
        return True
    trial = folder / "trial"
    try:
        with (found.root / file).open("rb") as source, trial.open("wb") as target:
            return clone(source, target)
    except OSError:
        return False
    finally:
        trial.unlink(missing_ok=True)
