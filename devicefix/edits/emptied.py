"""Blocks of which edits leave nothing: one of their statements becomes ``pass``, or they go.

Of a paragraph of which edits leave nothing but the comment above it, that goes as well, and so do
the empty line below a paragraph of which nothing is left, and those behind the statements with
which a block began.
"""

from __future__ import annotations

import ast
import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from devicefix.edits.blocks import is_elif
from devicefix.edits.preamble import is_comment_line
from devicefix.edits.unwrapping import is_idle
from devicefix.findings import Edit
from devicefix.flow.imported import dotted, origins
from devicefix.source import Source

_MODES = frozenset({"torch.enable_grad", "torch.inference_mode", "torch.no_grad"})
_BLOCKS = ("body", "orelse", "finalbody")
_MARK = re.compile(r"#\W*(%%|\w+:|(end)?region\b)|#!|#\s*-\*-")
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
    found: dict[Edit, Edit] = {}
    places = source.once(_places)
    inside = [place for edit in going for place in places.within(edit.start, edit.end)]
    covering = {id(place.stmt): _covering(source, place.stmt, going) for place in inside}
    if not any(covering.values()):
        return {}
    for block in (places.blocks[number] for number in sorted({place.block for place in inside})):
        taken = [covering.get(id(stmt)) for stmt in block]
        if any(taken):
            found |= _with_comments(source, block, taken, made)
            found |= _with_gap(source, block, taken, coming, found)
            found |= _with_paragraphs(source, block, taken, coming, found)
        first = taken[0]
        if block is source.tree.body or first is None or None in taken:
            continue
        if _has_more(source, block, coming):
            continue
        own = [stmt for stmt, edit in zip(block, taken, strict=True) if edit == first]
        if not source.text[first.start : source.statement_span(own[0]).start].strip():
            found[first] = (
                _without_else(source, first)
                or _without_mode(source, places, block, first)
                or _kept(source, first, own)
            )
    return found


def _with_comments(
    source: Source, block: Sequence[ast.stmt], taken: Sequence[Edit | None], made: Sequence[Edit]
) -> dict[Edit, Edit]:
    """The edits that take out the first statement of a paragraph, with the comment above it."""
    found = {}
    for at, edit in ((at, edit) for at, edit in enumerate(taken) if edit is not None):
        top = _comment_above(source, _line(source, block[at]))
        if top is None or source.line_start(edit.start) != edit.start:
            continue
        last = at
        while last + 1 < len(block) and _line(source, block[last + 1]) <= _end(source, block[last]):
            last += 1
        start = source.offset(top, 0)
        near = [e for e in made if start <= e.end and e.start <= source.span(block[last]).end]
        whole = all(e is not None for e in taken[at : last + 1])
        below = source.next_line(source.span(block[last]).end)
        empty = not source.text[below : source.next_line(below)].strip()
        if whole and empty and set(near) <= set(taken):
            found[edit] = Edit(start, edit.end, edit.rank, "", edit.path)
            end = taken[last]
            if end is not None and at == 0 and source.line_text(top):  # where a block begins
                begin = found.get(end, end).start
                found[end] = Edit(begin, source.next_line(below), end.rank, "", end.path)
    return found


def _line(source: Source, stmt: ast.stmt) -> int:
    return source.position(source.statement_span(stmt).start)[0]


def _end(source: Source, stmt: ast.stmt) -> int:
    """The line below it."""
    return source.position(source.span(stmt).end)[0] + 1


def _with_gap(
    source: Source,
    block: Sequence[ast.stmt],
    taken: Sequence[Edit | None],
    coming: Sequence[Edit],
    found: Mapping[Edit, Edit],
) -> dict[Edit, Edit]:
    """The edit that takes out the last of the statements with which a block begins, and the empty
    lines below it: none stands below the header then, or at the top of a file."""
    going = list(itertools.takewhile(lambda edit: edit is not None, taken))
    first, last = (going[0], going[-1]) if 0 < len(going) < len(block) else (None, None)
    if first is None or last is None or not _are_lines(source, first.start, last.end):
        return {}
    above = source.position(first.start)[0] - 1
    if block is source.tree.body:
        begins = above == 0 and source.notebook is None
    else:
        begins = bool(source.line_text(above)) and not is_comment_line(source, above)
    if not begins:
        return {}
    end = last.end
    while end < len(source.text) and not source.text[end : source.next_line(end)].strip():
        end = source.next_line(end)
    if end == last.end or any(first.start <= edit.start <= end for edit in coming):
        return {}
    wider = found.get(last, last)
    return {last: Edit(wider.start, max(end, wider.end), last.rank, "", last.path)}


