"""Publishing, beside the rest: a limit of the server that is waited out holds up nothing else."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from devicefix.migration.errors import MigrationError
from devicefix.pull_requests import Outcome, PullRequestError

Job = Callable[[], Outcome]


@dataclass(frozen=True, slots=True)
class Published:
    """What became of one job."""

    key: str
    outcome: Outcome | None
    """None: it failed."""
    reason: str
    transient: bool
    seconds: float


class Publisher:
    """Does one job after the other in a thread; it ends with the process, whatever it does."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[tuple[str, Job]] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[Published] = queue.SimpleQueue()
        self._running = 0
        self._thread: threading.Thread | None = None

    @property
    def is_busy(self) -> bool:
        """Whether something was begun whose end `finished` has not told."""
        return self._running > 0

    def submit(self, key: str, job: Job) -> None:
        """Begin it, or queue it."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="publisher", daemon=True)
            self._thread.start()
        self._running += 1
        self._jobs.put((key, job))

    def finished(self, seconds: float) -> Published | None:
        """One that has ended; waits up to ``seconds`` for it."""
        if not self._running:
            return None
        try:
            done = self._done.get(timeout=seconds) if seconds > 0 else self._done.get_nowait()
        except queue.Empty:
            return None
        self._running -= 1
        return done

    def _work(self) -> None:
        while True:
            key, job = self._jobs.get()
            self._done.put(_done(key, job))


def _done(key: str, job: Job) -> Published:
    started = time.monotonic()
    outcome, reason, transient = None, "", False
    try:
        outcome = job()
    except (PullRequestError, MigrationError) as error:
        reason, transient = str(error), error.transient
    except Exception as error:  # a bug, of ours or of a library: the others go on
        reason = f"{type(error).__name__}: {error}"
    return Published(key, outcome, reason, transient, time.monotonic() - started)
