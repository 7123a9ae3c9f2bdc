"""Where two texts differ, and who made it so."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from devicefix.engine import Piece
from devicefix.findings import Span
from devicefix.source.decoding import LINE_END

_BRACKETS: Final = ("()", "[]", "{}")
_WORD: Final = re.compile(r"\w+|\s+|.", re.DOTALL)


class Region(Struct, frozen=True):
    """What stands on one side in the place of what on the other."""

    before: Span
    after: Span


class Differences(Struct, frozen=True):
    """Where two texts differ, in order; all else is the same on both sides."""

    regions: tuple[Region, ...]
    are_explained: bool
    """Whether what was replaced is all that differs: else somebody has edited the text as well."""


def differences(before: str, after: str, pieces: Iterable[Piece]) -> Differences:
    """From what was replaced where that explains the difference, else by comparing the lines."""
    found = _merged(pieces)
    explained = _explain(found, before, after)
    if not explained:
        found = _compared(before, after)
    trimmed = (_trimmed(one, before, after) for one in found)
    return Differences(tuple(one for one in trimmed if one is not None), explained)


def _merged(pieces: Iterable[Piece]) -> list[Region]:
    """What overlaps is one region, on whichever side it does."""
    merged: list[Region] = []
    for piece in sorted(pieces, key=lambda p: (p.before.start, p.after.start)):
        region = Region(piece.before, piece.after)
        while merged and _meet(merged[-1], region):
            region = _both(merged.pop(), region)
        merged.append(region)
    return merged


def _meet(one: Region, other: Region) -> bool:
    return other.before.start < one.before.end or other.after.start < one.after.end


def _both(one: Region, other: Region) -> Region:
    return Region(_hull(one.before, other.before), _hull(one.after, other.after))


def _hull(one: Span, other: Span) -> Span:
    return Span(min(one.start, other.start), max(one.end, other.end))


def _explain(found: Sequence[Region], before: str, after: str) -> bool:
    """Whether all between ``found`` is the same on both sides."""
    old = new = 0
    for region in found:
        gap = region.before.start - old
        if gap < 0 or region.after.start - new != gap:
            return False
        if before[old : region.before.start] != after[new : region.after.start]:
            return False
        old, new = region.before.end, region.after.end
    return before[old:] == after[new:]


def _trimmed(region: Region, before: str, after: str) -> Region | None:
    """``region`` without the words at its ends that both sides have; None if nothing is left."""
    old = before[region.before.start : region.before.end]
    new = after[region.after.start : region.after.end]
    if old == new:
        return None
    one, other = _WORD.findall(old), _WORD.findall(new)
    head = _common(one, other)
    tail = _common(one[head:][::-1], other[head:][::-1])
    while tail and not (_is_balanced(one, head, tail) and _is_balanced(other, head, tail)):
        tail -= 1  # `cuda()` became `to(device)`, and not `cuda(` became `to(device`
    skip, stop = sum(map(len, one[:head])), sum(map(len, one[len(one) - tail :]))
    return Region(
        Span(region.before.start + skip, region.before.end - stop),
        Span(region.after.start + skip, region.after.end - stop),
    )


def _is_balanced(words: Sequence[str], head: int, tail: int) -> bool:
    inside = words[head : len(words) - tail]
    return all(inside.count(left) == inside.count(right) for left, right in _BRACKETS)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words both begin with."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _compared(before: str, after: str) -> list[Region]:
    """By lines, where nothing better is known; lines that are frequent count for nothing."""
    old, new = _lines(before), _lines(after)
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    matcher = difflib.SequenceMatcher(
        None, old[head : len(old) - tail], new[head : len(new) - tail]
    )
    starts, new_starts = _offsets(old), _offsets(new)
    return [
        Region(
            Span(starts[head + a], starts[head + b]),
            Span(new_starts[head + c], new_starts[head + d]),
        )
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]


def _lines(text: str) -> list[str]:
    ends = [match.end() for match in LINE_END.finditer(text)]
    starts = [0, *ends]
    return [text[a:b] for a, b in zip(starts, [*ends, len(text)], strict=True)]


def _offsets(lines: Sequence[str]) -> list[int]:
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line))
    return offsets
