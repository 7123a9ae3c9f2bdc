"""A call gives way to one of its arguments, a statement that does nothing goes."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from typing import Final

from devicefix.edits.blocks import place_of
from devicefix.edits.errors import EditError
from devicefix.edits.expressions import binds_tightly, fits_unbracketed
from devicefix.edits.gaps import inner_span, outer_span, require_editable
from devicefix.edits.guards import string_lines
from devicefix.edits.statements import remove_statement
from devicefix.findings import Edit, Span
from devicefix.source import Source

_ELSE: Final = re.compile(r"[ \t]*else[ \t]*:[ \t]*")
"""A block on the line of its header that a compound statement can do without."""


def unwrap(source: Source, call: ast.Call, expr: ast.expr, suffix: str = "") -> tuple[Edit, ...]:
    """``Variable(x, …)`` -> ``x``, with ``suffix`` (``.detach()``) behind it.

    ``x`` gets parentheses where precedence or a line break needs them; its further lines move with
    it. Raises ``EditError`` where a comment would be lost.
    """
    require_editable(source, call, suffix)
    if isinstance(expr, ast.Starred | ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Await):
        raise EditError("the argument cannot be used on its own")
    span, whole = inner_span(source, expr), source.span(call)
    tight = binds_tightly(expr) if suffix else fits_unbracketed(source, call, expr)
    if not tight or not _is_one_line(source, span):
        span = outer_span(source, expr)
        bracketed = source.text.startswith("(", span.start) and span != inner_span(source, expr)
        opening, closing = ("", "") if bracketed else ("(", ")")
    else:
        opening = closing = ""
    if "#" in source.text[whole.start : span.start] + source.text[span.end : whole.end]:
        raise EditError("a comment would be lost")
    return (
        Edit(whole.start, span.start, 0, opening),
        *_shifted(source, call, span, len(opening)),
        Edit(span.end, whole.end, 0, f"{closing}{suffix}"),
    )


def _is_one_line(source: Source, span: Span) -> bool:
    """Whether the text of an expression is one logical line without brackets around it."""
    try:
        ast.parse(source.text[span.start : span.end].strip(), mode="eval")
    except SyntaxError:
        return False
    return True


def _shifted(source: Source, call: ast.Call, span: Span, kept: int) -> Iterator[Edit]:
    """Lines that are aligned with the argument, or what is in it, move left as it does."""
    start = source.span(call).start
    if source.line_start(start) != source.line_start(span.start):
        return
    width = span.start - start - kept
    column = span.start - source.line_start(span.start)
    frozen = string_lines(source, statement_of(source, call))
    at = source.next_line(span.start)
    while at < span.end:
        text = source.text[at : source.line_end(at)]
        if at not in frozen and len(text) - len(text.lstrip(" ")) >= column and text.strip():
            yield Edit(at, at + width, 0, "")
        at = source.next_line(at)


def statement_of(source: Source, tree: ast.AST) -> ast.stmt:
    """The statement that an expression is part of."""
    found: ast.AST | None = tree
    while found is not None and not isinstance(found, ast.stmt):
        found = source.parent(found)
    if found is None:
        raise EditError("not part of a statement")
    return found


def without_statement(source: Source, stmt: ast.stmt) -> Edit:
    """Take out a statement that does nothing; see `emptied` for a block that holds nothing else.

    A comment on its line stays.
    """
    place, span = place_of(source, stmt), source.span(stmt)
    alone = place.leads_line and place.ends_line
    only, commented = len(place.block) == 1, "#" in source.text[span.end : place.line_end]
    if only and alone and not (place.inline or commented):
        return Edit(source.line_start(span.start), place.line_end, 0, "")
    if only:
        line = source.line_start(span.start)
        if not commented and _ELSE.fullmatch(source.text, line, span.start):
            return Edit(line, place.line_end, 0, "")
        return Edit(span.start, span.end, 0, "pass")
    if alone and commented:
        comment = source.text.index("#", span.end)
        return Edit(span.start, comment, 0, "")
    return remove_statement(source, stmt)


def is_idle(test: ast.expr) -> bool:
    """Whether nothing happens but that names and attributes are read and compared."""
    reads = (ast.Name, ast.Attribute, ast.Constant, ast.expr_context)
    asks = (ast.UnaryOp, ast.Not, ast.BoolOp, ast.boolop, ast.Compare, ast.cmpop)
    return all(isinstance(n, (*reads, *asks)) for n in ast.walk(test))


def without_pairs(source: Source, stmt: ast.Assign, gone: list[int]) -> tuple[Edit, ...]:
    """``a, b = x, y`` -> ``b = y``: some targets go with their values.

    Raises ``EditError`` where the tuples are not written one beside the other.
    """
    edits = []
    for tree in (stmt.targets[0], stmt.value):
        if not isinstance(tree, ast.Tuple | ast.List):
            raise EditError("not a tuple")
        spans = [outer_span(source, e) for e in tree.elts]
        kept = [i for i in range(len(spans)) if i not in gone]
        if len(kept) == 1 and isinstance(tree, ast.List):
            raise EditError("a list of one element is not a value")
        edits += list(_without_elements(source, spans, kept))
    return tuple(edits)


def _without_elements(source: Source, spans: list[Span], kept: list[int]) -> Iterator[Edit]:
    first, last = kept[0], kept[-1]
    ranges = [(spans[0].start, spans[first].start), (spans[last].end, spans[-1].end)]
    ranges += [
        (spans[one].end, spans[other - 1].end)
        for one, other in itertools.pairwise(kept)
        if other > one + 1
    ]
    for start, end in ranges:
        if "#" in source.text[start:end]:
            raise EditError("a comment would be lost")
        if start < end:
            yield Edit(start, end, 0, "")


def read_item(source: Source, tree: ast.Subscript, base: ast.expr) -> tuple[Edit, ...]:
    """``x.data[0]`` -> ``x.item()``; raises ``EditError`` where a comment would be lost."""
    require_editable(source, tree, ".item()")
    span = outer_span(source, base)
    end = source.span(tree).end
    if "#" in source.text[span.end : end]:
        raise EditError("a comment would be lost")
    if not binds_tightly(base) and span == inner_span(source, base):
        raise EditError("the tensor expression has no parentheses")
    return (Edit(span.end, end, 0, ".item()"),)


def negate(source: Source, tree: ast.BinOp) -> tuple[Edit, ...]:
    """``1 - x`` -> ``~x``; raises ``EditError`` where a comment would be lost."""
    require_editable(source, tree, "~()")
    span, inner = outer_span(source, tree.right), inner_span(source, tree.right)
    start = source.span(tree).start
    if "#" in source.text[start : span.start]:
        raise EditError("a comment would be lost")
    if span != inner or binds_tightly(tree.right):
        return (Edit(start, span.start, 0, "~"),)
    return (Edit(start, span.start, 0, "~("), Edit(span.end, span.end, 0, ")"))
