"""Blocks of which edits leave nothing: one of their statements becomes ``pass``."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

from devicefix.findings import Edit
from devicefix.source import Source

_BLOCKS = ("body", "orelse", "finalbody")
_ELSE = re.compile(r"(?:^|[\r\n])([ \t]*else[ \t]*:[ \t]*(?:\r\n|\r|\n))\Z")


def passing(source: Source, edits: Iterable[Edit]) -> Mapping[Edit, Edit]:
    """What has to stand for some of ``edits``, which are made together.

    Each may take out one statement of a block; where nothing else is left of it, the first leaves a
    ``pass``, or takes the line with ``else:`` as well.
    """
    made = sorted(edits)
    going = [edit for edit in made if not edit.text and edit.start < edit.end]
    if not going:
        return {}
    coming = [edit for edit in made if edit.text.strip()]
    found = {}
    for block in _blocks(source):
        taken = [_covering(source, stmt, going) for stmt in block]
        first = taken[0]
        if first is None or None in taken or _has_more(source, block, coming):
            continue
        own = [stmt for stmt, edit in zip(block, taken, strict=True) if edit == first]
        if not source.text[first.start : source.statement_span(own[0]).start].strip():
            found[first] = _without_else(source, first) or _kept(source, first, own)
    return found


def _without_else(source: Source, edit: Edit) -> Edit | None:
    """Where whole lines go that stand right below an ``else:``, that goes with them."""
    line = _ELSE.search(source.text, 0, edit.start)
    return Edit(line.start(1), edit.end, edit.rank, "", edit.path) if line is not None else None


def _blocks(source: Source) -> Iterator[list[ast.stmt]]:
    for node in source.nodes:
        if isinstance(node, (ast.expr, ast.Module)):
            continue
        for name in _BLOCKS:
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                yield block


def _covering(source: Source, stmt: ast.stmt, going: Sequence[Edit]) -> Edit | None:
    """The edit that takes a statement out."""
    span = source.statement_span(stmt)
    at = bisect_right(going, span.start, key=lambda edit: edit.start)
    edit = going[at - 1] if at else None
    return edit if edit is not None and span.end <= edit.end else None


def _has_more(source: Source, block: Sequence[ast.stmt], coming: Sequence[Edit]) -> bool:
    """Whether other edits write something into the block.

    What is written in front of the line below it is a part of it if it stands as far in.
    """
    start = source.line_start(source.statement_span(block[0]).start)
    end = source.next_line(source.span(block[-1]).end)
    first = bisect_right(coming, start - 1, key=lambda edit: edit.start)
    last = bisect_right(coming, end, key=lambda edit: edit.start)
    indent = source.indent_of(block[0])
    return any(e.start < end or _stands_in(e.text, indent) for e in coming[first:last])


def _stands_in(text: str, indent: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[0].startswith(indent)


def _kept(source: Source, edit: Edit, statements: Sequence[ast.stmt]) -> Edit:
    start = source.statement_span(statements[0]).start
    before = source.text[edit.start : start]
    after = source.text[source.span(statements[-1]).end : edit.end]
    return Edit(edit.start, edit.end, edit.rank, f"{before}pass{after}", edit.path)
