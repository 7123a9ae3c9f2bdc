"""Places in a text as the protocol counts them: lines from 0, columns in units of an encoding.

microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/#position

`PositionCodec` of pygls counts character by character: 36 ms a position on a line of 100,000.
"""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types

from devicefix.findings import Span
from devicefix.source import Source


@dataclass(frozen=True, slots=True)
class Positions:
    """From the offsets of a text to the positions of an editor, and back."""

    source: Source
    encoding: str
    """``utf-8``, ``utf-16`` or ``utf-32``: what columns count units of."""

    def position(self, offset: int) -> types.Position:
        """Where ``offset`` is."""
        line, _ = self.source.position(offset)
        before = self.source.text[self.source.line_start(offset) : offset]
        return types.Position(line - 1, units(before, self.encoding))

    def range(self, span: Span) -> types.Range:
        """Where ``span`` is."""
        return types.Range(self.position(span.start), self.position(span.end))

    def offset(self, position: types.Position) -> int:
        """Which offset an editor means; the end of the line for a column behind it."""
        last, _ = self.source.position(len(self.source.text))
        if position.line >= last:
            return len(self.source.text)
        start = self.source.offset(position.line + 1, 0)
        end = self.source.line_end(start)
        return start + characters(self.source.text[start:end], position.character, self.encoding)


def units(text: str, encoding: str) -> int:
    """How many units of ``encoding`` a text has."""
    if encoding == types.PositionEncodingKind.Utf32 or text.isascii():
        return len(text)
    if encoding == types.PositionEncodingKind.Utf8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def characters(text: str, count: int, encoding: str) -> int:
    """How many characters the first ``count`` units of a text are; one that is begun counts."""
    if text.isascii():
        return min(count, len(text))
    seen = 0
    for number, character in enumerate(text):
        if seen >= count:
            return number
        seen += units(character, encoding)
    return len(text)
