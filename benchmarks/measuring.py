"""What a command costs: processor seconds, wall seconds, and memory of all its processes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_EVERY: Final = 0.25
"""Seconds between two looks at the memory."""
_KILO: Final = 1024


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one run of a command."""

    cpu: float
    """Seconds of all processors, those of its child processes included."""
    wall: float
    """Seconds; depends on what else the machine does."""
    memory: int
    """Bytes, the most that all its processes held at once. What several share counts once on
    Linux; elsewhere it is that of the largest process."""
    status: int


def measured(command: Sequence[str], folder: str, environment: Mapping[str, str]) -> Cost:
    """Run ``command`` in ``folder``, with more in its environment; what it says goes nowhere."""
    started = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **environment},
    )
    ended = threading.Event()
    most = [0]
    watcher = threading.Thread(target=_watch, args=(process.pid, ended, most))
    watcher.start()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    ended.set()
    watcher.join()
    process.returncode = os.waitstatus_to_exitcode(status)
    unit = 1 if sys.platform == "darwin" else _KILO
    memory = max(usage.ru_maxrss * unit, most[0])
    return Cost(usage.ru_utime + usage.ru_stime, wall, memory, process.returncode)


def _watch(pid: int, ended: threading.Event, most: list[int]) -> None:
    while not ended.wait(_EVERY):
        most[0] = max(most[0], sum(map(_proportional, _family(pid))))


def _family(pid: int) -> list[int]:
    """A process and all below it."""
    found = [pid]
    for one in found:
        for children in Path(f"/proc/{one}/task").glob("*/children"):
            try:
                found += map(int, children.read_text().split())
            except OSError:
                continue  # it has ended
    return found


def _proportional(pid: int) -> int:
    """Bytes that a process holds; of what it shares with others, its part."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * _KILO for line in lines if line.startswith("Pss:"))
