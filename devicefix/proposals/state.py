"""What a review is about at one moment: the proposals, what was said, and what is shown of them."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from devicefix.engine import AppliedGroup, FileError, Left, Report
from devicefix.findings import Applicability
from devicefix.proposals.by_hand import ByHand
from devicefix.proposals.hunks import FileHunks
from devicefix.proposals.verdicts import Verdict, Verdicts


class Proposal(Struct, frozen=True):
    """One group of fixes, which is accepted or rejected as a whole."""

    id: str
    """The same in each run on the same files by the same paths: twelve hexadecimal digits."""
    group: AppliedGroup
    verdict: Verdict

    @property
    def applicability(self) -> Applicability:
        """How sure it is; what is for display is never proposed."""
        return self.group.applicability


class State(Struct, frozen=True):
    """A moment of a review."""

    proposals: tuple[Proposal, ...]
    """All that ``files`` shows, in the order of the places of their first findings; rejected ones
    stay among them as long as rejecting them has changed nothing else."""
    rejected: tuple[Proposal, ...]
    """Those that are no longer shown, as they were when they were; they may be brought back."""
    files: tuple[FileHunks, ...]
    """What the proposals change, pending and unsafe ones included, in the order of paths."""
    left: tuple[Left, ...]
    """What a person has to decide, whatever is accepted; places are in the files as they are."""
    errors: tuple[FileError, ...]
    checked: int
    """How many files were looked at."""
    is_settled: bool
    """Whether it was looked what leaving out all rejections brings (`ReviewSession.settle`)."""


class Accepted(Struct, frozen=True):
    """What would be written."""

    report: Report
    """Exactly what was accepted: nothing that is pending, or that nobody has seen."""
    missing: tuple[Proposal, ...]
    """Accepted, but not as they were shown without some that were not: they are not made."""


class Said(Struct, frozen=True):
    """All that was said in a review so far."""

    verdicts: Verdicts = field(default_factory=Verdicts)
    by_hand: Mapping[str, ByHand] = field(default_factory=dict)
    """What was made of the results of files, by path."""
