"""A source file: its text, its tree, positions in both, and splicing edits into it."""

from __future__ import annotations

import ast
import io
import tokenize
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from devicefix.findings import Edit, Span
from devicefix.source.decoding import LINE_END, decode, dominant_line_end, encode
from devicefix.source.errors import SourceError
from devicefix.source.parsing import parse
from devicefix.source.suppressions import Suppressions, read_suppressions


class Source:
    """One file as it was read; nothing of it changes."""

    def __init__(self, path: str, text: str, encoding: str = "utf-8") -> None:
        self.path = path
        self.text = text
        self.encoding = encoding
        self.newline = dominant_line_end(text)

    @classmethod
    def read(cls, path: Path, display: str | None = None) -> Source:
        """Read ``path``, shown to people as ``display``.

        Raises:
            SourceError: it cannot be read or decoded.
        """
        shown = display if display is not None else str(path)
        try:
            data = path.read_bytes()
        except OSError as error:
            raise SourceError(shown, None, error.strerror or str(error)) from None
        return cls.from_bytes(data, shown)

    @classmethod
    def from_bytes(cls, data: bytes, path: str) -> Source:
        """Decode ``data`` by Python's rules.

        Raises:
            SourceError: it is no text that Python accepts.
        """
        text, encoding = decode(data, path)
        return cls(path, text, encoding)

    @classmethod
    def from_text(cls, text: str, path: str = "<text>") -> Source:
        """Text that was never a file."""
        return cls(path, text)

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree.

        Raises:
            SourceError: it does not parse.
        """
        return parse(self.text, self.path)

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in LINE_END.finditer(self.text))]

    def offset(self, line: int, column: int) -> int:
        """The index into ``text`` of an ``ast`` position: 1-based line, UTF-8 byte column."""
        start = self._starts[line - 1]
        end = self._starts[line] if line < len(self._starts) else len(self.text)
        content = self.text[start:end]
        if content.isascii():
            return start + column
        return start + len(content.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore"))

    def span(self, node: ast.AST) -> Span:
        """The range of ``node``: a statement, an expression, an argument."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        last, end = getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None)
        start = self.offset(line, column)
        return Span(start, self.offset(last, end) if last is not None and end is not None else start)

    def segment(self, node: ast.AST) -> str:
        """``node`` as it is written."""
        span = self.span(node)
        return self.text[span.start : span.end]

    def position(self, offset: int) -> tuple[int, int]:
        """The 1-based line and column (in characters) of an index into ``text``."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def line_start(self, offset: int) -> int:
        """The index at which the line of ``offset`` starts."""
        return self._starts[bisect_right(self._starts, offset) - 1]

    def line_end(self, offset: int) -> int:
        """The index just behind the line of ``offset``, its line end included."""
        line = bisect_right(self._starts, offset)
        return self._starts[line] if line < len(self._starts) else len(self.text)

    def indent_of(self, statement: ast.stmt) -> str:
        """The white space at the start of the line of ``statement``."""
        start = self.span(statement).start
        line = self.text[self.line_start(start) : start]
        return line[: len(line) - len(line.lstrip())]

    def encode(self, text: str) -> bytes:
        """``text`` in the codec of the file, with its BOM.

        Raises:
            SourceError: the codec lacks a character.
        """
        return encode(text, self.encoding, self.path)

    def apply(self, edits: Iterable[Edit]) -> str:
        """The text with ``edits`` spliced in; identical ones count once.

        Raises:
            ValueError: two of them overlap.
        """
        unique = dict.fromkeys(edits)
        ordered = sorted(unique, key=lambda e: (e.start, e.start != e.end, e.rank))
        parts: list[str] = []
        done = 0
        for edit in ordered:
            if edit.start < done:
                raise ValueError(f"edits overlap at {edit.start}")
            parts += [self.text[done : edit.start], edit.text]
            done = edit.end
        return "".join([*parts, self.text[done:]])

    @cached_property
    def suppressions(self) -> Suppressions:
        """What the comments of the file suppress."""
        if "devicefix" not in self.text:
            return read_suppressions(())
        return read_suppressions(self._comments())

    def _comments(self) -> Iterator[tuple[int, str]]:
        lines = iter(LINE_END.sub("\n", self.text).splitlines(keepends=True))
        try:
            for token in tokenize.generate_tokens(io.StringIO("".join(lines)).readline):
                if token.type == tokenize.COMMENT:
                    yield token.start[0], token.string
        except (tokenize.TokenError, SyntaxError):
            return
