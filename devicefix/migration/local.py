"""Orders done by processes of this machine."""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from devicefix.migration.fork_server import Job, receive, send
from devicefix.migration.orders import Ending, Order, Result, Stage
from devicefix.migration.surroundings import shield
from devicefix.verification import process_tree

_FORK_SERVER: Final = "from devicefix.migration.fork_server import main; main()"
_PREFIX: Final = "devicefix-order-"
_GRACE: Final = 5.0
"""Seconds that a fork server has to end all that it started."""


_Task = tuple[str, Stage, Order, "Result | None"]


class Local:
    """An `Executor` of ``jobs`` processes, each with one order at a time; a context manager.

    All that they keep on the disk lies in ``folder``, which is nobody else's: what an earlier
    executor that was killed has left there is removed. It is to be made by a thread that lives as
    long as it does, as its processes end with that one.
    """

    def __init__(self, jobs: int, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for left in folder.glob(f"{_PREFIX}*"):
            shutil.rmtree(left, ignore_errors=True)
        shield()  # what is executed here may not read what else we know
        self._selector = selectors.DefaultSelector()
        self._slots = [_Slot(folder) for _ in range(max(1, jobs))]
        self._waiting: deque[_Task] = deque()

    def __enter__(self) -> Local:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def room(self) -> int:
        """How many more orders would be begun at once."""
        return max(0, sum(slot.task is None for slot in self._slots) - len(self._waiting))

    def submit(self, key: str, stage: Stage, order: Order, before: Result | None = None) -> None:
        """Begin, or queue; ``before`` is the result of the stage before."""
        self._waiting.append((key, stage, order, before))
        self._begin()

    def finished(self, seconds: float) -> Iterator[tuple[str, Stage, Result]]:
        """What has ended meanwhile; waits up to ``seconds`` for the first."""
        self._begin()
        if not any(slot.task for slot in self._slots):
            if seconds > 0:
                time.sleep(seconds)
            return
        for chosen, _ in self._selector.select(seconds):
            slot: _Slot = chosen.data
            self._selector.unregister(chosen.fileobj)
            ended = slot.finish()
            self._begin()
            yield ended

    def close(self) -> None:
        """End all that is running; what was not told is lost, and is done again another time."""
        self._waiting.clear()
        for slot in self._slots:
            slot.ask_to_end()
        for slot in self._slots:
            slot.end()
        self._selector.close()

    def _begin(self) -> None:
        for slot in self._slots:
            if slot.task is None and self._waiting:
                self._selector.register(slot.begin(self._waiting.popleft()), 1, slot)


class _Slot:
    """One fork server, and the order that it has; it is started with the first one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._fork_server: subprocess.Popen[bytes] | None = None
        self._place: Path | None = None
        self.task: _Task | None = None

    def begin(self, task: _Task) -> IO[bytes]:
        """What becomes readable when it is done."""
        self.task = task
        _, stage, order, before = task
        self._place = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=self._folder))
        fork_server = self._ready()
        assert fork_server.stdin is not None
        assert fork_server.stdout is not None
        with contextlib.suppress(BrokenPipeError):  # its end is told by `finish`
            send(fork_server.stdin, Job(stage, order, before, str(self._place)))
        return fork_server.stdout

    def finish(self) -> tuple[str, Stage, Result]:
        """What became of the order."""
        assert self._fork_server is not None
        assert self._fork_server.stdout is not None
        assert self.task is not None
        key, stage, *_ = self.task
        result = receive(self._fork_server.stdout)
        if result is None:
            self.end()
            reason = "its worker process was lost"
            result = Result(Ending.FAILED, reason, transient=True)
        self._clear()
        return key, stage, result

    def ask_to_end(self) -> None:
        """It kills all that it started, and ends."""
        if self._fork_server is not None:
            process_tree.send([self._fork_server.pid], signal.SIGTERM)

    def end(self) -> None:
        """There is no process any more."""
        if self._fork_server is not None:
            self.ask_to_end()
            try:
                self._fork_server.wait(_GRACE)
            except subprocess.TimeoutExpired:
                process_tree.kill_descendants(self._fork_server.pid)
                self._fork_server.kill()
                self._fork_server.wait()
            for stream in (self._fork_server.stdin, self._fork_server.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
        self._fork_server = None
        self._clear()

    def _clear(self) -> None:
        if self._place is not None:
            shutil.rmtree(self._place, ignore_errors=True)
        self._place = self.task = None

    def _ready(self) -> subprocess.Popen[bytes]:
        if self._fork_server is None:
            self._fork_server = subprocess.Popen(
                [sys.executable, "-c", _FORK_SERVER, str(os.getpid())],
                cwd=self._folder,  # from where Python imports first
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
        return self._fork_server
