"""Applying the fixes of one file round by round until nothing is left to apply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from devicefix.engine.analysis import Analyst
from devicefix.engine.checks import Inspector
from devicefix.engine.groups import Group, Policy, Triage, compatible, levelled, triage
from devicefix.engine.origins import Origins
from devicefix.engine.report import FileFailedError
from devicefix.engine.suppression import suppressed
from devicefix.findings import Edit, Finding
from devicefix.source import Source, SourceError

MAX_ROUNDS: Final = 8
"""Looks at one file; fixes that need more do not settle."""
MAX_ATTEMPTS: Final = 4
"""Starts from the original text, each without the fixes that did not settle before."""

Identity = frozenset[tuple[str, int]]
"""What stays of a group when its text is edited: the codes and original places of its members."""


@dataclass(frozen=True, slots=True)
class Settled:
    """A file with all its fixes made."""

    source: Source
    """The new text."""
    applied: tuple[Finding, ...]
    """At their places in the original text."""
    triage: Triage
    """Of the last look, which found nothing more to apply."""
    origins: Origins
    dropped: tuple[tuple[Finding, str], ...]
    """The first member of each group that could not be applied, in the original text, and why."""


def survey(source: Source, analyst: Analyst, policy: Policy) -> Triage:
    """One look at ``source``."""
    findings = analyst.look(source)
    return triage(findings, suppressed(findings, source), policy)


def settle(source: Source, analyst: Analyst, policy: Policy) -> Settled:
    """Apply what ``policy`` allows until a look finds nothing more to apply.

    A group whose edits would break the file is dropped and the others are applied. Raises
    `FileFailedError` where the file never comes to rest.
    """
    inspector = Inspector(source)
    banned: dict[Identity, str] = {}
    for _ in range(MAX_ATTEMPTS):
        attempt = _Attempt(source, analyst, policy, inspector, banned)
        if attempt.run():
            return attempt.outcome()
        banned = attempt.banned | dict.fromkeys(attempt.restless(), "its fix does not settle")
    raise FileFailedError(source.path, None, "its fixes do not settle; left as it was")


class _Attempt:
    """One run from the original text."""

    def __init__(
        self,
        first: Source,
        analyst: Analyst,
        policy: Policy,
        inspector: Inspector,
        banned: Mapping[Identity, str],
    ) -> None:
        self._first = first
        self._analyst = analyst
        self._policy = policy
        self._inspector = inspector
        self._current = self._edited = first
        self._origins = Origins()
        self._applied: list[Finding] = []
        self._dropped: dict[Identity, tuple[Finding, str]] = {}
        self.banned = dict(banned)
        self._triage = self._look()

    def run(self) -> bool:
        """Whether the file came to rest."""
        for _ in range(MAX_ROUNDS):
            if not self._triage.ready:
                return True
            self._round()
            self._triage = self._look()
        return not self._triage.ready

    def restless(self) -> frozenset[Identity]:
        """The groups that are still found after the last round."""
        return frozenset(map(self._identity, self._triage.ready))

    def outcome(self) -> Settled:
        return Settled(
            self._current,
            tuple(self._applied),
            self._triage,
            self._origins,
            tuple(self._dropped.values()),
        )

    def _look(self) -> Triage:
        seen = survey(self._current, self._analyst, self._policy)
        dropped = {}
        for group in seen.ready:
            identity = self._identity(group)
            if identity in self.banned:
                dropped[group.name] = self.banned[identity]
                first = self._origins.relocated(group.members[0], self._first)
                self._dropped.setdefault(identity, (first, self.banned[identity]))
        return seen.without(dropped)

    def _identity(self, group: Group) -> Identity:
        original = self._origins.original
        return frozenset((m.code, original(m.span.start)) for m in group.members)

    def _round(self) -> None:
        kept = self._sound(compatible(self._triage.ready), ())
        relocated = self._origins.relocated
        for group in kept:
            self._applied += [relocated(levelled(m, group), self._first) for m in group.members]
        if kept:
            self._current = self._edited
            self._origins = self._origins.after(_edits(kept))

    def _sound(self, groups: Sequence[Group], kept: tuple[Group, ...]) -> tuple[Group, ...]:
        """Those of ``groups`` that can be applied with ``kept``; the others are banned.

        Leaves the text with all that was kept in ``_edited``.
        """
        try:
            self._edited = self._inspector.edited(self._current, _edits((*kept, *groups)))
        except SourceError as error:
            if len(groups) == 1:
                self.banned[self._identity(groups[0])] = f"its fix was dropped: {error.reason}"
                return ()
        else:
            return tuple(groups)
        half = len(groups) // 2
        left = self._sound(groups[:half], kept)
        return left + self._sound(groups[half:], kept + left)


def _edits(groups: Sequence[Group]) -> list[Edit]:
    return list(dict.fromkeys(edit for group in groups for edit in group.edits))
