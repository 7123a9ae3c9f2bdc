"""What becomes of fixes that have to pass a verification before they are written."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from devicefix.engine import AppliedGroup, Change, Choice, Report
from devicefix.engine.choice import ALL_BUT_UNSAFE
from devicefix.verification.result import Verification


class Decision(enum.Enum):
    """What may be done with the fixes."""

    NOTHING = "nothing"
    """There is nothing to fix."""
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    """It does not pass with all of them."""
    UNKNOWN = "unknown"
    """It could not be found out."""


@dataclass(frozen=True, slots=True)
class Guilty:
    """A group with which it does not pass, and without which it does."""

    group: AppliedGroup
    changes: tuple[tuple[str, Change], ...]
    """What it does to each file, where possible with no other one made."""
    verification: Verification
    """One that failed with it."""


@dataclass(frozen=True, slots=True)
class Unproven:
    """A group of which a run proves nothing, or the contrary."""

    group: AppliedGroup
    reason: str


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The whole outcome."""

    decision: Decision
    reason: str
    """One sentence."""
    report: Report
    """Accepted: what is to be written. Rejected: the rest that passed. Else what was asked for."""
    verification: Verification | None
    """Of exactly what `report` holds; None where nothing of that kind was verified or passed."""
    refusal: Verification | None = None
    """Of all fixes together, where they were not accepted."""
    guilty: tuple[Guilty, ...] = ()
    proven: tuple[AppliedGroup, ...] = ()
    """Unsafe groups that the run has proven; they are in `report`."""
    unproven: tuple[Unproven, ...] = ()
    """Unsafe groups that are left."""
    idle: tuple[Unproven, ...] = ()
    """Groups of `report` of which some line never ran."""
    trials: int = 0
    """How many states of the program were verified."""
    exhausted: bool = False
    """Whether there would have been more to try than is allowed."""
    choice: Choice = ALL_BUT_UNSAFE
    """With which a `Rehearsal` makes `report`."""

    @property
    def has_rest(self) -> bool:
        """Whether something passed although not all did."""
        rejected = self.decision is Decision.REJECTED
        return rejected and self.verification is not None and bool(self.report.changes)
