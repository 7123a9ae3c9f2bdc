"""Following a place in an edited text back to the text that the user wrote."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from devicefix.findings import Edit, Finding, Span
from devicefix.source import Source


@dataclass(frozen=True, slots=True)
class Origins:
    """Rounds of edits, each in the text that the one before left."""

    rounds: tuple[tuple[Edit, ...], ...] = ()

    def after(self, edits: Iterable[Edit]) -> Origins:
        """These rounds and one more."""
        return Origins((*self.rounds, tuple(sorted(set(edits)))))

    def original(self, offset: int) -> int:
        """Where ``offset`` of the last text was in the first; new text is where it went in."""
        for edits in reversed(self.rounds):
            offset = _before(edits, offset)
        return offset

    def relocated(self, finding: Finding, first: Source) -> Finding:
        """``finding`` at its place in the first text; its edits would name no text, so they go."""
        if not self.rounds:
            return finding
        span = Span(self.original(finding.span.start), self.original(finding.span.end))
        line, column = first.position(span.start)
        fix = replace(finding.fix, edits=()) if finding.fix is not None else None
        return replace(finding, span=span, line=line, column=column, fix=fix)


def _before(edits: tuple[Edit, ...], offset: int) -> int:
    shift = 0
    for edit in edits:
        start = edit.start + shift
        if offset < start:
            break
        if offset < start + len(edit.text):
            return edit.start
        shift += len(edit.text) - (edit.end - edit.start)
    return offset - shift
