"""One run of a program: what was started, how it ended, and what was recorded."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from devicefix.evidence import Evidence, Failed, with_failure
from devicefix.records.record import Failure, Record


class How(enum.Enum):
    """What ended a program."""

    EXITED = "exited"
    SIGNAL = "signal"
    TIMEOUT = "timeout"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Ending:
    """How a program ended."""

    how: How
    status: int
    """As a shell reports it: the exit status, 128 and the number of a signal, 124 after a timeout
    (as coreutils has it), 137 where the memory was used up."""
    seconds: float
    signal: int | None = None
    megabytes: int | None = None
    """What its processes held when they were ended for that."""


@dataclass(frozen=True, slots=True)
class Run:
    """A program that has ended."""

    command: tuple[str, ...]
    python: str
    device: str
    ending: Ending
    records: tuple[Record, ...]
    entered: int
    """How many Python processes were reached."""
    notes: tuple[str, ...] = ()
    seen: Evidence = field(default_factory=Evidence)
    """What was seen of expressions, with absolute paths; nothing unless that was asked for."""

    @property
    def evidence(self) -> Evidence:
        """What was seen, with the errors of placement that processes ended with."""
        found = self.seen
        for record in self.records:
            if record.error is not None:
                found = with_error(found, record.error)
        return found

    @property
    def refused(self) -> str | None:
        """Why there was no accelerator in some process, if so."""
        return next((r.refused for r in self.records if r.refused is not None), None)

    @property
    def failure(self) -> Failure | None:
        """The error to tell of: one about placement, and of the first process, before others."""
        errors = [record.error for record in self.records if record.error is not None]
        return next((error for error in errors if error.placement), next(iter(errors), None))


def with_error(evidence: Evidence, error: Failure) -> Evidence:
    """``evidence`` with ``error`` at the operation that has raised it, if that is one of placement
    and of an expression that is known."""
    if not error.placement:
        return evidence
    steps = [(f.file, span) for f, span in zip(error.traceback, error.spans, strict=False)]
    operands = tuple((operand.name, operand.device) for operand in error.operands)
    return with_failure(evidence, steps, Failed(error.message.partition("\n")[0], operands))
