"""The hunks of one file, and which group of fixes each of their lines belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from devicefix.engine import AppliedGroup, Change
from devicefix.proposals.blocks import Block, Pair, blocks, pairs
from devicefix.proposals.hunks import FileHunks, Hunk, Line, Row
from devicefix.proposals.intraline import changed_columns
from devicefix.proposals.ownership import Owners, owners
from devicefix.proposals.regions import differences
from devicefix.proposals.texts import Text

_CONTEXT: Final = 3


def file_hunks(path: str, change: Change, groups: Sequence[AppliedGroup]) -> FileHunks:
    """What ``groups`` together make of one file."""
    before, after = Text.of(change.before, path), Text.of(change.after, path)
    pieces = [piece for group in groups for piece in group.pieces.get(path, ())]
    found = differences(before.source.text, after.source.text, pieces)
    old_owners, new_owners = owners(groups, before, after)
    if not found.are_explained:
        new_owners = {}  # where the new lines are is not known: somebody has edited them by hand
    sides = _Sides(before, after, old_owners, new_owners)
    hunks = (
        Hunk(tuple(sides.rows(some)), sides.scope(some), sides.cell(some[0]))
        for some in sides.together(blocks(found.regions, before, after))
    )
    return FileHunks(path, tuple(hunk for hunk in hunks if not _shows_nothing(hunk)))


def _shows_nothing(hunk: Hunk) -> bool:
    """Whether only line ends are others."""
    return all(row.is_context for row in hunk.rows)


class _Sides(Struct, frozen=True):
    """Both texts, and whose their lines are."""

    before: Text
    after: Text
    old_owners: Owners
    new_owners: Owners

    def together(self, found: Iterable[Block]) -> Iterator[list[Block]]:
        """Those that are shown in one hunk: their contexts meet, and they are in one cell."""
        some: list[Block] = []
        for block in found:
            near = some and block.before.start - some[-1].before.stop <= 2 * _CONTEXT
            if some and not (near and self.cell(block) == self.cell(some[-1])):
                yield some
                some = []
            some.append(block)
        if some:
            yield some

    def cell(self, block: Block) -> int | None:
        """The cell that a block is in."""
        if block.before:
            return self.before.cell(block.before.start)
        return self.after.cell(block.after.start)

    def scope(self, some: Sequence[Block]) -> str:
        """What is around the first of ``some``, and not shown."""
        first, lines = some[0].before.start, self._lines(some[0])
        return self.before.scope(first, max(first - _CONTEXT, lines.start), lines)

    def rows(self, some: Sequence[Block]) -> Iterator[Row]:
        """All rows of a hunk."""
        lines = self._lines(some[0])
        old = max(some[0].before.start - _CONTEXT, lines.start)
        for block in some:
            yield from self._context(
                range(old, block.before.start), block.after.start - block.before.start
            )
            yield from self._changed(block)
            old = block.before.stop
        end = min(old + _CONTEXT, lines.stop)
        yield from self._context(range(old, end), some[-1].after.stop - old)

    def _lines(self, block: Block) -> range:
        """The lines of the old text that may be shown with a block."""
        return self.before.lines_of(self.cell(block))

    def _context(self, lines: range, shift: int) -> Iterator[Row]:
        for line in lines:
            yield Row(self._line(self.before, line), self._line(self.after, line + shift))

    def _changed(self, block: Block) -> Iterator[Row]:
        found = pairs(block, self.before, self.after)
        everyone = self._owners(found)
        for pair in found:
            old, new = (
                None if line is None else self._line(text, line, ranges)
                for text, line, ranges in zip(
                    (self.before, self.after),
                    pair,
                    changed_columns(pair, block, self.before, self.after),
                    strict=True,
                )
            )
            row = Row(old, new)
            yield row if row.is_context else Row(old, new, self._owners([pair]) or everyone)

    def _owners(self, found: Iterable[Pair]) -> tuple[str, ...]:
        """Those of all lines of these rows."""
        names: dict[str, None] = {}
        for old, new in found:
            names |= dict.fromkeys(self.old_owners.get(old, ()) if old is not None else ())
            names |= dict.fromkeys(self.new_owners.get(new, ()) if new is not None else ())
        return tuple(names)

    @staticmethod
    def _line(text: Text, line: int, changed: tuple[tuple[int, int], ...] = ()) -> Line:
        first = text.lines_of(text.cell(line)).start
        return Line(line - first + 1, text.shown(line), changed)
