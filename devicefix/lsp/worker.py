"""One thread that does one thing after the other."""

from __future__ import annotations

import gc
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final, TypeVar

_STACK: Final = 64 * 1024 * 1024
"""Bytes. Analysis recurses deeply, and a thread has half a megabyte on some systems
(developer.apple.com/library/archive/qa/qa1419)."""
_QUIET: Final = 0.5
"""Seconds without a question, in which the last answer goes out: a collection holds up all."""
_SOME: Final = 20_000
_MANY: Final = 1_000_000
"""Objects left behind, for which a collection is worth a pause, or cannot wait for one: a look at
1,000 lines leaves some 50,000, of 8 MB."""
_Answer = TypeVar("_Answer")


class Worker:
    """Work that is begun is finished, unless the program ends: it waits for nobody.

    Garbage is collected when there is nothing else to do, or after some work in a row: what an
    analysis holds is in use to its end, and looking through it in vain takes a seventh of its time.
    """

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def submit(self, work: Callable[[], _Answer]) -> Future[_Answer]:
        """The answer of ``work``, when it is there."""
        if self._thread is None:
            self._start()
        future: Future[_Answer] = Future()
        self._queue.put((future, work))
        return future

    def _start(self) -> None:
        before = threading.stack_size(_STACK)
        try:
            self._thread = threading.Thread(target=self._run, name="analysis", daemon=True)
            self._thread.start()
        finally:
            threading.stack_size(before)

    def _run(self) -> None:
        gc.disable()
        while True:
            try:
                future, work = self._queue.get(timeout=_QUIET if _left(_SOME) else None)
            except queue.Empty:
                gc.collect()
                continue
            if future.set_running_or_notify_cancel():
                _do(future, work)
            del future, work
            if _left(_MANY):
                gc.collect()


def _left(many: int) -> bool:
    """Whether as many objects were left behind since the last collection."""
    return gc.get_count()[0] > many


def _do(future: Future[_Answer], work: Callable[[], _Answer]) -> None:
    try:
        future.set_result(work())
    except BaseException as error:  # it belongs to who waits for the answer
        future.set_exception(error)
