"""Which part of a rewritten text comes from where in the original, and which edit made the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from devicefix.findings import Edit, Span, in_order

KEPT = -1
"""The number of no edit: the character was in the original text."""


class TextMap(Struct, frozen=True):
    """A text after several rounds of edits, character by character."""

    origins: Sequence[int]
    """For each character of the new text its offset in the original; -1 where an edit put it in."""
    makers: Sequence[int]
    """The number of the edit that put it in; `KEPT` for the others."""
    removed: Sequence[tuple[Span, int]]
    """What each edit took out of the original text; empty spans where one only put text in."""
    length: int
    """Of the original text."""
    starts: Sequence[int] = ()
    """For each place of the new text: the offset behind the last kept character ahead of it."""
    ends: Sequence[int] = ()
    """For each place of the new text: the offset of the first kept character from there on."""

    @classmethod
    def of(cls, length: int, rounds: Iterable[Iterable[tuple[Edit, int]]]) -> TextMap:
        """The map for an original text of ``length`` and numbered edits, round by round."""
        origins: list[int] = list(range(length))
        makers = [KEPT] * length
        removed: list[tuple[Span, int]] = []
        for numbered in rounds:
            numbers = dict(numbered)
            new_origins: list[int] = []
            new_makers: list[int] = []
            done = 0
            for edit in in_order(numbers):
                gone = [at for at in origins[edit.start : edit.end] if at >= 0]
                if gone:
                    removed.append((Span(min(gone), max(gone) + 1), numbers[edit]))
                elif edit.start == edit.end < len(origins) and origins[edit.start] >= 0:
                    removed.append((Span(origins[edit.start], origins[edit.start]), numbers[edit]))
                new_origins += origins[done : edit.start] + [-1] * len(edit.text)
                new_makers += makers[done : edit.start] + [numbers[edit]] * len(edit.text)
                done = max(done, edit.end)
            origins, makers = new_origins + origins[done:], new_makers + makers[done:]
        starts, ends = _gaps(origins, length)
        return cls(origins, makers, removed, length, starts, ends)

    def original(self, span: Span) -> Span | None:
        """What ``span`` of the new text was in the original; None where all of it is new.

        Text that replaces something stands for what it replaces.
        """
        if all(at < 0 for at in self.origins[span.start : span.end]):
            return None
        first, last = self.origins[span.start], self.origins[span.end - 1]
        start = first if first >= 0 else self.starts[span.start]
        return Span(start, last + 1 if last >= 0 else self.ends[span.end])

    def is_new(self, span: Span) -> bool:
        """Whether edits have put all of ``span`` in."""
        return span.end > span.start and all(m >= 0 for m in self.makers[span.start : span.end])

    def makers_in(self, span: Span) -> frozenset[int]:
        """The edits that put in a part of ``span`` of the new text."""
        return frozenset(m for m in self.makers[span.start : span.end] if m >= 0)

    def edits_in(self, span: Span) -> frozenset[int]:
        """The edits that put in a part of ``span`` of the new text, or took out something there.

        What another edit took out right beside the text that an edit put in is not in it:
        ``Variable(`` and ``)`` are around the ``x.to(device)`` that was ``x.cuda()``.
        """
        made = self.makers_in(span)
        if self.original(span) is None:
            return made
        return made | self.removers_in(Span(self._first(span), self._last(span)))

    def removers_in(self, span: Span) -> frozenset[int]:
        """The edits that took out a part of ``span`` of the original text."""
        return frozenset(
            number
            for gone, number in self.removed
            if max(gone.start, span.start) < min(gone.end, span.end)
        )

    def _first(self, span: Span) -> int:
        """Where in the original ``span`` of the new text begins."""
        first, maker = self.origins[span.start], self.makers[span.start]
        if first >= 0:
            return first
        low, high = self.starts[span.start], self.ends[span.start]
        own = [gone.start for gone, n in self.removed if n == maker and low <= gone.start <= high]
        return min(own, default=low)

    def _last(self, span: Span) -> int:
        """Where in the original ``span`` of the new text ends."""
        last, maker = self.origins[span.end - 1], self.makers[span.end - 1]
        if last >= 0:
            return last + 1
        low, high = self.starts[span.end], self.ends[span.end]
        own = [gone.end for gone, n in self.removed if n == maker and low <= gone.end <= high]
        return max(own, default=high)


def _gaps(origins: Sequence[int], length: int) -> tuple[list[int], list[int]]:
    starts, at = [], 0
    for origin in origins:
        starts.append(at)
        at = origin + 1 if origin >= 0 else at
    starts.append(at)
    ends, at = [length], length
    for origin in reversed(origins):
        at = origin if origin >= 0 else at
        ends.append(at)
    ends.reverse()
    return starts, ends
