"""One side of a diff: the lines of a file as people know them, those of a notebook by cell."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import Final

from msgspec import Struct

from devicefix.findings import Span
from devicefix.source import Source
from devicefix.source.decoding import LINE_END

_SCOPE: Final = re.compile(r"([ \t]*)((?:class|def|async[ \t]+def)[ \t].*)")


class Text(Struct, frozen=True, dict=True):
    """The decoded text of a file; its lines are numbered from 0."""

    source: Source

    @classmethod
    def of(cls, data: bytes, path: str) -> Text:
        """What a file holds."""
        return cls(Source.from_bytes(data, path))

    @cached_property
    def raw(self) -> list[str]:
        """The lines without their ends."""
        lines = re.split(LINE_END, self.source.text)
        return lines if lines[-1] else lines[:-1]

    @cached_property
    def starts(self) -> list[int]:
        """Where each begins, and where the text ends."""
        text = self.source.text
        starts = [
            0,
            *(end for match in LINE_END.finditer(text) if (end := match.end()) < len(text)),
        ]
        return [*starts[: len(self.raw)], len(text)]

    def line_at(self, offset: int) -> int:
        """The line that an offset is on; behind the last one at the end of a text that ends one."""
        if offset == len(self.source.text) and self._ends_a_line:
            return len(self.raw)
        return max(bisect_right(self.starts, offset, hi=len(self.raw)) - 1, 0)

    def shown(self, line: int) -> str:
        """A line as its author wrote it."""
        return self.source.shown_line(self.raw[line])

    def columns(self, line: int, span: Span) -> tuple[int, int]:
        """The part of ``span`` that is on a line, in characters of the line."""
        start, length = self.starts[line], len(self.raw[line])
        return max(span.start - start, 0), min(span.end - start, length)

    # -- places ------------------------------------------------------------------------------------

    @cached_property
    def _cells(self) -> list[tuple[int, range]]:
        """Of a notebook, with their lines from 0."""
        if self.source.notebook is None:
            return []
        cells = self.source.notebook.cell_lines()
        return [(number, range(lines.start - 1, lines.stop - 1)) for number, lines in cells]

    def cell(self, line: int) -> int | None:
        """The number of the notebook's cell that a line is in."""
        if not self._cells:
            return None
        return self._cells[max(bisect_right(self._cell_starts, line) - 1, 0)][0]

    def lines_of(self, cell: int | None) -> range:
        """The lines of a cell, or of a file that has none."""
        return self._ranges.get(cell, range(len(self.raw)))

    @cached_property
    def _cell_starts(self) -> list[int]:
        return [lines.start for _, lines in self._cells]

    @cached_property
    def _ranges(self) -> dict[int | None, range]:
        return dict(self._cells)

    @cached_property
    def _scopes(self) -> list[tuple[int, int, str, int]]:
        """Each ``def`` and ``class``: line, indentation, text, and which one it stands in."""
        found: list[tuple[int, int, str, int]] = []
        for line, text in enumerate(self.raw):
            match = _SCOPE.match(text)
            if match:
                indent = len(match[1].expandtabs())
                outer = _outer(found, len(found) - 1, indent)
                found.append((line, indent, match[2].rstrip(), outer))
        return found

    def scope(self, line: int, first: int, lines: range) -> str:
        """The innermost ``def`` or ``class`` of ``lines`` around ``line`` that is above ``first``.

        That of the nearest line above where ``line`` is blank, or the end.
        """
        while line >= lines.start and (line >= len(self.raw) or not self.raw[line].strip()):
            line -= 1
        if line < lines.start:
            return ""
        text = self.raw[line].expandtabs()
        begun = bisect_right(self._scope_lines, line) - 1
        at = _outer(self._scopes, begun, len(text) - len(text.lstrip()))
        while at >= 0 and self._scopes[at][0] >= first:
            at = self._scopes[at][3]
        return self._scopes[at][2] if at >= 0 and self._scopes[at][0] in lines else ""

    @cached_property
    def _scope_lines(self) -> list[int]:
        return [line for line, *_ in self._scopes]

    @cached_property
    def _ends_a_line(self) -> bool:
        return not self.source.text or self.source.text[-1] in "\r\n"


def _outer(scopes: list[tuple[int, int, str, int]], at: int, indent: int) -> int:
    """The nearest of ``scopes``, from number ``at`` up, that is indented less than ``indent``."""
    while at >= 0 and scopes[at][1] >= indent:
        at = scopes[at][3]
    return at
