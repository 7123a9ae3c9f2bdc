"""Lines that changed together, and which of them stand side by side."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from devicefix.findings import Span
from devicefix.proposals.regions import Region
from devicefix.proposals.texts import Text

Pair = tuple[int | None, int | None]
"""Lines of both sides that are shown in one row."""
_SIMILAR: Final = 0.5
_FEW: Final = 30
"""So many lines are compared with each other."""


class Block(Struct, frozen=True):
    """Whole lines of both sides, numbered from 0; around them both sides are the same."""

    before: range
    after: range
    regions: tuple[Region, ...]
    """What differs in them."""


def blocks(regions: Sequence[Region], before: Text, after: Text) -> list[Block]:
    """The lines that ``regions`` lie on; those that share one are together."""
    found: list[Block] = []
    for region in regions:
        old, new = _whole_lines(region, before, after)
        if found and (old.start < found[-1].before.stop or new.start < found[-1].after.stop):
            last = found.pop()
            found.append(
                Block(
                    range(last.before.start, max(old.stop, last.before.stop)),
                    range(last.after.start, max(new.stop, last.after.stop)),
                    (*last.regions, region),
                )
            )
        else:
            found.append(Block(old, new, (region,)))
    return found


def _whole_lines(region: Region, before: Text, after: Text) -> tuple[range, range]:
    """The lines of a region; none on a side on which it only lies between two."""
    old, new = region.before, region.after
    first, other = before.line_at(old.start), after.line_at(new.start)
    last, end = before.line_at(old.end), after.line_at(new.end)
    closed = _begins_line(before, old.end) and _begins_line(after, new.end)
    if closed and _begins_line(before, old.start) and _begins_line(after, new.start):
        return range(first, last), range(other, end)
    more = 0 if closed else 1
    return (
        range(first, min(last + more, len(before.raw))),
        range(other, min(end + more, len(after.raw))),
    )


def _begins_line(text: Text, offset: int) -> bool:
    return text.starts[text.line_at(offset)] == offset


def pairs(block: Block, before: Text, after: Text) -> list[Pair]:
    """The rows of a block: what is kept of a line stands beside it."""
    partner = dict(_kept(block, before, after))
    found: list[Pair] = []
    old, new = block.before.start, block.after.start
    for line, other in (*sorted(partner.items()), (block.before.stop, block.after.stop)):
        found += _rewritten(range(old, line), range(new, other), before, after)
        if line < block.before.stop:
            found.append((line, other))
        old, new = line + 1, other + 1
    return found


def _kept(block: Block, before: Text, after: Text) -> Iterator[tuple[int, int]]:
    """Lines of both sides that have text between the regions in common; the most, in order."""
    shared: Counter[tuple[int, int]] = Counter()
    old, new = before.starts[block.before.start], after.starts[block.after.start]
    end = before.starts[block.before.stop]
    for region in (*block.regions, None):
        stop = region.before.start if region is not None else end
        _share(shared, Span(old, stop), new - old, before, after)
        if region is not None:
            old, new = region.before.end, region.after.end
    last, other = block.before.start - 1, block.after.start - 1
    for (line, fellow), _ in sorted(_best(shared)):
        if line > last and fellow > other:
            yield line, fellow
            last, other = line, fellow


def _share(
    shared: Counter[tuple[int, int]], span: Span, shift: int, before: Text, after: Text
) -> None:
    """Note what both sides have of ``span``, which is ``shift`` further on in the new text."""
    at = span.start
    while at < span.end:
        line = before.line_at(at)
        end = min(before.starts[line + 1], span.end)
        weight = len("".join(before.source.text[at:end].split()))
        if weight:
            shared[line, after.line_at(at + shift)] += weight
        at = end


def _best(shared: Counter[tuple[int, int]]) -> list[tuple[tuple[int, int], int]]:
    """For each line of either side only the one that it has most in common with."""
    lines: set[int] = set()
    others: set[int] = set()
    best = []
    for (line, other), weight in shared.most_common():
        if line not in lines and other not in others:
            lines.add(line)
            others.add(other)
            best.append(((line, other), weight))
    return best


def _rewritten(old: range, new: range, before: Text, after: Text) -> Iterator[Pair]:
    """Rows of lines of which nothing was kept: those that look alike stand side by side."""
    at, other = old.start, new.start
    for line, fellow in (*_alike(old, new, before, after), (old.stop, new.stop)):
        gone, come = range(at, line), range(other, fellow)
        yield from ((n, None) for n in gone)
        yield from ((None, n) for n in come)
        if line < old.stop:
            yield line, fellow
        at, other = line + 1, fellow + 1


def _alike(old: range, new: range, before: Text, after: Text) -> list[tuple[int, int]]:
    if len(old) == len(new):
        return list(zip(old, new, strict=True))
    if not old or not new or len(old) > _FEW or len(new) > _FEW:
        return []
    found: list[tuple[int, int]] = []
    first = new.start
    for line in old:
        ratio, fellow = max(
            ((_similarity(before.raw[line], after.raw[n]), -n) for n in range(first, new.stop)),
            default=(0.0, 0),
        )
        if ratio >= _SIMILAR:
            found.append((line, -fellow))
            first = -fellow + 1
    return found


def _similarity(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one.strip(), other.strip(), autojunk=False).ratio()
