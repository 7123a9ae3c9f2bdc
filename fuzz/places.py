"""A folder for what has to be on a disk, and the variables that keep devicefix inside it."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from devicefix.engine.state import STATE_VARIABLE


@functools.cache
def workplace() -> Path:
    """One for this process, where its temporary files go."""
    place = Path(tempfile.gettempdir()).resolve() / f"devicefix-fuzz-{os.getpid()}"
    place.mkdir(exist_ok=True)
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place


@contextmanager
def remembering(folder: Path) -> Iterator[None]:
    """What devicefix remembers, it keeps in ``folder``."""
    before = os.environ.get(STATE_VARIABLE)
    os.environ[STATE_VARIABLE] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ[STATE_VARIABLE]
        else:
            os.environ[STATE_VARIABLE] = before
