"""What lies within a span of a text, without a look at all that lies elsewhere."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Generic, TypeVar

from devicefix.findings import Span

_Thing = TypeVar("_Thing")


class Inside(Generic[_Thing]):
    """Things with a place in one text."""

    def __init__(self, placed: Iterable[tuple[Span, _Thing]]) -> None:
        numbered = enumerate(placed)
        self._placed = sorted(
            ((span, number, thing) for number, (span, thing) in numbered),
            key=lambda one: one[0].start,
        )
        self._starts = [span.start for span, _, _ in self._placed]

    def of(self, whole: Span) -> list[_Thing]:
        """Those that lie in ``whole``, in the order in which they were given."""
        first = bisect_left(self._starts, whole.start)
        last = bisect_right(self._starts, whole.end)
        found = [one for one in self._placed[first:last] if one[0].end <= whole.end]
        return [thing for _, _, thing in sorted(found, key=lambda one: one[1])]
