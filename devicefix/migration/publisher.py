"""Publishing, beside the rest: a limit of the server that is waited out holds up nothing else."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from devicefix.migration.failures import Failure, Kind, of_error
from devicefix.pull_requests import Outcome

Job = Callable[[], Outcome]


@dataclass(frozen=True, slots=True)
class Published:
    """What became of one job."""

    key: str
    outcome: Outcome | None
    failure: Failure | None
    """None where there is an outcome."""
    seconds: float


class Publisher:
    """Does one job at a time in a thread; it ends with the process, whatever it does.

    A job that takes too long is given up, and its thread left alone: whatever it still does is
    harmless, as a push names what it expects, and a pull request is opened once.
    """

    def __init__(self) -> None:
        self._done: queue.SimpleQueue[Published] | None = None
        self._key = ""
        self._deadline = 0.0
        self._seconds = 0.0

    @property
    def is_busy(self) -> bool:
        """Whether something was begun whose end `finished` has not told."""
        return self._done is not None

    def submit(self, key: str, job: Job, seconds: float) -> None:
        """Begin it; it may take ``seconds``. Not while another one `is_busy`."""
        assert self._done is None
        done = self._done = queue.SimpleQueue[Published]()
        self._key, self._seconds = key, seconds
        self._deadline = time.monotonic() + seconds
        work = threading.Thread(target=lambda: done.put(_done(key, job)), daemon=True)
        work.start()

    def finished(self, seconds: float) -> Published | None:
        """What has ended; waits up to ``seconds`` for it."""
        if self._done is None:
            return None
        try:
            done = self._done.get(timeout=seconds) if seconds > 0 else self._done.get_nowait()
        except queue.Empty:
            if time.monotonic() < self._deadline:
                return None
            failure = Failure(f"it took more than {self._seconds:g} s to publish", Kind.PASSING)
            done = Published(self._key, None, failure, self._seconds)
        self._done = None
        return done


def _done(key: str, job: Job) -> Published:
    started = time.monotonic()
    outcome, failure = None, None
    try:
        outcome = job()
    except Exception as error:  # also a bug, of ours or of a library: the others go on
        failure = of_error(error)
    return Published(key, outcome, failure, time.monotonic() - started)
