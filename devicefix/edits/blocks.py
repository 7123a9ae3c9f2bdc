"""Where a statement stands: its block, its logical line, the line of its header."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from devicefix.edits.gaps import continues, skip_line_forward
from devicefix.findings import Span
from devicefix.source import Source

_BODIES: Final = ("body", "orelse", "finalbody", "handlers", "cases")
_NOT_HEADER: Final = frozenset({*_BODIES, "decorator_list"})
_COLON: Final = re.compile(r"(?:[^#:]|#[^\r\n]*)*")
_COMPOUND: Final = (
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.With,
    ast.AsyncWith,
    ast.Try,
    ast.Match,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
)


class Place(Struct, frozen=True):
    """A statement among the statements of its block."""

    source: Source
    block: list[ast.stmt]
    index: int

    @property
    def inline(self) -> bool:
        """Whether the block stands on the line of its header: ``if x: a; b``."""
        return is_inline(self.source, self.block)

    @property
    def leads_line(self) -> bool:
        """Whether nothing but white space stands before the statement on its logical line."""
        return not self.inline and not self.follows

    @property
    def follows(self) -> bool:
        """Whether another statement of the block stands before it on its logical line."""
        return self.index > 0 and self._joined(self.index - 1)

    @property
    def ends_line(self) -> bool:
        """Whether no other statement follows on the logical line."""
        return not self._joined(self.index)

    @property
    def indent(self) -> str:
        """The indentation of the block: that of the first statement on the logical line."""
        first = self.index
        while first and self._joined(first - 1):
            first -= 1
        return self.source.indent_of(self.block[first])

    @property
    def line_end(self) -> int:
        """The offset at which the line after the statement's logical line begins.

        The length of the text where the file ends there.
        """
        last = self.index
        while self._joined(last):
            last += 1
        text = self.source.text
        at = skip_line_forward(text, self.source.span(self.block[last]).end)
        if text.startswith(";", at):
            at = skip_line_forward(text, at + 1)
        return self.source.next_line(at)

    @property
    def gap_before(self) -> Span:
        """What stands between the statement before, on the same line, and this one: ``; ``."""
        return self._gap(self.index - 1)

    @property
    def gap_after(self) -> Span:
        """What stands between this statement and the next one on the same line: ``; ``."""
        return self._gap(self.index)

    def _gap(self, index: int) -> Span:
        first, second = self.block[index : index + 2]
        return Span(self.source.span(first).end, self.source.statement_span(second).start)

    def _joined(self, index: int) -> bool:
        """Whether the statement after ``index`` shares a logical line with it."""
        if index + 1 >= len(self.block):
            return False
        text = self.source.text
        at = skip_line_forward(text, self.source.span(self.block[index]).end)
        if not text.startswith(";", at):
            return False
        after = self.source.statement_span(self.block[index + 1]).start
        return skip_line_forward(text, at + 1) == after


def place_of(source: Source, stmt: ast.stmt) -> Place:
    """Find a statement in the tree; raises ``ValueError`` where it is not of this source."""
    parent = source.parent(stmt)
    for name in _BODIES:
        block = getattr(parent, name, [])
        for index, other in enumerate(block):
            if other is stmt:
                return Place(source, block, index)
    raise ValueError(f"the {type(stmt).__name__} is not part of {source.path}")


def is_inline(source: Source, block: list[ast.stmt]) -> bool:
    """Whether a block starts on the logical line of its header."""
    at = source.statement_span(block[0]).start
    while True:
        line = source.line_start(at)
        if source.text[line:at].strip(" \t\f\\"):
            return True
        if not continues(source, line):
            return False
        at = line - 1 - source.text.endswith("\r\n", 0, line)


def is_elif(source: Source, stmt: ast.stmt) -> bool:
    """Whether a statement is the ``elif`` of another one."""
    return isinstance(stmt, ast.If) and source.text.startswith("elif", source.span(stmt).start)


def is_compound(stmt: ast.stmt) -> bool:
    """Whether a statement may have a block of its own (``except*`` and all)."""
    return isinstance(stmt, _COMPOUND) or any(hasattr(stmt, name) for name in _BODIES)


def header_colon(source: Source, node: ast.stmt) -> int:
    """The offset of the colon that ends a compound statement's header."""
    start = source.span(node).start
    ends = (span.end for span in _header_spans(source, node))
    match = _COLON.match(source.text, max(ends, default=start))
    return match.end() if match else start


def _header_spans(source: Source, node: ast.AST) -> Iterator[Span]:
    for name, value in ast.iter_fields(node):
        if name in _NOT_HEADER:
            continue
        for child in value if isinstance(value, list) else [value]:
            if hasattr(child, "lineno"):
                yield source.span(child)
            elif isinstance(child, ast.AST):
                yield from _header_spans(source, child)
