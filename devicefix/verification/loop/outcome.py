"""What became of a program that was repaired by runs of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from devicefix.engine import Report
from devicefix.records import LineWork, Operand, Place
from devicefix.verification.acceptance import Acceptance, Decision
from devicefix.verification.loop.draft import Draft
from devicefix.verification.loop.symptoms import Fault, Idle, Symptom
from devicefix.verification.result import Verdict


@dataclass(frozen=True, slots=True)
class Step:
    """One repair that stayed."""

    at: Place
    """The line that it is about, as it was before the repair."""
    words: str
    """What was done."""
    shown: str
    """What the run had shown."""


@dataclass(frozen=True, slots=True)
class Stuck:
    """Where a person has to decide."""

    symptom: Symptom
    shown: str
    """What is wrong, in a sentence."""
    operand: Operand | None
    """The tensor that is not where it has to be."""
    lines: tuple[LineWork, ...]
    """What computes on the CPU, where nothing fails."""
    tried: tuple[str, ...]
    """Repairs that did not help."""
    decision: str
    """What has to be decided."""
    exhausted: bool
    """Whether more would have been tried, had more runs been allowed."""

    @property
    def at(self) -> Place | None:
        """The line that fails."""
        return self.symptom.failure.at if isinstance(self.symptom, Fault) else None

    @property
    def verdict(self) -> Verdict:
        """What a verification would say of it."""
        match self.symptom:
            case Fault():
                return Verdict.STILL_FAILS
            case Idle(share=share):
                return Verdict.PARTLY_MOVED if share else Verdict.NOT_MOVED
        return Verdict.FAILED


@dataclass(frozen=True, slots=True)
class Mended:
    """The way to the last state of the program."""

    runs: int
    """How often it was run to see what is wrong; those of the verification are not counted."""
    device: str
    """On which device."""
    steps: tuple[Step, ...]
    stuck: Stuck | None
    """None where the program came to its end, and computed on the accelerator."""


@dataclass(frozen=True, slots=True)
class Found:
    """The last state of the program, and the way there."""

    draft: Draft
    mended: Mended
    before: Found | None = None
    """The last one that ran as well, with more on the host: for when this one does not pass."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The whole outcome."""

    mended: Mended
    acceptance: Acceptance
    """Its report holds what is to be written, or would have been."""

    @property
    def passed(self) -> bool:
        """Whether there is something to write."""
        return self.acceptance.decision is Decision.ACCEPTED

    @property
    def status(self) -> int:
        """The exit status: that of the last verdict."""
        if self.mended.stuck is not None:
            return self.mended.stuck.verdict.status
        refusal = self.acceptance.refusal
        return refusal.verdict.status if refusal is not None else 0

    def with_report(self, report: Report) -> Ended:
        """The same after ``report`` was written."""
        return replace(self, acceptance=replace(self.acceptance, report=report))
