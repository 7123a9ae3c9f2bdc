"""Line diffs as people expect them: by the lines that occur once (patience diff, Bram Cohen).

`difflib` leaves frequent lines out of the search in files of 200 lines and more, so blank lines and
whole blocks that did not change are shown as removed and added again.
"""

from __future__ import annotations

import bisect
import difflib
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

Opcode: TypeAlias = tuple[str, int, int, int, int]
"""As `difflib.SequenceMatcher.get_opcodes` gives it."""

_Block: TypeAlias = tuple[int, int, int]
"""Where equal lines begin in the one text and in the other, and how many there are."""


def hunks(
    before: Sequence[bytes], after: Sequence[bytes], context: int = 3
) -> Iterable[list[Opcode]]:
    """The opcodes of each hunk, with ``context`` equal lines around what differs."""
    return _Matcher(before, after).get_grouped_opcodes(context)


class _Matcher(difflib.SequenceMatcher[bytes]):
    def __init__(self, before: Sequence[bytes], after: Sequence[bytes]) -> None:
        super().__init__(None, before, after, autojunk=False)
        self._texts = before, after

    def get_matching_blocks(self) -> list[difflib.Match]:
        before, after = self._texts
        blocks = _joined(_blocks(before, after))
        return [difflib.Match(*block) for block in (*blocks, (len(before), len(after), 0))]


def _blocks(before: Sequence[bytes], after: Sequence[bytes]) -> Iterator[_Block]:
    """Equal lines: the anchors, and what is equal between two of them."""
    start = first = 0
    for line, other in (*_anchors(before, after), (len(before), len(after))):
        for own, its, size in _between(before[start:line], after[first:other]):
            yield start + own, first + its, size
        if line < len(before) and other < len(after):
            yield line, other, 1
        start, first = line + 1, other + 1


def _between(before: Sequence[bytes], after: Sequence[bytes]) -> Iterator[_Block]:
    """What is equal at the end of both, then at their beginning, then in the rest."""
    last = _alike(zip(reversed(before), reversed(after), strict=False))
    end, its_end = len(before) - last, len(after) - last
    head = _alike(zip(before[:end], after[:its_end], strict=False))
    yield 0, 0, head
    rest = before[head:end], after[head:its_end]
    for block in difflib.SequenceMatcher(None, *rest, autojunk=False).get_matching_blocks():
        yield head + block.a, head + block.b, block.size
    yield end, its_end, last


def _alike(pairs: Iterable[tuple[bytes, bytes]]) -> int:
    return len(list(itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)))


def _anchors(before: Sequence[bytes], after: Sequence[bytes]) -> list[tuple[int, int]]:
    """Where the lines are that occur once in both texts, the most of them that keep their order."""
    once = [{line for line, count in Counter(t).items() if count == 1} for t in (before, after)]
    common = once[0] & once[1]
    where = {line: number for number, line in enumerate(after) if line in common}
    return _increasing([(n, where[line]) for n, line in enumerate(before) if line in common])


def _increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """A longest part of ``pairs`` whose second numbers increase (patience sorting)."""
    ends: list[int] = []
    tops: list[int] = []
    previous: list[int] = []
    for index, (_, number) in enumerate(pairs):
        pile = bisect.bisect_left(ends, number)
        previous.append(tops[pile - 1] if pile else -1)
        ends[pile : pile + 1], tops[pile : pile + 1] = [number], [index]
    chosen = []
    index = tops[-1] if tops else -1
    while index >= 0:
        chosen.append(pairs[index])
        index = previous[index]
    return chosen[::-1]


def _joined(blocks: Iterable[_Block]) -> Iterator[_Block]:
    """``blocks`` with those that follow each other as one, and without empty ones."""
    start = other = size = 0
    for block in blocks:
        if block[:2] == (start + size, other + size):
            size += block[2]
            continue
        if size:
            yield start, other, size
        start, other, size = block
    if size:
        yield start, other, size
