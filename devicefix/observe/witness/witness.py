"""The observation of one process by its events, from its start to its end."""

from __future__ import annotations

import atexit
import functools
import os
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from devicefix.observe.witness.assignment import Assignment, read_assignment
from devicefix.observe.witness.clock import force_clock
from devicefix.observe.witness.lines import ExecutedLines
from devicefix.observe.witness.log import SUFFIX, EventLog
from devicefix.observe.witness.output import Output
from devicefix.observe.witness.relocation import loaded, relocate, strangers
from devicefix.observe.witness.seeds import force_seeds, seed_torch

if TYPE_CHECKING:
    from devicefix.observe.observation import Observation, Scope

_BEAT: Final = 3.0
"""Seconds that a process that is killed may lose of its record."""


class Witness:
    """Sees what the program does, and makes runs comparable."""

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment
        self.stem = f"{os.getpid()}-{os.urandom(6).hex()}"
        """The name of record and events, without what it ends with."""
        self.precisions: Callable[[], Iterable[str]] = tuple
        """The floating dtypes that arithmetic had."""
        self._log = EventLog(assignment.directory / f"{self.stem}{SUFFIX}")
        self._output = Output(self._log)
        self._lines = ExecutedLines(assignment.lines)

    def begin(self) -> None:
        """Before the program's first line."""
        if self.assignment.roots is not None:
            relocate(self.assignment.roots)
        force_clock(self.assignment.clock)
        force_seeds(self._log)
        self._output.begin()
        atexit.register(self._end)
        self._end_before_exit()
        self._lines.begin()

    def scope(self) -> Scope:
        """How much of this process is to be recorded besides."""
        from devicefix.observe.observation import Scope

        device = self.assignment
        return Scope(self.stem, counting=device.device != "cpu", real=device.is_real, beat=_BEAT)

    def prepare(self) -> None:
        """When torch has been imported and the accelerator installed."""
        from devicefix.observe.real.preparing import prepare
        from devicefix.observe.witness.questions import note_questions

        seed_torch(self._log)
        note_questions(self._log)
        prepare(self.assignment)

    def attend(self, observation: Observation) -> None:
        """When the observation has begun, too."""
        from devicefix.observe.witness.attending import attend

        self.precisions = observation.precisions
        observation.tell_of_rounding(lambda name: self._log.saw("rounded", name, None))
        attend(self._log)

    def _end_before_exit(self) -> None:
        """`os._exit` asks nobody whether there is something left to do."""
        leave = os._exit

        @functools.wraps(leave)
        def _exit(status: int) -> None:
            try:
                self._end()
            finally:
                leave(status)

        os._exit = _exit  # type: ignore[assignment]

    def _end(self) -> None:
        if not self._log.ours:
            return
        self._output.flush()
        if "torch" in sys.modules:
            from devicefix.observe.witness.namespace import note_left
            from devicefix.observe.witness.steps import note_last_steps

            note_last_steps()
            note_left(self._log)
        self._log.end(self._tail())

    def _tail(self) -> dict[str, Any]:
        roots = self.assignment.roots
        return {
            "executed": self._lines.executed(),
            "precisions": sorted(self.precisions()),
            "strangers": [] if roots is None else strangers(roots),
            "loaded": [] if roots is None else loaded(roots),
        }


_PROCESS: Final[list[Witness]] = []


def testify() -> None:
    """Begin to observe this process, if the environment says so."""
    assignment = read_assignment(os.environ)
    if assignment is not None and not _PROCESS:
        _PROCESS.append(Witness(assignment))
        _PROCESS[0].begin()


def current() -> Witness | None:
    """The witness of this process."""
    return _PROCESS[0] if _PROCESS else None
