"""No input may take long: more than some seconds of the processor is a finding."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

SECONDS: Final = 5.0
"""Of the processor, with the instrumentation of the fuzzer."""


class TooSlow(BaseException):
    """An input took too long."""


@contextmanager
def limited(seconds: float = SECONDS) -> Iterator[None]:
    """Raises `TooSlow` out of what takes longer, or afterwards where it cannot be interrupted."""
    began = time.process_time()
    before = signal.signal(signal.SIGPROF, _interrupt)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    took = time.process_time() - began
    if took > seconds:
        raise TooSlow(f"{took:.1f} s")


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise TooSlow("interrupted")
