"""Which observation of one run is which of the other."""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterator, Sequence
from typing import Final

_MOST: Final = 4000
"""Items that are matched by what they are; of more, only the equal ends are found."""

Pair = tuple[int | None, int | None]
"""Two that belong together, or one that has no partner."""


_Block = tuple[int, int, int, int]

Kinds = tuple[Sequence[Hashable], Sequence[Hashable]]
"""What the items of both sequences are apart from their values."""


def aligned(
    before: Sequence[Hashable], after: Sequence[Hashable], kinds: Kinds | None = None
) -> Iterator[Pair]:
    """Pair the items of two sequences, in their order.

    Equally many are paired one by one: a value that has changed is still the same observation.
    Otherwise what is equal is found first, then what is of the same of the ``kinds``; what lies
    between is paired as far as it goes.
    """
    if len(before) == len(after):
        yield from ((at, at) for at in range(len(before)))
        return
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    yield from ((at, at) for at in range(head))
    yield from _middle(before, after, head, tail, kinds)
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
    before: Sequence[Hashable],
    after: Sequence[Hashable],
    head: int,
    tail: int,
    kinds: Kinds | None,
) -> Iterator[Pair]:
    ends = len(before) - tail, len(after) - tail
    if max(ends) - head > _MOST:
        yield from _side_by_side(head, ends[0], head, ends[1])
        return
    for a, b, c, d in _blocks(before, after, (head, ends[0], head, ends[1])):
        if kinds is None or b - a == d - c:
            yield from _side_by_side(a, b, c, d)
            continue
        for block in _blocks(*kinds, (a, b, c, d)):
            yield from _side_by_side(*block)


def _blocks(
    before: Sequence[Hashable], after: Sequence[Hashable], within: _Block
) -> Iterator[_Block]:
    """Ranges of both, ``[a, b)`` and ``[c, d)``: what is equal, and what lies between."""
    a, b, c, d = within
    matcher = difflib.SequenceMatcher(None, before[a:b], after[c:d], False)
    for _, first, last, start, end in matcher.get_opcodes():
        yield a + first, a + last, c + start, c + end


def _side_by_side(a: int, b: int, c: int, d: int) -> Iterator[Pair]:
    """Ranges ``[a, b)`` and ``[c, d)``, one by one, and then what is left of the longer."""
    common = min(b - a, d - c)
    yield from ((a + at, c + at) for at in range(common))
    yield from ((at, None) for at in range(a + common, b))
    yield from ((None, at) for at in range(c + common, d))
