"""The smallest edits that make one text of another, token by token."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final

from devicefix.findings import Edit
from devicefix.source.lexing import tokens

_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_WORD: Final = re.compile(r"\w+")


def difference(old: str, new: str) -> tuple[Edit, ...]:
    r"""The edits of ``old`` that give ``new``; lines of both end in ``\n``.

    What did not change keeps its place, so that whoever looks at ``new`` can say where in ``old``
    it was.
    """
    before, after = _LINE.findall(old), _LINE.findall(new)
    edits: list[Edit] = []
    for start, end, pieces in _changes(before, after):
        for at, one, other in _alike(_LINE.findall(old[start:end]), pieces):
            for edit in _within(one, other, start + at):
                if edits and edits[-1].end == edit.start:  # two of the same would count as one
                    last = edits.pop()
                    edit = Edit(last.start, edit.end, 0, last.text + edit.text)
                edits.append(edit)
    return tuple(edits)


def _alike(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Where lines that changed begin, they, and what became of them.

    Line by line where their words say which is which: tokens repeat so often that to compare those
    of many lines at once takes a time that grows with their third power.
    """
    if len(before) == len(after):
        matches = [(0, 0, len(before))]
    else:
        matcher = SequenceMatcher(None, _worded(before), _worded(after), autojunk=False)
        matches = [(match.a, match.b, match.size) for match in matcher.get_matching_blocks()]
    at = i = j = 0
    for start, there, size in [*matches, (len(before), len(after), 0)]:
        rest = "".join(before[i:start]), "".join(after[j:there])
        pairs = zip(before[start : start + size], after[there : there + size], strict=True)
        for old, new in (rest, *pairs):
            if old != new:
                yield at, old, new
            at += len(old)
        i, j = start + size, there + size


def _worded(lines: Sequence[str]) -> list[str]:
    return [" ".join(_WORD.findall(line)) for line in lines]


def _within(old: str, new: str, at: int) -> Iterator[Edit]:
    before = [token.text for token in tokens(old)]
    after = [token.text for token in tokens(new)]
    for start, end, pieces in _changes(before, after):
        yield Edit(at + start, at + end, 0, "".join(pieces))


def _changes(
    before: Sequence[str], after: Sequence[str]
) -> Iterator[tuple[int, int, Sequence[str]]]:
    """Start and end, in characters, of what is no longer there, and what stands in its place."""
    starts = [0]
    for piece in before:
        starts.append(starts[-1] + len(piece))
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            yield starts[i1], starts[i2], after[j1:j2]


class Offsets:
    """Where the places of one text are in another that came of it by edits, and back."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._edits = edits

    def before(self, offset: int) -> int:
        """The place in the old text; what is new is where it was put."""
        shift = 0
        for edit in self._edits:
            if edit.start + shift > offset:
                break
            grown = len(edit.text) - (edit.end - edit.start)
            if offset < edit.start + shift + len(edit.text):
                return min(offset - shift, edit.end)
            shift += grown
        return offset - shift
