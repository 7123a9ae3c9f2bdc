"""Output that is too long to be kept: what comes behind its beginning lies on the disk.

It is compared line by line while it is read, without the places in the program that wrote it. Where
the beginnings of two runs end at another line, their last lines are compared with it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final

from devicefix.verification.equality import Equal, Standard, Unequal, compare_lines, varying
from devicefix.verification.printed import Line, lines_of
from devicefix.verification.tolerance import NO_DEVIATION, Deviation

_LONGEST: Final = 1 << 16
"""Bytes of a line; a longer one is several."""
_BLOCK: Final = 1 << 20
_MOST: Final = 20_000
"""Pairs of lines that are not the same to the letter, and are looked at more closely."""


@dataclass(frozen=True, slots=True)
class Rest:
    """What a run has printed behind the beginning that is kept."""

    file: BinaryIO
    start: int
    """Where it begins, in bytes."""

    def block(self, place: int, most: int = _BLOCK) -> bytes:
        """What lies at ``place``, behind the start; empty at the end."""
        self.file.seek(self.start + place)  # others read it, too
        return self.file.read(most)

    def lines(self) -> Iterator[bytes]:
        """Those that say something."""
        place = 0
        while block := self.block(place):
            end = block.rfind(b"\n") + 1
            if not end or len(block) < _BLOCK:
                end = len(block)
            place += end
            for line in block[:end].split(b"\n"):
                for start in range(0, len(line), _LONGEST):
                    yield line[start : start + _LONGEST]


def beginning(rests: Sequence[Rest]) -> tuple[tuple[Rest, ...], int]:
    """What follows the whole lines by which all of ``rests`` begin alike; how many these are."""
    same = lines = 0
    while True:
        blocks = [rest.block(same) for rest in rests]
        if not blocks[0] or any(block != blocks[0] for block in blocks):
            break
        same += len(blocks[0])
        lines += blocks[0].count(b"\n")
    last = rests[0].block(max(0, same - _LONGEST), min(same, _LONGEST))
    same -= len(last) - (last.rfind(b"\n") + 1)  # a line may have begun
    return tuple(Rest(rest.file, rest.start + same) for rest in rests), lines


Piece = bytes | Line


@dataclass(slots=True)
class Streamed:
    """What came of it."""

    compared: int = 0
    masked: int = 0
    deviation: Deviation = NO_DEVIATION
    difference: Unequal | None = None
    exhausted: bool = False
    """Whether so much is not the same to the letter that not all was looked at."""


def compare_rests(
    before: Iterator[Piece],
    again: Sequence[Iterator[Piece]],
    after: Iterator[Piece],
    standard: Standard,
    passed_over: Callable[[Line], bool],
    is_whole: bool,
) -> Streamed:
    """Hold the output of two runs against each other.

    Args:
        before: Before the change.
        again: The same of further runs before it: what varies there is not compared.
        after: After the change.
        standard: What counts as equal.
        passed_over: Whether a line may be there in one of the two only.
        is_whole: Whether both have come to their end, so that the one has to be as long.
    """
    found = Streamed()
    left = _MOST
    for one, other, *others in itertools.zip_longest(before, after, *again):
        if one == other:
            found.compared += one is not None
            continue
        if one is None or other is None:
            rest = itertools.chain([one if other is None else other], before, after)
            found.difference = _more(rest, passed_over, one is None) if is_whole else None
            return found
        left -= 1
        if not left:
            found.exhausted = True
            return found
        found.difference = _held(found, _lines(one), _lines(other), others, standard)
        if found.difference is not None:
            return found
    return found


def _more(
    rest: Iterator[Piece | None], passed_over: Callable[[Line], bool], is_new: bool
) -> Unequal | None:
    lines = (line for piece in rest if piece is not None for line in _lines(piece))
    first = next((line for line in lines if not passed_over(line)), None)
    if first is None:
        return None
    return Unequal("nothing", first.text) if is_new else Unequal(first.text, "nothing")


def _held(
    found: Streamed,
    one: list[Line],
    other: list[Line],
    others: Sequence[Piece | None],
    standard: Standard,
) -> Unequal | None:
    if len(one) != len(other):
        return Unequal(_text(one), _text(other))
    further = [_lines(piece) for piece in others if piece is not None]
    for at, (mine, its) in enumerate(zip(one, other, strict=True)):
        found.compared += 1
        masks = [varying(mine, lines[at]) if at < len(lines) else None for lines in further]
        known = [mask for mask in masks if mask is not None]
        if len(known) < len(masks):  # all of the line varies
            found.masked += 1
            continue
        mask = frozenset[int]().union(*known)
        found.masked += bool(mask)
        answer = compare_lines(mine, its, standard, mask)
        if not isinstance(answer, Equal):
            return answer
        if answer.deviation.share > found.deviation.share:
            found.deviation = answer.deviation
    return None


def _text(lines: list[Line]) -> str:
    return lines[0].text if lines else "nothing"


def _lines(piece: Piece) -> list[Line]:
    return [piece] if isinstance(piece, Line) else lines_of(piece.decode("utf-8", "replace"))
