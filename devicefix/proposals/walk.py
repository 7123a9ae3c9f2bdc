"""Going through a review one proposal after the other, and back."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from devicefix.findings import Applicability
from devicefix.proposals.session import ReviewSession
from devicefix.proposals.state import Proposal, Said, State
from devicefix.proposals.verdicts import Verdict


class Bulk(Struct, frozen=True):
    """What one answer would decide."""

    ids: tuple[str, ...]
    spared: int = 0
    """Unsafe ones that it does not accept, as the one that it was given on is safe."""


class Walk:
    """Which proposal is asked about next; those that were skipped are not asked about again."""

    def __init__(self, session: ReviewSession) -> None:
        self.session = session
        self._skipped: frozenset[str] = frozenset()
        self._history: list[tuple[Said, frozenset[str]]] = []

    @property
    def state(self) -> State:
        """How things stand."""
        return self.session.state

    @property
    def current(self) -> Proposal | None:
        """The first that nothing was said of; None where all were asked about.

        Looks what comes of the rejections, once nothing else is to be asked.
        """
        found = self._next()
        if found is None and not self.state.is_settled:
            self.session.settle()
            found = self._next()
        return found

    @property
    def is_to_settle(self) -> bool:
        """Whether `current` takes as long as it takes to look at the files again."""
        return self._next() is None and not self.state.is_settled

    def like(self, one: Proposal, verdict: Verdict) -> Bulk:
        """The open proposals for no other rules than ``one`` is for."""
        codes = frozenset(one.group.codes)
        return _bulk(one, verdict, [p for p in self._open() if codes.issuperset(p.group.codes)])

    def beside(self, one: Proposal, verdict: Verdict) -> Bulk:
        """The open proposals with a finding in the file of the first one of ``one``."""
        path = one.group.findings[0].path
        same = [p for p in self._open() if path in {f.path for f in p.group.findings}]
        return _bulk(one, verdict, same)

    def decide(self, ids: Collection[str], verdict: Verdict) -> None:
        """Answer."""
        self._remember()
        self.session.decide(ids, verdict)

    def edited(self, one: Proposal, path: str, offered: bytes, saved: bytes) -> None:
        """Accept, with what somebody made of a file by hand."""
        self._remember()
        self.session.decide([one.id], Verdict.ACCEPTED)
        self.session.edit(path, offered, saved)

    def skip(self, one: Proposal) -> None:
        """Answer later."""
        self._remember()
        self._skipped |= {_key(one)}

    def undo(self) -> bool:
        """Take back the last answer; whether there was one."""
        if not self._history:
            return False
        said, self._skipped = self._history.pop()
        self.session.restore(said)
        return True

    def number(self, one: Proposal) -> int:
        """Which of all proposals it is, from 1."""
        return [p.id for p in self.state.proposals].index(one.id) + 1

    def _remember(self) -> None:
        self._history.append((self.session.said, self._skipped))

    def _open(self) -> list[Proposal]:
        return [p for p in self.state.proposals if p.verdict is Verdict.PENDING]

    def _next(self) -> Proposal | None:
        return next((p for p in self._open() if _key(p) not in self._skipped), None)


def _key(one: Proposal) -> str:
    """Another one where what it does has changed."""
    return f"{one.id} {one.group.substance}"


def _bulk(one: Proposal, verdict: Verdict, found: list[Proposal]) -> Bulk:
    """Nobody accepts in bulk what is less sure than what is on the screen."""
    if verdict is Verdict.REJECTED or one.applicability is not Applicability.SAFE:
        return Bulk(tuple(p.id for p in found))
    sure = tuple(p.id for p in found if p.applicability is Applicability.SAFE)
    return Bulk(sure, len(found) - len(sure))
