"""The processes that a program started, as Linux shows them under ``/proc``.

psutil, which would have to be installed, replaces the reading of three files; it neither adopts
orphans nor ends a process with its parent.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_SET_CHILD_SUBREAPER: Final = 36
"""``PR_SET_CHILD_SUBREAPER`` of prctl(2)."""
_SET_DEATH_SIGNAL: Final = 1
"""``PR_SET_PDEATHSIG``."""
_PAUSE: Final = 0.01
_KILLING_MOST: Final = 5.0
"""Seconds; a process in an uninterruptible wait does not go away."""


@contextmanager
def adopting_orphans() -> Iterator[None]:
    """Processes whose parent has ended become our children, and not those of process 1.

    So no daemon of a program escapes its bounds.
    """
    prctl = ctypes.CDLL(None).prctl
    prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        prctl(_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def die_with(parent: int, number: int) -> None:
    """Get a signal when ``parent`` ends. The thread of it that has started us counts as it."""
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(_SET_DEATH_SIGNAL, number, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def descendants(pid: int) -> list[int]:
    """Children of ``pid``, their children, and so on; those that have ended not included."""
    children = _children()
    found: list[int] = []
    waiting = [pid]
    while waiting:
        waiting += (born := children[waiting.pop()])
        found += born
    return found


def _children() -> defaultdict[int, list[int]]:
    children: defaultdict[int, list[int]] = defaultdict(list)
    with os.scandir(_PROC) as entries:
        for entry in entries:
            parent = _living_parent(entry.name) if entry.name.isdecimal() else None
            if parent is not None:
                children[parent].append(int(entry.name))
    return children


def _living_parent(name: str) -> int | None:
    """The parent of a process; None where it has ended."""
    try:
        stat = (_PROC / name / "stat").read_bytes()
    except OSError:
        return None
    state, parent = stat[stat.rindex(b")") + 2 :].split(None, 2)[:2]
    return None if state in (b"Z", b"X") else int(parent)


def resident_bytes(processes: Iterable[int], enough: int) -> int:
    """Bytes of memory that ``processes`` hold; pages that several share are counted once.

    Shares are expensive to ask for, and not asked for where it is less than ``enough`` anyway.
    """
    processes = list(processes)
    upper = sum(map(_resident, processes))
    return upper if upper < enough else sum(map(_proportional, processes))


def _resident(process: int) -> int:
    try:
        return int((_PROC / str(process) / "statm").read_bytes().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def _proportional(process: int) -> int:
    """A page that n processes share counts as 1/n (proc(5), ``smaps_rollup``)."""
    with contextlib.suppress(OSError):
        for line in (_PROC / str(process) / "smaps_rollup").read_bytes().splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) * 1024
    return _resident(process)


def send(processes: Iterable[int], number: int) -> None:
    """Send a signal to each that is still there."""
    for process in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process, number)


def kill_descendants(pid: int, spare: Iterable[int] = ()) -> None:
    """End all descendants of ``pid`` but those in ``spare``; one that forks all the time, too."""
    spared = set(spare)
    deadline = time.monotonic() + _KILLING_MOST
    while (found := set(descendants(pid)) - spared) and time.monotonic() < deadline:
        send(found, signal.SIGSTOP)  # what is stopped forks no more while we look again
        send(set(descendants(pid)) - spared, signal.SIGKILL)
        time.sleep(_PAUSE)
