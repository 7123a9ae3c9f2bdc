"""Statements and values put below a condition."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from devicefix.edits import ranks
from devicefix.edits.arguments import conjoin
from devicefix.edits.blocks import Place, is_elif, place_of
from devicefix.edits.errors import EditError
from devicefix.edits.expressions import replace_expression
from devicefix.edits.gaps import continues
from devicefix.edits.guards import string_lines
from devicefix.findings import Edit
from devicefix.source import Source


def put_below(
    source: Source, statements: Sequence[ast.stmt], condition: str
) -> tuple[tuple[Edit, ...], ...]:
    """Put statements that follow each other below one ``if condition:``; the edits of each.

    A condition that already holds nothing but one of them gets stricter instead. Raises
    ``EditError`` where a statement stands on the line of the header around it.
    """
    first = statements[0]
    parent = source.parent(first)
    alone = isinstance(parent, ast.If) and parent.body == [first] and not parent.orelse
    if alone and isinstance(parent, ast.If) and not is_elif(source, parent):
        return ((conjoin(source, parent.test, condition),),)
    return put_inside(source, statements, f"if {condition}:")


def put_inside(
    source: Source, statements: Sequence[ast.stmt], head: str
) -> tuple[tuple[Edit, ...], ...]:
    """Put statements that follow each other below ``head`` (``with a:``); the edits of each.

    A line that they share with others is split. Raises ``EditError`` where a statement stands on
    the line of the header around it.
    """
    first = statements[0]
    places = [place_of(source, s) for s in statements]
    if places[0].inline:
        raise EditError("the statement is on the same line as a header")
    start = source.line_start(source.statement_span(first).start)
    if places[0].leads_line and continues(source, start):
        raise EditError("the statement follows a line that has only a backslash")
    indent, unit = f"{source.newline}{places[0].indent}", _unit(source, first)
    starts = [start, *(place.line_end for place in places)]
    made = [
        [*_split_before(place, indent + unit), *_indented(source, place, begin, unit)]
        for place, begin in zip(places, starts, strict=False)
    ]
    if places[0].follows:
        made[0][0] = _split_before(places[0], f"{indent}{head}{indent}{unit}")[0]
    else:
        header = f"{places[0].indent}{head}{source.newline}"
        made[0].insert(0, Edit(start, start, ranks.HEADER, header))
    if not places[-1].ends_line:
        gap = places[-1].gap_after
        made[-1].append(Edit(gap.start, gap.end, 0, indent))
    return tuple(map(tuple, made))


def _split_before(place: Place, text: str) -> list[Edit]:
    """``text`` in the place of the ``; `` before a statement; empty where it begins its line."""
    gap = place.gap_before if place.follows else None
    return [Edit(gap.start, gap.end, 0, text)] if gap is not None else []


def _indented(source: Source, place: Place, begin: int, unit: str) -> Iterator[Edit]:
    """Moves the lines of a statement, from ``begin`` on, to the right."""
    stmt = place.block[place.index]
    if place.follows:
        begin = source.next_line(source.statement_span(stmt).start)
    for at in _lines(source, stmt, begin):
        yield Edit(at, at, ranks.INDENT, unit)


def runs(source: Source, statements: Iterable[ast.stmt]) -> list[list[ast.stmt]]:
    """The statements, those together that follow each other in one block."""
    found: list[list[ast.stmt]] = []
    for statement in statements:
        place = place_of(source, statement)
        before = place.block[place.index - 1] if place.index and not place.inline else None
        if found and found[-1][-1] is before:
            found[-1].append(statement)
        else:
            found.append([statement])
    return found


def only_if(source: Source, expr: ast.expr, condition: str, otherwise: str) -> Edit:
    """``expr`` -> ``expr if condition else otherwise``."""
    old = source.segment(expr)
    if isinstance(expr, (ast.IfExp, ast.Lambda, ast.NamedExpr)):
        old = f"({old})"
    return replace_expression(source, expr, f"{old} if {condition} else {otherwise}")


def _lines(source: Source, stmt: ast.stmt, begin: int) -> Iterator[int]:
    """The starts of the lines from ``begin`` to the end of a statement, but inside strings."""
    end = source.statement_span(stmt).end
    frozen = string_lines(source, stmt)
    at = begin
    while at < end:
        if at not in frozen and source.text[at : source.line_end(at)].strip():
            yield at
        following = source.next_line(at)
        if following <= at:
            break
        at = following


def _unit(source: Source, stmt: ast.stmt) -> str:
    """One step of indentation: that of the block around ``stmt``, or the usual one of the file."""
    around = source.parent(stmt)
    if isinstance(around, ast.stmt) and (step := _step(source, around, stmt)):
        return step
    blocks = (n for n in source.nodes if isinstance(n, ast.stmt) and getattr(n, "body", None))
    steps = Counter(step for n in blocks if (step := _step(source, n, n.body[0])))  # type: ignore[attr-defined]
    return steps.most_common(1)[0][0] if steps else "    "


def _step(source: Source, outer: ast.stmt, inner: ast.stmt) -> str:
    """By how much ``inner`` is further in; empty where it stands on the line of the header."""
    before, after = source.indent_of(outer), source.indent_of(inner)
    return after[len(before) :] if after.startswith(before) else ""
