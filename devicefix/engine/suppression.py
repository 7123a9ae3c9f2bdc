"""Which findings the user has taken out with a comment."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from devicefix.findings import Finding
from devicefix.source import Source


def suppressed(findings: Iterable[Finding], source: Source) -> frozenset[Finding]:
    """The findings on a statement that carries a ``# devicefix: ignore`` for their code."""
    if not source.suppressions.by_line:
        return frozenset()
    return frozenset(finding for finding in findings if _covered(finding, source))


def _covered(finding: Finding, source: Source) -> bool:
    first, last = statement_lines(source.tree.body, finding.line)
    return source.suppressions.covers(finding.code, first, last)


def statement_lines(body: Sequence[ast.stmt], line: int) -> tuple[int, int]:
    """First and last line of the innermost statement at ``line``; of a compound one, its header."""
    for statement in body:
        if _first_line(statement) <= line <= (statement.end_lineno or statement.lineno):
            blocks = [block for block in _blocks(statement) if block]
            for block in blocks:
                if _first_line(block[0]) <= line <= (block[-1].end_lineno or block[-1].lineno):
                    return statement_lines(block, line)
            return _header(statement, blocks)
    return line, line


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(d.lineno for d in decorators)])


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        yield getattr(statement, field, [])
    for field in ("handlers", "cases"):
        for part in getattr(statement, field, []):
            yield part.body


def _header(statement: ast.stmt, blocks: Sequence[list[ast.stmt]]) -> tuple[int, int]:
    last = statement.end_lineno or statement.lineno
    if blocks:
        last = max(statement.lineno, _first_line(blocks[0][0]) - 1)
    return _first_line(statement), last
