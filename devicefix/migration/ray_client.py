"""A process that speaks to Ray for a campaign: it brings orders to workers, and results back.

Ray ends a process that has lost its cluster, writes to its output and fills it with threads. That
happens to this one, and the campaign sees that it has ended. `main` reads a `Wanted` and then one
`Request` after the other from stdin, and writes each `Message` to stdout. It ends with whoever
started it, and what runs on the cluster ends with it.
"""

from __future__ import annotations

import os
import pickle
import queue
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

from devicefix import __version__
from devicefix.migration import ray_entry as by_value
from devicefix.migration.capacity import Need, capacity_of, why_never
from devicefix.migration.claims import claimed
from devicefix.migration.fork_server import receive, send
from devicefix.migration.orders import Ending, Result
from devicefix.migration.ray_messages import Broken, Ended, Message, Request, Said, Wanted, Width
from devicefix.verification.process_tree import die_with

_POLL: Final = 0.1
"""Seconds after which a new request is seen."""
_PULSE: Final = 2.0
"""Seconds between two looks at the cluster."""
_FETCH: Final = 60.0
"""Seconds in which a result has to come from the node that made it."""
_STORE: Final = 256 << 20
"""Bytes that a cluster of our own keeps in memory for orders and results on their way."""
_SHORT: Final = Path("/tmp")
"""Ray has sockets in its folder, and a path of one has 107 characters at most: unix(7)."""
_LAST_WORDS: Final = 400


class UselessError(Exception):
    """The cluster cannot do orders any more, or never could; ``str()`` says why."""


def main() -> None:
    """Serve a campaign until it closes our stdin."""
    die_with(int(sys.argv[1]), signal.SIGKILL)
    given, told = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)  # what Ray prints is no message
    wanted: Wanted = receive(given)
    try:
        with _cluster(wanted) as ray:
            _Client(ray, wanted, given, told).serve()
    except UselessError as error:
        send(told, Broken(str(error)))
    except Exception as error:  # whatever Ray raises, people are told
        send(told, Broken(f"Ray cannot be used: {_sentence(error)}"))


@contextmanager
def _cluster(wanted: Wanted) -> Iterator[Any]:
    import ray

    quiet = {"log_to_driver": False, "logging_level": "error"}
    if wanted.address:
        ray.init(wanted.address, **quiet)
    else:
        folder = claimed(_SHORT)
        here = {"include_dashboard": False, "object_store_memory": _STORE}
        ray.init("local", num_cpus=wanted.jobs, _temp_dir=str(folder), **here, **quiet)
    try:
        yield ray
    finally:
        ray.shutdown()
        if not wanted.address:
            shutil.rmtree(folder, ignore_errors=True)


