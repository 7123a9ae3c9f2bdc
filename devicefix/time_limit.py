"""How much processor time may be spent on one program.

A loop whose length the text of a program decides asks `check_time`, so that none goes on for ever.
What counts is the time of the thread that works: whatever else the process or the machine does is
no reason to give up.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_END: Final = ContextVar("end", default=math.inf)
"""In seconds of `time.thread_time`."""
_NEXT: Final = ContextVar("next", default=0.0)
"""When to look at that clock again, in seconds of `time.monotonic`: it takes a system call."""
_EVERY: Final = 0.05
"""Seconds between two looks."""


class TimeExceededError(Exception):
    """The time for one program is over; the message says how much that was."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """What is done meanwhile may take as many seconds; any number where that is 0.

    Where that time is over, `check_time` raises `TimeExceededError`.
    """
    end = time.thread_time() + seconds if seconds else math.inf
    before = _END.set(min(end, _END.get()))
    try:
        yield
    except TimeExceededError:
        raise TimeExceededError(f"it took more than {seconds:g} s of processor time") from None
    finally:
        _END.reset(before)


def check_time() -> None:
    """Raise `TimeExceededError` where the time is over."""
    now = time.monotonic()
    if now < _NEXT.get():
        return
    _NEXT.set(now + _EVERY)
    if time.thread_time() > _END.get():
        raise TimeExceededError
