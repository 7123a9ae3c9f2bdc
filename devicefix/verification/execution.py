"""One run of the program in the scratch copy, and all that was observed of it."""

from __future__ import annotations

from dataclasses import dataclass

from devicefix.records import Ending, Failure, Record
from devicefix.records.observations import Events
from devicefix.verification.result import Role


@dataclass(frozen=True, slots=True)
class Execution:
    """A run that has ended."""

    role: Role
    device: str
    ending: Ending
    records: tuple[Record, ...]
    """Empty for runs on the CPU, but where a process raised: then its record has the error."""
    observed: tuple[Events, ...]
    """The process that was started comes first; a process that never imports torch has none."""
    output: bytes
    """What all its processes wrote to stdout; the scratch copy goes by the name of the tree."""
    errors: str
    """The end of what they wrote to stderr."""
    notes: tuple[str, ...] = ()

    @property
    def failure(self) -> Failure | None:
        """The exception that ended it: one about placement, and of the first process, first."""
        errors = [record.error for record in self.records if record.error is not None]
        return next((error for error in errors if error.placement), next(iter(errors), None))
