"""What somebody has decided about groups of fixes."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from functools import cached_property

from msgspec import Struct, field

from devicefix.engine import AppliedGroup, Identity


class Verdict(enum.Enum):
    """What somebody says of one group."""

    PENDING = "pending"
    """Nothing yet."""
    ACCEPTED = "accepted"
    REJECTED = "rejected"


class Verdicts(Struct, frozen=True, dict=True):
    """What was said so far; a value, so that an answer is taken back by keeping the one before.

    Leaving a group out may change another one, split it or bring up a new one. So a group counts as
    accepted only as it was seen: by the same name, with the same edits, as sure. It counts as
    rejected where it has a member in common with one that was, as for a `Choice`.
    """

    accepted: Mapping[Identity, str] = field(default_factory=dict)
    """Their substances."""
    rejected: frozenset[Identity] = frozenset()

    def of(self, group: AppliedGroup) -> Verdict:
        """What holds for a group."""
        if group.identity & self._rejected_members:
            return Verdict.REJECTED
        if self.accepted.get(group.identity) == group.substance:
            return Verdict.ACCEPTED
        return Verdict.PENDING

    def decided(self, groups: Iterable[AppliedGroup], verdict: Verdict) -> Verdicts:
        """These, and ``verdict`` on ``groups``, whatever was said of their members before."""
        new = {group.identity: group.substance for group in groups}
        members = frozenset[object]().union(*new)
        accepted = {i: s for i, s in self.accepted.items() if not i & members}
        rejected = frozenset(i for i in self.rejected if not i & members)
        match verdict:
            case Verdict.ACCEPTED:
                accepted.update(new)
            case Verdict.REJECTED:
                rejected |= frozenset(new)
        return Verdicts(accepted, rejected)

    def about(self, wanted: Iterable[Identity]) -> Verdicts:
        """Those on groups of these names."""
        names = frozenset(wanted)
        accepted = {i: s for i, s in self.accepted.items() if i in names}
        return Verdicts(accepted, self.rejected & names)

    def renamed(self, names: Mapping[str, str]) -> Verdicts:
        """The same, with the files called ``names``; others keep theirs."""

        def new(identity: Identity) -> Identity:
            return frozenset((names.get(path, path), code, at) for path, code, at in identity)

        accepted = {new(i): substance for i, substance in self.accepted.items()}
        return Verdicts(accepted, frozenset(map(new, self.rejected)))

    @property
    def identities(self) -> frozenset[Identity]:
        """The names of all groups that something was said of."""
        return self.rejected.union(self.accepted)

    @cached_property
    def _rejected_members(self) -> frozenset[tuple[str, str, int]]:
        return frozenset[tuple[str, str, int]]().union(*self.rejected)
