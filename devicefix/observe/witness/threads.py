"""Which thread of the program does something, by a number that two runs agree on."""

from __future__ import annotations

import threading
from typing import Any, Final

_KNOWN: Final = threading.local()
_COUNT: Final = [0]
_DUMMY: Final[Any] = threading._DummyThread


def thread_number() -> int:
    """0 for the main thread, and for those of the autograd engine, which work for it.

    Others are numbered in the order in which they ask first.
    """
    number: int | None = getattr(_KNOWN, "number", None)
    if number is None:
        number = _KNOWN.number = _new_number()
    return number


def in_engine() -> bool:
    """Whether this thread is one of the autograd engine's, or another that Python did not start."""
    known: bool | None = getattr(_KNOWN, "engine", None)
    if known is None:
        known = _KNOWN.engine = _of_python() is None
    return known


def _of_python() -> threading.Thread | None:
    active: dict[int, threading.Thread] = threading._active  # type: ignore[attr-defined]
    this = active.get(threading.get_ident())
    return None if isinstance(this, _DUMMY) else this


def _new_number() -> int:
    this = _of_python()
    if this is None or this is threading.main_thread():
        return 0
    _COUNT[0] += 1
    return _COUNT[0]
