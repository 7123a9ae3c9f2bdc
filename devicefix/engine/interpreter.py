"""What Python is told while we work: to collect garbage less often, and to recurse deeper.

And where to import from when it starts other processes.
"""

from __future__ import annotations

import functools
import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_COLLECTIONS: Final = (500_000, 10, 10)
"""Trees and graphs live as long as their program: by Python's default an eighth of the time goes
into looking through them in vain. It costs some ten MB."""
_DEPTH: Final = 2_500
"""Calls of 24 functions inside each other, with the blocks and expressions around them, in files
that import each other. Python's own limit of 1,000 is reached by large libraries; a stack of the
usual size holds several times as much as this."""


@contextmanager
def at_work() -> Iterator[None]:
    """Both for the while, and then as it was."""
    collections, depth = gc.get_threshold(), sys.getrecursionlimit()
    gc.set_threshold(*_COLLECTIONS)
    sys.setrecursionlimit(max(depth, _DEPTH))
    try:
        yield
    finally:
        gc.set_threshold(*collections)
        sys.setrecursionlimit(depth)


@functools.cache
def settle_in() -> None:
    """What is loaded by now stays: no collection has to look through it again."""
    gc.freeze()


SAFE_PATH: Final = "PYTHONSAFEPATH"
"""Environment variable of Python 3.11 and newer."""


@contextmanager
def nothing_from_here() -> Iterator[None]:
    """A Python that is started meanwhile imports nothing from the current folder.

    `multiprocessing` starts an interpreter with ``-c``, for which that folder comes before the
    standard library (docs.python.org/3/using/cmdline.html#envvar-PYTHONSAFEPATH); it may be the
    repository that is looked at, with a module called ``multiprocessing``.
    """
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SAFE_PATH]
        else:
            os.environ[SAFE_PATH] = before
