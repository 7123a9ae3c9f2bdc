"""Where work is done, and what paths are relative to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def top_of(folder: Path, workspace: Path) -> Path:
    """The checkout that ``folder`` is in: to it paths are relative in what GitHub shows."""
    real, limit = Path(os.path.realpath(folder)), Path(os.path.realpath(workspace))
    inside = (one for one in (real, *real.parents) if one.is_relative_to(limit))
    return next((one for one in inside if (one / ".git").exists()), limit)


@contextmanager
def working_in(folder: Path) -> Iterator[Path]:
    """The working directory, for as long as the block lasts."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield folder
    finally:
        os.chdir(before)
