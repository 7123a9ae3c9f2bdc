"""Which observation of one run is which of the other."""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterator, Sequence
from typing import Final

_MOST: Final = 4000
"""Items that are matched by what they are; of more, only the equal ends are found."""

Pair = tuple[int | None, int | None]
"""Two that belong together, or one that has no partner."""


def aligned(before: Sequence[Hashable], after: Sequence[Hashable]) -> Iterator[Pair]:
    """Pair the items of two sequences, in their order.

    Equally many are paired one by one: a value that has changed is still the same observation.
    Otherwise what is equal is found first, and what lies between is paired as far as it goes.
    """
    if len(before) == len(after):
        yield from ((at, at) for at in range(len(before)))
        return
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    yield from ((at, at) for at in range(head))
    yield from _middle(before, after, head, tail)
    first, second = len(before) - tail, len(after) - tail
    yield from ((first + at, second + at) for at in range(tail))


def _common(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """How many items the two have in common at their beginning."""
    count = 0
    for mine, its in zip(one, other, strict=False):
        if mine != its:
            break
        count += 1
    return count


def _middle(
    before: Sequence[Hashable], after: Sequence[Hashable], head: int, tail: int
) -> Iterator[Pair]:
    ends = len(before) - tail, len(after) - tail
    if max(ends) - head > _MOST:
        yield from _side_by_side(head, ends[0], head, ends[1])
        return
    matcher = difflib.SequenceMatcher(None, before[head : ends[0]], after[head : ends[1]], False)
    for _, a, b, c, d in matcher.get_opcodes():
        yield from _side_by_side(head + a, head + b, head + c, head + d)


def _side_by_side(a: int, b: int, c: int, d: int) -> Iterator[Pair]:
    """Ranges ``[a, b)`` and ``[c, d)``, one by one, and then what is left of the longer."""
    common = min(b - a, d - c)
    yield from ((a + at, c + at) for at in range(common))
    yield from ((at, None) for at in range(a + common, b))
    yield from ((None, at) for at in range(c + common, d))
