"""A review under way: what is proposed, what was decided, and what would be written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from devicefix.engine import AppliedGroup, Choice, FileError, Identity, Left, Rehearsal, Report
from devicefix.findings import Applicability
from devicefix.proposals.attribution import file_hunks
from devicefix.proposals.hunks import FileHunks, identifier
from devicefix.proposals.verdicts import Verdict, Verdicts

WHY: Final = "rejected in review"
"""Why a group is not made."""
_UNDECIDED: Final = "not accepted in review"


@dataclass(frozen=True, slots=True)
class Proposal:
    """One group of fixes, which is accepted or rejected as a whole."""

    id: str
    """The same in each run on the same files: twelve hexadecimal digits."""
    group: AppliedGroup
    verdict: Verdict

    @property
    def applicability(self) -> Applicability:
        """How sure it is; what is for display is never proposed."""
        return self.group.applicability


@dataclass(frozen=True, slots=True)
class State:
    """A moment of a review."""

    proposals: tuple[Proposal, ...]
    """In the order of the places of their first findings."""
    rejected: tuple[AppliedGroup, ...]
    """Those that were, as they were when they were seen last; they may be brought back."""
    files: tuple[FileHunks, ...]
    """What all proposals change, pending ones and unsafe ones included, in the order of paths."""
    left: tuple[Left, ...]
    """What a person has to decide."""
    errors: tuple[FileError, ...]
    checked: int
    """How many files were looked at."""


class Session:
    """A review of what `apply` would do below some paths. Nothing is written but by `commit`.

    What is rejected is left out at once, and what comes of that is shown: a group that was split or
    that takes its place is a proposal like all. Unsafe groups are proposed, too.
    """

    def __init__(self, rehearsal: Rehearsal, verdicts: Verdicts | None = None) -> None:
        self._rehearsal = rehearsal
        self.verdicts = verdicts if verdicts is not None else Verdicts()
        self._seen: dict[Identity, AppliedGroup] = {}
        self._state: State | None = None

    @property
    def state(self) -> State:
        """How things stand."""
        if self._state is None:
            self._state = self._now()
        return self._state

    def decide(self, identities: Iterable[Identity], verdict: Verdict) -> State:
        """Accept or reject groups, or take back what was said of them."""
        before = self.verdicts
        self.verdicts = before.decided(identities, verdict)
        if self._state is not None and self.verdicts.rejected == before.rejected:
            self._state = replace(self._state, proposals=self._judged(self._state.proposals))
        else:
            self._state = None
        return self.state

    def outcome(self) -> Report:
        """Exactly what was accepted: nothing that is pending, or that nobody has seen."""
        left_out = self.verdicts.rejected
        while True:
            choice = Choice(without=left_out, trusts_all=True, why=_UNDECIDED)
            report = self._rehearsal.report(choice)
            more = frozenset(
                group.identity
                for group in report.groups
                if self.verdicts.of(group.identity) is not Verdict.ACCEPTED
            )
            if more <= left_out:
                return report
            left_out |= more

    def _now(self) -> State:
        choice = Choice(without=self.verdicts.rejected, trusts_all=True, why=WHY)
        report = self._rehearsal.report(choice)
        self._seen.update((group.identity, group) for group in report.groups)
        groups = sorted(report.groups, key=_first_place)
        ids = {group.identity: identifier(group.identity) for group in groups}
        return State(
            proposals=tuple(
                Proposal(ids[g.identity], g, self.verdicts.of(g.identity)) for g in groups
            ),
            rejected=tuple(self._seen[i] for i in self._seen if i in self.verdicts.rejected),
            files=tuple(
                file_hunks(result.path, change, groups) for result, change in report.changes
            ),
            left=tuple(left for result in report.files for left in result.left),
            errors=report.errors,
            checked=report.checked,
        )

    def _judged(self, proposals: Iterable[Proposal]) -> tuple[Proposal, ...]:
        return tuple(replace(p, verdict=self.verdicts.of(p.group.identity)) for p in proposals)


def _first_place(group: AppliedGroup) -> tuple[str, int, int, int]:
    return min((f.path, f.cell or 0, f.line, f.column) for f in group.findings)
