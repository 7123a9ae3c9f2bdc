"""What a run is about: which findings count, and which are nobody's concern today."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct, field

from devicefix.engine.known import Entry, Recognised, Sighting, recognised, sighted
from devicefix.engine.origins import Places
from devicefix.findings import Finding

Lines = tuple[tuple[int, int], ...]
"""Ranges of lines, first and last, 1-based."""
ALL_LINES: Final[Lines] = ((1, sys.maxsize),)

_Member = tuple[str, str, int]
"""What stays of a finding when its text is edited: file, code and original place."""


class Scope(Struct, frozen=True):
    """What is left out of a run, by the paths of its files as it names them.

    A decision counts as a whole as soon as one of its findings does: half of it is no fix.
    """

    changed: Mapping[str, Lines] | None = None
    """The lines that count, as they are in the files; None for all lines of all files."""
    known: Mapping[str, tuple[Entry, ...]] = field(default_factory=dict)
    """What is in the baseline, and does not count."""

    def counts(self, finding: Finding, places: Places) -> bool:
        """Whether ``finding`` is on a line that counts."""
        if self.changed is None:
            return True
        first, last = _lines(finding, places)
        ranges = self.changed.get(finding.path, ())
        return any(start <= last and first <= end for start, end in ranges)


EVERYTHING: Final = Scope()


class View:
    """One program as it is seen through a scope.

    The baseline says what was there at the first look. What comes of fixes is nothing old, so later
    looks hold on to what was recognised at first.
    """

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._known: frozenset[_Member] | None = None
        self.recognised: dict[_Member, Entry] = {}
        """What of the baseline was found."""

    def outside(self, findings: Sequence[Finding], places: Places) -> frozenset[Finding]:
        """Those of ``findings``, all that the user may be told of, that do not count."""
        if self._scope == EVERYTHING:
            return frozenset()
        if self._known is None:
            self.recognise(findings, places)
            self._known = frozenset(self.recognised)
        return frozenset(
            finding
            for finding in findings
            if _member(finding, places) in self._known or not self._scope.counts(finding, places)
        )

    def found_entries(self, shown: Iterable[Finding]) -> tuple[Recognised, ...]:
        """What of the baseline was found, ``shown`` (at their first places) or not."""
        members = {(f.path, f.code, f.span.start) for f in shown}
        return tuple(
            Recognised(member[0], entry, member in members)
            for member, entry in self.recognised.items()
        )

    def recognise(self, findings: Iterable[Finding], places: Places) -> None:
        """Look which of ``findings`` are in the baseline."""
        by_file: dict[str, list[Finding]] = {}
        for finding in findings:
            if finding.path in self._scope.known:
                by_file.setdefault(finding.path, []).append(finding)
        for path, found in by_file.items():
            entries = self._scope.known[path]
            found.sort(key=lambda finding: (places.original(finding), finding.code))
            matched = recognised(entries, [_sighting(finding, places) for finding in found])
            for finding, entry in zip(found, matched, strict=True):
                if entry is not None:
                    self.recognised[_member(finding, places)] = entry


def _member(finding: Finding, places: Places) -> _Member:
    return finding.path, finding.code, places.original(finding)


def _sighting(finding: Finding, places: Places) -> Sighting:
    return sighted(finding.code, places.original(finding), places.first[finding.path])


def _lines(finding: Finding, places: Places) -> tuple[int, int]:
    """The first and the last line of a finding, in the file as it was read."""
    source = places.first[finding.path]
    here = places.relocated(finding).span
    return source.position(here.start)[0], source.position(max(here.start, here.end - 1))[0]
