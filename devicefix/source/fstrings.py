"""Where the expressions inside f-strings really are.

Before Python 3.12 (PEP 701) ``ast`` gives positions inside f-strings that are wrong for repeated,
multi-line and concatenated pieces (bpo-35212, bpo-29051), so they are found again by scanning the
literal. Whatever the Python, a place is trusted only if its text parses to the very expression.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct, field

from devicefix.findings import Span

_PIECE: Final = re.compile(r"(?P<prefix>[a-zA-Z]{0,2})(?P<quote>\"\"\"|'''|\"|')")
_BETWEEN: Final = re.compile(r"(?:[\s\\]|#[^\r\n]*)*")
_QUOTE: Final = re.compile(r"\"\"\"|'''|\"|'")
_SELF_DOCUMENTING: Final = re.compile(r"[\s)]*=")
_OPENING: Final = "([{"
_CLOSING: Final = ")]}"


class Embedded(Struct, frozen=True):
    """The nodes inside f-strings, by ``id``."""

    outer: Mapping[int, ast.JoinedStr]
    """The outermost f-string around a node."""
    spans: Mapping[int, Span]
    """Where a node is, if that could be established."""
    fixed: frozenset[int]
    """Nodes that must stay as they are, such as those whose source is printed: ``f"{x=}"``."""


class _Collector(Struct):
    outer: dict[int, ast.JoinedStr] = field(default_factory=dict)
    spans: dict[int, Span] = field(default_factory=dict)
    fixed: set[int] = field(default_factory=set)


class _Scanner(Struct, frozen=True):
    """Finds the replacement fields of one literal; ``text`` is that of the whole file."""

    text: str

    def fields(self, span: Span) -> Iterator[Span]:
        """The expressions of a (possibly concatenated) f-string, a field before its format spec."""
        at = span.start
        while at < span.end:
            piece = _PIECE.match(self.text, at)
            if piece is None:
                return
            prefix, quote = piece["prefix"].lower(), piece["quote"]
            end = self._closing_quote(piece.end(), quote)
            if "f" in prefix:
                yield from self._literal(Span(piece.end(), end), "r" in prefix)
            between = _BETWEEN.match(self.text, end + len(quote))
            at = between.end() if between else span.end

    def _closing_quote(self, at: int, quote: str) -> int:
        while not self.text.startswith(quote, at):
            at += 2 if self.text[at] == "\\" else 1
        return at

    def _literal(self, span: Span, raw: bool) -> Iterator[Span]:
        at = span.start
        while at < span.end:
            two = self.text[at : at + 2]
            if two in ("{{", "}}"):
                at += 2
            elif two[0] == "\\" and not raw:
                at = self._escape(at)
            elif two[0] == "{":
                at = yield from self._field(at + 1)
            else:
                at += 1

    def _escape(self, at: int) -> int:
        """Skip a backslash and what it governs; braces stay braces, except in ``\\N{...}``."""
        if self.text.startswith("N{", at + 1):
            return self.text.index("}", at) + 1
        return at + 1 if self.text[at + 1] in "{}" else at + 2

    def _field(self, start: int) -> Generator[Span, None, int]:
        """Give the expression from ``start`` and those of its spec; the value is where it ends."""
        at = self._expression_end(start)
        yield Span(start, at)
        while self.text[at] not in ":}":
            at += 1
        if self.text[at] == ":":
            at += 1
            while self.text[at] != "}":
                if self.text[at] == "{":
                    at = yield from self._field(at + 1)
                else:
                    at += 1
        return at + 1

    def _expression_end(self, at: int) -> int:
        depth = 0
        while True:
            character = self.text[at]
            quote = _QUOTE.match(self.text, at)
            if quote:
                at = self._closing_quote(quote.end(), quote[0]) + len(quote[0])
                continue
            if depth == 0 and self.text[at : at + 2] in ("==", "!=", "<=", ">="):
                at += 2
                continue
            if depth == 0 and character in "}:!=":
                return at
            depth += (character in _OPENING) - (character in _CLOSING)
            at += 1


Spanner = Callable[[ast.AST], Span]
"""Where a node is by its own account."""

Nested = tuple[ast.expr, Spanner, Callable[[ast.AST], bool]]
"""An expression parsed alone, where its nodes are, and which of them may be rewritten."""


def embedded(
    literals: Iterable[ast.JoinedStr],
    text: str,
    native: Spanner,
    nested: Callable[[str], Nested],
) -> Embedded:
    """Place every node inside the f-strings of a text; those around others come first.

    ``native`` reads a node's own position; ``nested`` parses one expression (given in parentheses,
    whose first character is offset 0).
    """
    found = _Collector()
    for literal in literals:
        if id(literal) not in found.outer:
            _place(literal, text, native, nested, found)
    return Embedded(found.outer, found.spans, frozenset(found.fixed))


def _place(
    literal: ast.JoinedStr,
    text: str,
    native: Spanner,
    nested: Callable[[str], Nested],
    found: _Collector,
) -> None:
    for node in ast.walk(literal):
        if node is not literal:
            found.outer[id(node)] = literal
    values = list(_field_values(literal))
    for value, span in zip(values, _field_spans(literal, values, text, native), strict=True):
        if span is None:
            continue
        try:
            copy, spanner, is_editable = nested(f"({text[span.start : span.end]})")
        except (SyntaxError, ValueError, RecursionError):
            continue
        if ast.dump(copy) != ast.dump(value):
            continue
        for node, twin in zip(ast.walk(value), ast.walk(copy), strict=True):
            if isinstance(node, ast.expr | ast.keyword | ast.arg):
                inner = spanner(twin)
                # A tuple that stands bare in the field took the added parentheses for its own.
                start = max(span.start, span.start - 1 + inner.start)
                end = min(span.end, span.start - 1 + inner.end)
                found.spans[id(node)] = Span(start, end)
                if not is_editable(twin):
                    found.fixed.add(id(node))
        if _SELF_DOCUMENTING.match(text, span.end):
            found.fixed.update(id(node) for node in ast.walk(value))


def _field_values(literal: ast.JoinedStr) -> Iterator[ast.expr]:
    for piece in literal.values:
        if isinstance(piece, ast.FormattedValue):
            yield piece.value
            if isinstance(piece.format_spec, ast.JoinedStr):
                yield from _field_values(piece.format_spec)


def _field_spans(
    literal: ast.JoinedStr, values: list[ast.expr], text: str, native: Spanner
) -> list[Span | None]:
    if sys.version_info >= (3, 12):
        return [native(value) for value in values]
    try:
        spans = list(_Scanner(text).fields(native(literal)))
    except (IndexError, ValueError):
        return [None] * len(values)
    return list(spans) if len(spans) == len(values) else [None] * len(values)
