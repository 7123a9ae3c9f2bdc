"""Which lines of a changed program have to have run, if a run is to prove the change.

A line says nothing by itself: a comment never runs, of a call over several lines Python names the
one or the other. So lines stand for their statements, and the signature of a function for its body.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from devicefix.source import Source, SourceError

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SILENT = (ast.Global, ast.Nonlocal)
"""Statements that leave nothing to run."""


@dataclass(frozen=True, slots=True)
class Demand:
    """One of these lines has to run."""

    line: int
    """The line that was changed, 1-based."""
    lines: frozenset[int]
    """Empty where no line tells whether it ran."""

    def met(self, executed: Collection[int]) -> bool:
        """Whether ``executed`` holds one of the lines."""
        return not self.lines.isdisjoint(executed)

    @property
    def complaint(self) -> str:
        """What is said where it is not met."""
        if not self.lines:
            return f"it is unknown whether its line {self.line} (after the fix) ran"
        return f"its line {self.line} (after the fix) never ran"


def demands(source: Source, lines: Iterable[int]) -> tuple[Demand, ...]:
    """What has to run of ``lines``, one for each statement; nothing of a text without a tree."""
    try:
        body = source.tree.body
    except SourceError:
        return ()
    found: dict[frozenset[int], Demand] = {}
    for line in sorted(lines):
        demand = _demand(body, line)
        if demand is not None:
            found.setdefault(demand.lines, demand)
    return tuple(found.values())


def in_file(path: str, source: Source, demand: Demand) -> tuple[str, Demand]:
    """``demand`` with the name of the file whose lines it counts.

    A cell of a notebook is one of its own, by the name that its runner gives it.
    """
    place = source.placed(demand.line)
    if place.cell is None:
        return path, demand
    lines = frozenset(source.placed(line).line for line in demand.lines)
    return f"{path}:cell {place.cell}", Demand(place.line, lines)


def _demand(body: Sequence[ast.stmt], line: int) -> Demand | None:
    way = _way(body, line)
    if not way or isinstance(way[-1], _SILENT):
        return None
    statement = way[-1]
    first, last = _extent(statement)
    if isinstance(statement, _FUNCTIONS):
        inner = _first_of(statement)
        shared = _extent(inner)[0] <= last
        return Demand(line, frozenset() if shared else _lines(inner))
    above = way[-2] if len(way) > 1 else None
    hidden = above is not None and first <= _extent(above)[1]
    return Demand(line, frozenset() if hidden or _defers(statement) else _lines(statement))


def _way(body: Sequence[ast.stmt], line: int) -> list[ast.stmt]:
    """The statements around ``line``, the innermost last."""
    for statement in body:
        if _extent(statement)[0] <= line <= (statement.end_lineno or statement.lineno):
            for block in _blocks(statement):
                inside = _way(block, line)
                if inside:
                    return [statement, *inside]
            return [] if _is_between(statement, line) else [statement]
    return []


def _is_between(statement: ast.stmt, line: int) -> bool:
    """Whether ``line`` is a comment, ``else:`` or the like: what is below it tells."""
    return any(_blocks(statement)) and line > _extent(statement)[1]


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        yield getattr(statement, field, [])
    for field in ("handlers", "cases"):
        for part in getattr(statement, field, []):
            yield part.body


def _extent(statement: ast.stmt) -> tuple[int, int]:
    """First and last line; of a compound statement, those of its header."""
    nodes = list(_header(statement))
    first = min([statement.lineno, *(node.lineno for node in nodes)])
    if not any(_blocks(statement)):
        return first, statement.end_lineno or statement.lineno
    return first, max([statement.lineno, *(node.end_lineno or node.lineno for node in nodes)])


def _header(statement: ast.stmt) -> Iterator[ast.expr | ast.arg]:
    """The expressions of a statement, without those of its blocks."""
    for _, value in ast.iter_fields(statement):
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, (ast.arguments, ast.withitem)):
                inner = (n for n in ast.walk(node) if isinstance(n, (ast.expr, ast.arg)))
                yield from inner
            elif isinstance(node, ast.expr):
                yield node
            elif isinstance(node, ast.keyword):
                yield node.value


def _first_of(function: ast.stmt) -> ast.stmt:
    """The first statement of a function that runs."""
    body: list[ast.stmt] = getattr(function, "body", [])
    running = (s for s in body if not isinstance(s, _SILENT) and not _is_text(s))
    return next(running, body[0])


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _defers(statement: ast.stmt) -> bool:
    """Whether a part of it runs at another time, or never."""
    return any(isinstance(n, ast.Lambda) for node in _header(statement) for n in ast.walk(node))


def _lines(statement: ast.stmt) -> frozenset[int]:
    first, last = _extent(statement)
    return frozenset(range(first, last + 1))
