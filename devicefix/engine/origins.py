"""Following a place in an edited text back to the text that the user wrote."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace

from devicefix.findings import Edit, Finding, Span
from devicefix.source import Source


@dataclass(frozen=True, slots=True)
class _Round:
    """Edits of one text, and where each starts in the text that they make."""

    edits: tuple[Edit, ...]
    starts: tuple[int, ...]

    def before(self, offset: int) -> int:
        """Where ``offset`` of the new text was in the old one."""
        last = bisect_right(self.starts, offset) - 1
        if last < 0:
            return offset
        edit, inside = self.edits[last], offset - self.starts[last]
        return edit.start if inside < len(edit.text) else edit.end + inside - len(edit.text)


def _round(edits: Iterable[Edit]) -> _Round:
    ordered = tuple(sorted(set(edits)))
    starts, shift = [], 0
    for edit in ordered:
        starts.append(edit.start + shift)
        shift += len(edit.text) - (edit.end - edit.start)
    return _Round(ordered, tuple(starts))


@dataclass(frozen=True, slots=True)
class Origins:
    """Rounds of edits, each in the text that the one before left."""

    rounds: tuple[_Round, ...] = ()

    def after(self, edits: Iterable[Edit]) -> Origins:
        """These rounds and one more."""
        return Origins((*self.rounds, _round(edits)))

    def original(self, offset: int) -> int:
        """Where ``offset`` of the last text was in the first; new text is where it went in."""
        for made in reversed(self.rounds):
            offset = made.before(offset)
        return offset

    def relocated(self, finding: Finding, first: Source) -> Finding:
        """``finding`` at its place in the first text; its edits would name no text, so they go."""
        if not self.rounds:
            return finding
        span = Span(self.original(finding.span.start), self.original(finding.span.end))
        line, column = first.position(span.start)
        fix = replace(finding.fix, edits=()) if finding.fix is not None else None
        return replace(finding, span=span, line=line, column=column, fix=fix)
