"""Which observation of one run is which of the other."""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterator, Sequence
from typing import Final

_MOST: Final = 4000
"""Items that are matched by what they are; of more, only the equal ends are found."""
_MOST_PAIRS: Final = 1_000_000
"""Possible pairs among which the best are looked for."""

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
    Otherwise those are paired that are equal, or at least of the same of the ``kinds``, as many as
    possible; without kinds, what lies between equal ones is paired as far as it goes.
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
    if kinds is not None and (ends[0] - head) * (ends[1] - head) <= _MOST_PAIRS:
        yield from _best(before, after, kinds, (head, ends[0], head, ends[1]))
        return
    matcher = difflib.SequenceMatcher(None, before[head : ends[0]], after[head : ends[1]], False)
    for _, a, b, c, d in matcher.get_opcodes():
        yield from _side_by_side(head + a, head + b, head + c, head + d)


def _best(
    before: Sequence[Hashable], after: Sequence[Hashable], kinds: Kinds, within: _Block
) -> Iterator[Pair]:
    """The pairs that are worth most: two for what is equal, one for what is of the same kind."""
    first, first_end, second, second_end = within

    def worth(one: int, other: int) -> int:
        if kinds[0][one] != kinds[1][other]:
            return 0
        return 2 if before[one] == after[other] else 1

    # What the best pairs of all that follows are worth, from any two places on.
    rows = [[0] * (second_end - second + 1)]
    for one in range(first_end - 1, first - 1, -1):
        row, below = [0], rows[-1]
        for at, other in enumerate(range(second_end - 1, second - 1, -1)):
            row.append(max(below[at] + worth(one, other), below[at + 1], row[at]))
        rows.append(row)
    one, other = first, second
    while one < first_end and other < second_end:
        row, below = rows[first_end - one], rows[first_end - one - 1]
        at = second_end - other
        if row[at] == below[at - 1] + worth(one, other):
            yield one, other
            one, other = one + 1, other + 1
        elif row[at] == below[at]:
            yield one, None
            one += 1
        else:
            yield None, other
            other += 1
    yield from _side_by_side(one, first_end, other, second_end)


def _side_by_side(a: int, b: int, c: int, d: int) -> Iterator[Pair]:
    """Ranges ``[a, b)`` and ``[c, d)``, one by one, and then what is left of the longer."""
    common = min(b - a, d - c)
    yield from ((a + at, c + at) for at in range(common))
    yield from ((at, None) for at in range(a + common, b))
    yield from ((None, at) for at in range(c + common, d))
