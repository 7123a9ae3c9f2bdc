"""A clock that runs the same in every run: it advances by a step whenever somebody looks at it.

Both runs of the program before the change have another one, so whatever follows from the time comes
out different, and is not compared. What waits for something gets the real time.
"""

from __future__ import annotations

import ctypes
import datetime
import gc
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any, Final

_BILLION: Final = 1_000_000_000

_WAITING: Final = frozenset(
    {
        "asyncio",
        "concurrent",
        "devicefix",
        "joblib",
        "multiprocess",
        "multiprocessing",
        "queue",
        "ray",
        "sched",
        "select",
        "selectors",
        "socket",
        "socketserver",
        "ssl",
        "subprocess",
        "threading",
        "torch",
        "tornado",
        "urllib3",
        "zmq",
    }
)
"""Packages that wait, or measure for themselves."""


@dataclass(frozen=True)
class Hands:
    """How a clock runs."""

    begins: int
    """Nanoseconds since 1970."""
    step: int
    """Nanoseconds by which it advances when it is looked at."""


CLOCKS: Final = (
    Hands(1_718_000_000 * _BILLION + 123_456_789, 11_300_000),
    Hands(1_931_234_567 * _BILLION + 987_654_321, 377_100_000),
)


class ForcedClock:
    """Every thread has hands of its own: how often another one looks is not the same every time."""

    def __init__(self, hands: Hands) -> None:
        self._hands = hands
        self._threads = threading.local()

    def elapsed(self) -> int:
        """Nanoseconds since the program began; a look."""
        passed: int = getattr(self._threads, "passed", 0) + self._hands.step
        self._threads.passed = passed
        return passed

    def now(self) -> int:
        """Nanoseconds since 1970; a look."""
        return self._hands.begins + self.elapsed()

    def wait(self, seconds: float) -> None:
        """Let the time pass that somebody has waited."""
        passed: int = getattr(self._threads, "passed", 0)
        self._threads.passed = passed + int(seconds * _BILLION)


def force_clock(number: int) -> None:
    """Give the program the clock of this number, for good."""
    clock = ForcedClock(CLOCKS[number % len(CLOCKS)])
    for name, forced in _replacements(clock).items():
        setattr(time, name, _Asked(getattr(time, name), forced))
    try:
        _force_datetime(clock)
    except (AttributeError, IndexError, TypeError, ValueError):
        return  # the real time differs from run to run, too


def _replacements(clock: ForcedClock) -> dict[str, Callable[..., Any]]:
    """What stands in the place of the functions of `time`, by name."""
    localtime, gmtime, strftime = time.localtime, time.gmtime, time.strftime
    ctime, asctime, sleep = time.ctime, time.asctime, time.sleep

    def seconds() -> float:
        return clock.now() / _BILLION

    def waited(secs: float, /) -> None:
        sleep(secs)
        clock.wait(secs)

    readings: dict[str, Callable[..., Any]] = {"time": seconds, "time_ns": clock.now}
    for name in ("perf_counter", "monotonic", "process_time", "thread_time"):
        if hasattr(time, name):
            readings[name] = lambda: clock.elapsed() / _BILLION
            readings[f"{name}_ns"] = clock.elapsed
    return {
        **readings,
        "sleep": waited,
        "localtime": lambda secs=None, /: localtime(seconds() if secs is None else secs),
        "gmtime": lambda secs=None, /: gmtime(seconds() if secs is None else secs),
        "ctime": lambda secs=None, /: ctime(seconds() if secs is None else secs),
        "asctime": lambda *when: asctime(*(when or (localtime(seconds()),))),
        "strftime": lambda form, *when: strftime(form, *(when or (localtime(seconds()),))),
    }


class _Asked:
    """Stands in the place of a function of `time`: forced, but for those who wait.

    No function of Python, which would become a method where a class keeps it, as `logging` does.
    """

    def __init__(self, real: Callable[..., Any], forced: Callable[..., Any]) -> None:
        self._real, self._forced = real, forced
        self.__name__ = self.__qualname__ = real.__name__
        self.__doc__ = real.__doc__
        self.__module__ = time.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if _waits(sys._getframe().f_back):
            return self._real(*args, **kwargs)
        return self._forced(*args, **kwargs)

    def __repr__(self) -> str:
        return repr(self._real)

    def __reduce__(self) -> str:
        return self.__name__


def _waits(frame: FrameType | None) -> bool:
    return frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _WAITING


def _force_datetime(clock: ForcedClock) -> None:
    """`date.today` asks `time.time`; these two ask the machine. The type itself is no other one.

    A type that is written in C lets nobody set its attributes, but its dict can be reached.
    """
    moment = datetime.datetime
    methods: dict[str, Any] = gc.get_referents(moment.__dict__)[0]
    real_now = moment.now

    def now(cls: Any, tz: Any = None) -> Any:
        if _waits(sys._getframe().f_back):
            return cls.fromtimestamp(real_now().timestamp(), tz)
        return cls.fromtimestamp(clock.now() / _BILLION, tz)

    def utcnow(cls: Any) -> Any:
        moment = cls.fromtimestamp(clock.now() / _BILLION, datetime.timezone.utc)
        return moment.replace(tzinfo=None)

    methods["now"], methods["utcnow"] = classmethod(now), classmethod(utcnow)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(moment))
