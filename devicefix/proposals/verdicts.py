"""What somebody has decided about groups of fixes."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field

from devicefix.engine import Identity


class Verdict(enum.Enum):
    """What somebody says of one group."""

    PENDING = "pending"
    """Nothing yet."""
    ACCEPTED = "accepted"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What was said so far, by the members of the groups that it was said of.

    Leaving a group out may split another one or bring up a new one. So a group counts as accepted
    only where each of its members was seen in one that was; it counts as rejected where any was.
    """

    accepted: frozenset[Identity] = field(default=frozenset())
    rejected: frozenset[Identity] = field(default=frozenset())

    def of(self, identity: Identity) -> Verdict:
        """What holds for a group."""
        if any(identity & other for other in self.rejected):
            return Verdict.REJECTED
        if identity <= frozenset(member for other in self.accepted for member in other):
            return Verdict.ACCEPTED
        return Verdict.PENDING

    def decided(self, identities: Iterable[Identity], verdict: Verdict) -> Verdicts:
        """These, and ``verdict`` on groups, whatever was said of them before."""
        new = frozenset(identities)
        accepted, rejected = _without(self.accepted, new), _without(self.rejected, new)
        match verdict:
            case Verdict.ACCEPTED:
                accepted |= new
            case Verdict.REJECTED:
                rejected |= new
        return Verdicts(accepted, rejected)


def _without(old: frozenset[Identity], new: frozenset[Identity]) -> frozenset[Identity]:
    """``old`` without what has a member in ``new``."""
    return frozenset(one for one in old if not any(one & other for other in new))