def _with_paragraphs(
    source: Source,
    block: Sequence[ast.stmt],
    taken: Sequence[Edit | None],
    coming: Sequence[Edit],
    found: Mapping[Edit, Edit],
) -> dict[Edit, Edit]:
    """The edits that take out the last statement of a paragraph of which nothing is left, and the
    empty line below it."""
    changed = {}
    for going, run in itertools.groupby(enumerate(taken), key=lambda pair: pair[1] is not None):
        edits = [edit for _, edit in run if edit is not None] if going else []
        if len(edits) < 2 or edits[0] is taken[0] or not set(edits).isdisjoint(found):
            continue
        start, end = edits[0].start, edits[-1].end
        together = all(one.end == other.start for one, other in itertools.pairwise(edits))
        if not together or not _are_lines(source, start, end):
            continue
        above = source.line_text(source.position(start)[0] - 1)
        below = source.next_line(end)
        alone = not above.strip() and end < below and not source.text[end:below].strip()
        if alone and not any(start <= edit.start <= below for edit in coming):
            changed[edits[-1]] = replace(edits[-1], end=below)
    return changed


def _are_lines(source: Source, start: int, end: int) -> bool:
    return source.line_start(start) == start and source.line_start(end) == end


def _comment_above(source: Source, line: int) -> int | None:
    """The first line of the comment that stands alone above ``line``, and begins a paragraph: with
    the empty line above it, or where a block begins or ends.

    None for those at the top of a file, and those that tools or people look for (``# TODO: ...``).
    """
    top = line
    while is_comment_line(source, top - 1):
        top -= 1
        if _MARK.match(source.line_text(top).strip()):
            return None
    if not 1 < top < line:
        return None
    if not source.line_text(top - 1):
        return top - 1
    return top if _indent(source, top - 1) != _indent(source, top) else None


def _indent(source: Source, line: int) -> str:
    start = source.offset(line, 0)
    text = source.text[start : source.line_end(start)]
    return text[: len(text) - len(text.lstrip())]


def _without_else(source: Source, edit: Edit) -> Edit | None:
    """Where whole lines go that stand right below an ``else:``, that goes with them."""
    line = _ELSE.search(source.text, 0, edit.start)
    return Edit(line.start(1), edit.end, edit.rank, "", edit.path) if line is not None else None


def _without_mode(
    source: Source, places: _Places, block: Sequence[ast.stmt], edit: Edit
) -> Edit | None:
    """Where all goes that stands below ``with torch.no_grad():``, or below a condition that does
    nothing else, that goes with it, and what is around it, if nothing else would be left of that.
    """
    around = next((n for n in source.of_type(ast.With, ast.If) if _holds(n, block)), None)
    if not isinstance(around, ast.stmt) or (last := _header(source, around)) is None:
        return None
    beside = next((one for one in places.blocks if around in one), [around])
    start = source.statement_span(around).start
    head = source.text[source.span(last).end : edit.start].strip()
    if head != ":" or source.line_start(edit.start) != edit.start:
        return None
    if len(beside) == 1:
        wider = Edit(source.line_start(start), edit.end, edit.rank, "", edit.path)
        return _without_else(source, wider) or _without_mode(source, places, beside, wider)
    top = _comment_above(source, source.position(start)[0])
    below = source.next_line(source.span(around).end)
    if top is not None and not source.text[below : source.next_line(below)].strip():
        start = source.offset(top, 0)
    return Edit(source.line_start(start), edit.end, edit.rank, "", edit.path)


def _holds(tree: ast.AST, block: Sequence[ast.stmt]) -> bool:
    return isinstance(tree, (ast.With, ast.If)) and tree.body is block


def _header(source: Source, around: ast.stmt) -> ast.expr | None:
    """The last expression before the colon, where the statement is of no use without its body."""
    match around:
        case ast.With(items=items) if all(_is_mode(source, item) for item in items):
            return items[-1].context_expr
        case ast.If(test=test, orelse=[]) if not is_elif(source, around) and is_idle(test):
            return test
    return None


def _is_mode(source: Source, item: ast.withitem) -> bool:
    """Whether it only says if gradients are recorded."""
    call = item.context_expr
    if item.optional_vars is not None or not isinstance(call, ast.Call) or call.args:
        return False
    return dotted(call.func, source.once(origins)) in _MODES


class _Place(Struct, frozen=True):
    """A statement, and the number of the block that it is in."""

    start: int
    block: int
    stmt: ast.stmt


class _Places(Struct, frozen=True):
    """The statements of a file, in the order of the text: edits ask for the few that they touch."""

    blocks: Sequence[list[ast.stmt]]
    statements: Sequence[_Place]

    def within(self, start: int, end: int) -> Sequence[_Place]:
        """Those that begin there."""
        first = bisect_left(self.statements, start, key=_start)
        return self.statements[first : bisect_left(self.statements, end, key=_start)]


def _start(place: _Place) -> int:
    return place.start


def _places(source: Source) -> _Places:
    blocks = list(_blocks(source))
    statements = [
        _Place(source.statement_span(stmt).start, number, stmt)
        for number, block in enumerate(blocks)
        for stmt in block
    ]
    return _Places(blocks, sorted(statements, key=_start))


def _blocks(source: Source) -> Iterator[list[ast.stmt]]:
    for node in source.nodes:
        if isinstance(node, ast.expr):
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
