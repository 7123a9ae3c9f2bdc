"""Which findings the user has taken out with a comment, and which edits may not be made."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from devicefix.findings import Edit, Finding, place_text
from devicefix.source import Program, Source


def suppressed(findings: Iterable[Finding], source: Source) -> frozenset[Finding]:
    """The findings on a statement that carries a ``# devicefix: ignore`` for their code."""
    return frozenset(
        f for f in findings if _covers(source, f.code, source.position(f.span.start)[0])
    )


def barred(findings: Iterable[Finding], program: Program) -> dict[Finding, str]:
    """The findings whose fixes reach into files or lines that must be left alone, and why."""
    return {
        finding: reason
        for finding in findings
        for edit in (finding.fix.edits if finding.fix is not None else ())
        if edit.path not in ("", finding.path)
        for reason in [_bar(edit, finding.code, program)]
        if reason
    }


Hit = tuple[str, int, str]
"""A file, the 1-based line of a comment in it, and one of the codes that it names; none for all."""


def hits(findings: Iterable[Finding], program: Program) -> frozenset[Hit]:
    """Which comments stand where something is found, or where a fix of it would be made."""
    return frozenset(
        (source.path, line, selector)
        for finding in findings
        for source, at in _reached(finding, program)
        if source.suppressions.by_line
        for line, selector in _selectors(source, source.position(at)[0])
        if finding.code.upper().startswith(selector)
    )


def names(source: Source, line: int, code: str) -> bool:
    """Whether a comment on the statement at ``line`` has ``code`` in its list."""
    return any(selector and code.startswith(selector) for _, selector in _selectors(source, line))


def _reached(finding: Finding, program: Program) -> Iterator[tuple[Source, int]]:
    """The files in which ``finding`` is or has edits, and where."""
    places = [(finding.path, finding.span.start)]
    edits = finding.fix.edits if finding.fix is not None else ()
    places += [(edit.path or finding.path, edit.start) for edit in edits]
    for path, at in places:
        if path in program.sources:
            yield program.sources[path], at


def _selectors(source: Source, line: int) -> Iterator[tuple[int, str]]:
    """What the comments on the statement at ``line`` name, and on which lines they stand."""
    first, last = statement_lines(source.tree.body, line)
    for number, codes in source.suppressions.within(first, last):
        yield from ((number, selector) for selector in codes or ("",))


def _bar(edit: Edit, code: str, program: Program) -> str:
    source = program.sources.get(edit.path)
    if source is None:
        return f"also needs an edit in {edit.path}, which is not part of this run"
    line, _ = source.position(edit.start)
    if _covers(source, code, line):
        place = source.placed(line)
        where = place_text(edit.path, place.line, cell=place.cell)
        return f"also needs an edit in {where}, where {code} is suppressed"
    return ""


def _covers(source: Source, code: str, line: int) -> bool:
    if not source.suppressions.by_line:
        return False
    return source.suppressions.covers(code, *statement_lines(source.tree.body, line))


def statement_lines(body: Sequence[ast.stmt], line: int) -> tuple[int, int]:
    """First and last line of the innermost statement at ``line``; of a compound one, its header."""
    at = bisect_left(body, line, key=_last_line)
    if at == len(body) or _first_line(body[at]) > line:
        return line, line
    blocks = [block for block in _blocks(body[at]) if block]
    for block in blocks:
        if _first_line(block[0]) <= line <= _last_line(block[-1]):
            return statement_lines(block, line)
    return _header(body[at], blocks)


def _last_line(statement: ast.stmt) -> int:
    return statement.end_lineno or statement.lineno


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
    last = _last_line(statement)
    if blocks:
        last = max(statement.lineno, _first_line(blocks[0][0]) - 1)
    return _first_line(statement), last
