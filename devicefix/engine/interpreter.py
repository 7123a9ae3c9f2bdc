"""What Python is told while we work: to collect garbage less often, and to recurse deeper.

And where to import from when it starts other processes.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import Final, TypeVar

_COLLECTIONS: Final = (500_000, 10, 10)
"""Trees and graphs live as long as their program: by Python's default an eighth of the time goes
into looking through them in vain. It costs some ten MB."""
_DEPTH: Final = 2_500
"""Calls of 24 functions inside each other, with the blocks and expressions around them, in files
that import each other. Python's own limit of 1,000 is reached by large libraries; a stack of the
usual size holds several times as much as this."""


_LARGE_DEPTH: Final = 60_000
_LARGE_STACK: Final = 512 * 1024 * 1024
"""Bytes, of which only those that are used take memory: for so many calls, some kB each."""
_T = TypeVar("_T")

_MUCH: Final = 100_000
"""Objects that are worth a collection: some 10 MB."""


@contextmanager
def at_work() -> Iterator[None]:
    """Both for the while, and then as it was."""
    collections, depth = gc.get_threshold(), sys.getrecursionlimit()
    _tell()
    try:
        yield
    finally:
        gc.set_threshold(*collections)
        sys.setrecursionlimit(depth)


def stay_at_work() -> None:
    """The same for as long as the process lives, which works on programs `in_turn`."""
    _tell()
    gc.freeze()
    _Keeping.on = True


def _tell() -> None:
    gc.set_threshold(*_COLLECTIONS)
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _DEPTH))


class _Keeping:
    """Whether collections are to pass over what has stayed after the one before."""

    on = False
    left = 0
    """Objects that finished work has left behind, as far as nobody has collected them."""


@contextmanager
def in_turn() -> Iterator[None]:
    """One program after the other is worked on, and what is there by now was left by none of them.

    Where somebody else has told Python what to pass over (`gc.freeze`), that stays as it is.
    """
    if _Keeping.on or gc.get_freeze_count():  # to count all that is frozen takes milliseconds
        yield
        return
    if _Keeping.left >= _MUCH:
        _collect()
    gc.freeze()
    _Keeping.on = True
    try:
        yield
    finally:
        _Keeping.on = False
        # none of what is new is looked through just because there is so much of it: most processes
        # end here; those that go on collect it with what the work after this leaves
        _Keeping.left += _MUCH if any(gc.get_count()[1:]) else gc.get_count()[0]
        gc.freeze()
        gc.unfreeze()


def clear_away() -> None:
    """Collect what the programs before have left behind, if that is much: their trees and frames
    hold each other.

    `in_turn`, what stays is not looked through the next time: with a library's files around the
    programs, that was a quarter of the time.
    """
    if _has_left_much():
        _collect()
        if _Keeping.on:
            gc.freeze()


def _collect() -> None:
    gc.collect()
    gc.collect()  # the trees that values held which Python does not look into (``gc=False``)
    _Keeping.left = 0


def _has_left_much() -> bool:
    young, *older = gc.get_count()
    return young > _MUCH or any(older)


def on_large_stack(work: Callable[[], _T]) -> _T:
    """What ``work`` returns or raises, in a thread in which Python may recurse much deeper.

    For programs that are nested so deeply that they exceed the usual stack, which costs a thread
    and as much memory as the calls need. Raises what ``work`` raises, and
    `RecursionError` where there is no such thread to be had.
    """
    from concurrent.futures import Future

    made: Future[_T] = Future()
    context = copy_context()

    def run() -> None:
        try:
            made.set_result(context.run(work))
        except BaseException as error:
            made.set_exception(error)

    depth = sys.getrecursionlimit()
    sys.setrecursionlimit(max(depth, _LARGE_DEPTH))
    try:
        _start(run)
        return made.result()
    finally:
        sys.setrecursionlimit(depth)


def _start(run: Callable[[], None]) -> None:
    size = threading.stack_size(_LARGE_STACK)
    try:
        threading.Thread(target=run, daemon=True).start()
    except RuntimeError as error:
        raise RecursionError("no thread with a larger stack can be started") from error
    finally:
        threading.stack_size(size)


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