class _Client:
    def __init__(self, ray: Any, wanted: Wanted, given: IO[bytes], told: IO[bytes]) -> None:
        self._ray = ray
        self._wanted = wanted
        self._replies = told
        self._inbox: queue.SimpleQueue[Request | _End] = queue.SimpleQueue()
        self._running: dict[Any, Request] = {}
        self._hopeless: dict[Need, float] = {}
        """Since when no node has what is needed."""
        self._next_pulse = 0.0
        self._gpus_here = float(ray.cluster_resources().get("GPU", 0.0))
        ray.cloudpickle.register_pickle_by_value(by_value)
        # A worker that is lost is told to the campaign, which counts, waits and tries again.
        self._task = ray.remote(num_cpus=1, max_retries=0)(by_value.run)
        threading.Thread(target=self._read, args=(given,), daemon=True).start()

    def serve(self) -> None:
        """Until there is nobody to serve. Raises what Ray raises, and `UselessError`."""
        try:
            while True:
                self._pulse()
                while (request := self._next()) is not None:
                    if isinstance(request, _End):
                        return
                    self._begin(request)
                self._collect()
        finally:
            self._cancel(list(self._running))

    def _read(self, given: IO[bytes]) -> None:
        while (request := receive(given)) is not None:
            self._inbox.put(request)
        self._inbox.put(_End())

    def _next(self) -> Any:
        try:
            return self._inbox.get(timeout=0.0 if self._running else _POLL)
        except queue.Empty:
            return None

    def _begin(self, request: Request) -> None:
        job = pickle.dumps((request.stage, request.order, request.before))
        gpus = self._need(request).gpus
        task = self._task.options(num_gpus=gpus, name=f"{request.stage.value} {request.key}")
        self._running[task.remote(__version__, job)] = request

    def _need(self, request: Request) -> Need:
        if self._wanted.address:
            return Need(1.0, request.gpus)
        return Need(1.0, min(request.gpus, self._gpus_here))  # one plan for a laptop and a cluster

    def _collect(self) -> None:
        if not self._running:
            return
        waiting = list(self._running)
        ready, _ = self._ray.wait(waiting, num_returns=1, timeout=_POLL)
        if ready:  # with it all others that are
            ready, _ = self._ray.wait(waiting, num_returns=len(waiting), timeout=0)
        for reference in ready:
            request = self._running.pop(reference)
            self._tell(Ended(request.key, request.stage, self._result(reference)))

    def _result(self, reference: Any) -> Result:
        try:
            word, found = self._ray.get(reference, timeout=_FETCH)
        except Exception as error:
            return failure(error)
        if word != by_value.DONE:
            raise UselessError(
                f"the nodes of the Ray cluster have different versions of devicefix: {found}"
            )
        result: Result = pickle.loads(found)
        return result

    def _pulse(self) -> None:
        if time.monotonic() < self._next_pulse:
            return
        self._next_pulse = time.monotonic() + _PULSE
        nodes = self._ray.nodes()
        self._tell(Width(capacity_of(nodes, self._wanted.jobs)))
        needs = set(map(self._need, self._running.values()))
        hopeless = {need: why for need in needs if (why := why_never(need, nodes))}
        self._hopeless = {n: s for n, s in self._hopeless.items() if n in hopeless}
        for need, why in hopeless.items():
            self._despair(need, why)

    def _despair(self, need: Need, why: str) -> None:
        now, patience = time.monotonic(), self._wanted.patience
        since = self._hopeless.get(need)
        if since is None:
            self._hopeless[need] = since = now
            if patience:
                self._tell(Said(f"{why}; waiting up to {patience:g} s"))
        if now - since < patience:
            return
        for reference, request in list(self._running.items()):
            if self._need(request) == need:
                self._cancel([reference])
                del self._running[reference]
                self._tell(Ended(request.key, request.stage, Result(Ending.FAILED, why)))

    def _cancel(self, references: list[Any]) -> None:
        for reference in references:
            self._ray.cancel(reference, force=True)

    def _tell(self, message: Message) -> None:
        send(self._replies, message)


class _End:
    """Nobody is there any more."""


def failure(error: Exception) -> Result:
    """What is told of a task that has given no result. Raises `UselessError`."""
    from ray import exceptions as of_ray

    if isinstance(error, of_ray.LocalRayletDiedError):  # as would be all that come after it
        raise UselessError("the Ray cluster was lost: its node on this machine has ended")
    if isinstance(error, of_ray.RayTaskError):
        cause = error.cause
        passing = isinstance(cause, OSError)
        return Result(Ending.FAILED, f"the Ray worker failed: {_sentence(cause)}", passing)
    if isinstance(error, of_ray.OutOfMemoryError):
        return Result(Ending.FAILED, "Ray stopped it, because its node ran out of memory", True)
    if isinstance(error, of_ray.TaskUnschedulableError):
        return Result(Ending.FAILED, f"Ray cannot place it: {_sentence(error)}")
    name = type(error).__name__
    return Result(Ending.FAILED, f"the Ray worker that did it was lost ({name})", transient=True)


def _sentence(error: BaseException) -> str:
    said = str(error).strip().splitlines()
    return (said[0] if said else type(error).__name__)[:_LAST_WORDS]
