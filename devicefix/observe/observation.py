"""Observing one process, from the import of torch to its end."""

from __future__ import annotations

import atexit
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from devicefix.observe.carried import explain_carried_errors
from devicefix.observe.compiled import leave_ours_alone, suspend_in_compiled_code
from devicefix.observe.explaining import describe
from devicefix.observe.explanation import Explanation
from devicefix.observe.host import DeviceWork, HostWork
from devicefix.observe.loading import follow_loaders
from devicefix.observe.record import Record
from devicefix.observe.recorder import Recorder
from devicefix.observe.uncaught import Uncaught
from devicefix.observe.warned import warn_of_the_program
from devicefix.simulator.provenance import Provenance, follow_threads, leave
from devicefix.simulator.watching import watch


@dataclass(frozen=True)
class Scope:
    """How much of a process is observed."""

    stem: str | None = None
    """The name of its record, without the ending; None for one of its own."""
    counting: bool = True
    """Whether arithmetic and copies are counted, which means something beside an accelerator."""
    real: bool = False
    """Whether the accelerator is a real one, which tells nobody what it does."""
    beat: float | None = None
    """Seconds after which the record is written anew; None: at the end."""


class Observation:
    """What is seen of this process. A forked child is not observed, and writes nothing."""

    def __init__(self, directory: Path | None, provenance: bool, scope: Scope) -> None:
        self._record = None if directory is None else Record(directory, scope.stem)
        self._scope = scope
        self._provenance = provenance and scope.counting
        self._recorder = Recorder(provenance)
        self._pid = os.getpid()
        self._written = time.monotonic()
        self._error: Explanation | None = None
        self._raised = False
        self._hooks = Uncaught(self._uncaught)
        self._notes: set[str] = set()
        self._endings: list[Callable[[], None]] = []

    def begin(self) -> Observation:
        """Start to observe."""
        leave_ours_alone()
        self._ending(follow_loaders())
        self._ending(explain_carried_errors())
        if self._provenance:
            self._follow()
        if self._record is not None:
            if self._scope.counting:
                self._count()
            self._keep(self._record)
        os.register_at_fork(after_in_child=self.stop)
        return self

    def _ending(self, end: Callable[[], None]) -> None:
        self._endings.append(end)

    def _follow(self) -> None:
        mode = Provenance()
        mode.__enter__()  # type: ignore[no-untyped-call]
        self._ending(leave)
        self._ending(follow_threads(mode))
        self._ending(suspend_in_compiled_code(self._compiles))
        self._ending(warn_of_the_program())

    def _count(self) -> None:
        if self._scope.beat is not None:
            self._recorder.pulse = self._pulse
        if not self._scope.real:
            watch(self._recorder)
            self._ending(lambda: watch(None))
        host = (DeviceWork if self._scope.real else HostWork)(self._recorder)
        host.__enter__()  # type: ignore[no-untyped-call]
        self._ending(host.leave)

    def _keep(self, record: Record) -> None:
        record.running()
        self._ending(self._hooks.begin())
        atexit.register(self._write)
        self._ending(lambda: atexit.unregister(self._write))

    def _missed(self) -> set[str]:
        return {
            f"Calls of {name} are not counted ({reason})."
            for name, reason in self._recorder.missed.items()
        }

    def _compiles(self) -> None:
        self._notes.add("Tensors created in functions compiled by torch.compile have no line.")

    def stop(self) -> None:
        """Observe no more; nothing is written."""
        while self._endings:
            self._endings.pop()()

    def _uncaught(self, error: BaseException, main: bool) -> None:
        """An exception that nothing caught; one in the main thread ends the process."""
        self._raised = self._raised or main
        if self._error is None or main:
            self._error = describe(error)

    def _pulse(self) -> None:
        """Write what is known so far, if the last time is long ago: the process may be killed."""
        now = time.monotonic()
        if self._scope.beat is None or now - self._written < self._scope.beat:
            return
        self._written = now
        with suppress(RuntimeError):  # another thread counts meanwhile
            if os.getpid() == self._pid and self._record is not None:
                self._record.running(self._contents())

    def _contents(self) -> dict[str, Any]:
        contents = self._recorder.entries()
        contents["notes"] = sorted(self._notes | self._missed())
        contents["error"] = self._error and self._error.entry()
        return contents

    def tell_of_rounding(self, tell: Callable[[str], None]) -> None:
        """Let ``tell`` hear once of each cause for other last digits than the CPU's."""
        self._recorder.rounding = tell

    def precisions(self) -> list[str]:
        """The floating dtypes that arithmetic had, without ``torch.``."""
        found = (dtype for dtype in self._recorder.precisions if dtype.is_floating_point)
        return sorted(str(dtype).removeprefix("torch.") for dtype in found)

    def _write(self) -> None:
        if os.getpid() != self._pid or self._record is None:
            return
        self._hooks.last()
        self._record.write("raised" if self._raised else "finished", self._contents())
