"""What a verification found, as frozen types."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from devicefix.records import Ending, Failure, Place, Placement
from devicefix.records.observations import Kind


class Verdict(enum.Enum):
    """What a verification says, worst last."""

    PASS = "pass"
    PARTLY_MOVED = "partly-moved"
    """All values agree, but less is computed on the accelerator than should be."""
    NOT_MOVED = "not-moved"
    """All values agree, but on the accelerator nothing is computed."""
    NO_BASELINE = "no-baseline"
    """The program before the change runs nowhere; after it, CPU and accelerator agree."""
    FAILED = "failed"
    """It could not be found out: not started, ended for its bounds before anything was compared,
    or in need of what no simulated accelerator has."""
    STILL_FAILS = "still-fails"
    """On an accelerator it ends as before the change, by the same exception at the same line."""
    DIVERGED = "diverged"
    """On a real accelerator: beyond tolerance, and beyond the spread of runs on the CPU that were
    perturbed by one unit in the last place, but it began the same."""
    DIFFERS = "differs"

    @property
    def status(self) -> int:
        """The exit status of a command that ends with it."""
        return _STATUSES[self]

    @property
    def is_unknown(self) -> bool:
        """Whether nothing was found out."""
        return self in (Verdict.NO_BASELINE, Verdict.FAILED)

    @property
    def lacks_moving(self) -> bool:
        """Whether nothing is wrong but that too little was moved."""
        return self in (Verdict.PARTLY_MOVED, Verdict.NOT_MOVED)


_STATUSES: Final = MappingProxyType(
    {
        Verdict.PASS: 0,
        Verdict.PARTLY_MOVED: 1,
        Verdict.NO_BASELINE: 2,
        Verdict.FAILED: 2,
        Verdict.DIFFERS: 3,
        Verdict.STILL_FAILS: 4,
        Verdict.NOT_MOVED: 5,
        Verdict.DIVERGED: 6,
    }
)


class Role(enum.Enum):
    """Which run of a verification it is."""

    BEFORE = "before"
    BEFORE_AGAIN = "before again"
    MODERNISED = "modernised"
    """Before the change, but for what today's Python or PyTorch refuses."""
    AFTER = "after"
    PERTURBED = "perturbed"


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One run of the program."""

    role: Role
    device: str
    """``cpu``, ``sim:cuda``, ``cuda`` …"""
    ending: Ending
    failure: Failure | None
    """The exception that ended it."""
    placement: Placement | None
    """Where it computed and what it copied; None for runs on the CPU."""
    errors: str
    """The end of what it wrote to stderr."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """The first observation that is not the same."""

    kind: Kind | None
    """None for the exit status, and what was written by other processes."""
    what: str
    """In a few words: ``the loss``, ``.item() of …``, ``output line 3``, ``model.fc.weight``."""
    before: str
    """The value, as short as it can be shown; empty where there was none."""
    after: str
    at_before: Place | None
    at_after: Place | None
    detail: str = ""
    """One sentence more, such as by how much, or the error that ended the program."""


@dataclass(frozen=True, slots=True)
class Furthest:
    """Of the numbers that were accepted, the one that is furthest off by the tolerance."""

    what: str
    """As in `Difference`."""
    before: float
    after: float
    at: Place | None
    """The line after the change."""

    @property
    def absolute(self) -> float:
        """The difference of the two."""
        return abs(self.before - self.after)

    @property
    def relative(self) -> float:
        """The difference as a share of the larger one."""
        return self.absolute / (max(abs(self.before), abs(self.after)) or 1.0)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The program after the change on one device, held against the baseline."""

    device: str
    verdict: Verdict
    compared: int
    """Values and pieces of text that were compared."""
    masked: int
    """Those that differ between two runs of the program before the change, and were not."""
    difference: Difference | None
    furthest: Furthest | None = None
    """None where all bits are equal."""
    tolerance: str = "exact"
    """What was accepted: ``exact``, or in words, with the reason."""
    partial: bool = False
    """Whether some run was ended for its bounds, and only what came before was compared."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verification:
    """The whole finding."""

    entry: tuple[str, ...]
    """As the user named it, with its arguments."""
    verdict: Verdict
    """The worst of all comparisons."""
    reason: str
    """One sentence that explains the verdict."""
    baseline: str | None
    """The device on which the program before the change ran; None where it ran nowhere."""
    comparisons: tuple[Comparison, ...]
    """``cpu`` first, then the devices in the order in which they were asked for."""
    runs: tuple[RunSummary, ...]
    executed: Mapping[str, frozenset[int]]
    """Of the lines that were asked about, those that ran after the change *on every device*, by
    path below the tree's root.
    """
    changed: tuple[str, ...]
    """The files in which the trees differ, by their paths below the root."""
    seconds: float
    modernised: tuple[str, ...] = ()
    """The rules whose fixes the program before the change was given, as it runs nowhere without
    them: nothing is said about these. Empty where it was run as it is."""

    @property
    def is_idle(self) -> bool:
        """Whether nothing was changed in a program that runs nowhere."""
        return not self.changed and self.baseline is None

    @property
    def partial(self) -> bool:
        """Whether the bounds ended some run."""
        return any(comparison.partial for comparison in self.comparisons)

    def run(self, role: Role, device: str) -> RunSummary | None:
        """The first run in this role on ``device``."""
        return next((r for r in self.runs if r.role is role and r.device == device), None)
