"""A process that has all imported, and forks one for each order, which it holds to its bounds.

`main` reads `Job` after `Job` from stdin, and writes a `Result` for each to stdout. It ends with
whoever has started it, and all that it started ends with it.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import tempfile
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Final

from devicefix.engine.registry import load_codemods
from devicefix.migration.orders import Ending, Order, Result, Stage
from devicefix.migration.surroundings import shield
from devicefix.records import Ending as End
from devicefix.records import How
from devicefix.verification.process_tree import die_with
from devicefix.verification.starting import Apart
from devicefix.verification.supervision import Bounds, supervise

LENGTH: Final = 8
"""Bytes that say how long a message is."""
_MEGABYTE: Final = 1_000_000
_LAST_WORDS: Final = 400
_IMPORTED: Final = (
    "devicefix.engine.workbench",
    "devicefix.migration.proving",
    "devicefix.migration.rewriting",
    "devicefix.reporting.json",
    "devicefix.reporting.markdown",
    "libcst",  # half a second, at the first edit
    "libcst.native",
    "pyflakes.checker",
)


@dataclass(frozen=True, slots=True)
class Job:
    """One stage of one order."""

    stage: Stage
    order: Order
    before: Result | None
    """Of the stage before."""
    folder: str
    """For all that is to be kept on the disk meanwhile; empty, and the caller's to remove."""


def main() -> None:
    """Do jobs until there are no more."""
    die_with(int(sys.argv[1]), signal.SIGTERM)
    shield()
    jobs, results = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)  # what is printed by mistake is no message
    _import_all()
    while (job := receive(jobs)) is not None:
        send(results, done(job))


def done(job: Job) -> Result:
    """Do one job in a process of its own; it has to be done from a process with one thread."""
    with tempfile.TemporaryFile() as answer, tempfile.TemporaryFile() as words:
        nothing = os.open(os.devnull, os.O_RDONLY)
        try:
            apart = Apart(Path(job.folder), nothing, words.fileno(), words.fileno())
            ending = supervise(("order",), {}, _bounds(job), apart, _Fork(job, answer))
        finally:
            os.close(nothing)
        # Beyond its bounds all its processes are ended: that git failed then says nothing of git.
        held = ending.how not in (How.TIMEOUT, How.MEMORY)
        result = (_answered(answer) if held else None) or _ended(job, ending, words)
        return replace(result, seconds=ending.seconds)


def send(stream: IO[bytes], message: object) -> None:
    """Write ``message``, which is picklable."""
    content = pickle.dumps(message)
    stream.write(len(content).to_bytes(LENGTH, "big") + content)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """What `send` has written; None where the stream has ended."""
    head = stream.read(LENGTH)
    if len(head) < LENGTH:
        return None
    size = int.from_bytes(head, "big")
    content = stream.read(size)
    return pickle.loads(content) if len(content) == size else None


def _import_all() -> None:
    """What each order needs, before the first one: a fork has it for nothing."""
    for name in _IMPORTED:
        import_module(name)
    load_codemods()
    gc.collect()
    gc.freeze()


def _bounds(job: Job) -> Bounds:
    limits = job.order.limits
    return Bounds(limits.seconds, max(1, limits.memory // _MEGABYTE))


class _Fork:
    """Starts the work on a job as a fork of this process: a `Starter`."""

    def __init__(self, job: Job, answer: IO[bytes]) -> None:
        self._job = job
        self._answer = answer

    def __call__(
        self,
        command: tuple[str, ...],
        environment: Mapping[str, str],
        mask: set[signal.Signals],
        apart: Apart | None,
    ) -> int:
        assert apart is not None
        fork_server = os.getpid()
        number = os.fork()
        if number:
            return number
        try:
            os.setsid()
            die_with(fork_server, signal.SIGKILL)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            for ours, theirs in ((apart.stdin, 0), (apart.stdout, 1), (apart.stderr, 2)):
                os.dup2(ours, theirs)
            self._work(apart.folder)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(1)

    def _work(self, folder: Path) -> None:
        os.chdir(folder)
        os.environ["TMPDIR"] = str(folder)
        tempfile.tempdir = None  # it was made up before
        result = _worked(self._job)
        self._answer.write(pickle.dumps(result))
        self._answer.flush()


def _worked(job: Job) -> Result:
    if job.stage is Stage.REWRITE:
        from devicefix.migration.rewriting import rewrite

        return rewrite(job.order)
    if job.stage is Stage.PROVE and job.before is not None:
        from devicefix.migration.proving import prove

        return prove(job.order, job.before)
    raise ValueError(f"{job.stage} is no work for an executor")


def _answered(answer: IO[bytes]) -> Result | None:
    answer.seek(0)
    content = answer.read()
    try:
        found = pickle.loads(content) if content else None
    except (pickle.UnpicklingError, EOFError):  # it was ended while it wrote
        return None
    return found if isinstance(found, Result) else None


def _ended(job: Job, ending: End, words: IO[bytes]) -> Result:
    """What is told of work that has left no result."""
    limits = job.order.limits
    if ending.how is How.TIMEOUT:
        return Result(Ending.FAILED, f"it took more than {limits.seconds:g} s")
    if ending.how is How.MEMORY:
        return Result(Ending.FAILED, f"it used more than {limits.memory / 1e9:.3g} GB of memory")
    words.seek(0)
    said = words.read().decode(errors="replace").strip().splitlines()
    last = said[-1][:_LAST_WORDS] if said else ""
    if ending.how is How.SIGNAL:
        killed = ending.signal == signal.SIGKILL  # by the kernel, as a rule, for want of memory
        return Result(Ending.FAILED, f"its process was killed by signal {ending.signal}", killed)
    return Result(Ending.FAILED, f"devicefix failed on it: {last}")
