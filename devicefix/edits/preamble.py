"""A statement after the imports of a module."""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from devicefix.edits import ranks
from devicefix.edits.blocks import place_of
from devicefix.findings import Edit
from devicefix.flow.scripts import is_main_guard
from devicefix.source import Source, bound_names

_STAND_INS = ast.Pass | ast.Raise | ast.Assign | ast.ClassDef | ast.FunctionDef
"""What takes the place of an import that failed."""


def insert_after_imports(source: Source, text: str, behind: ast.stmt | None = None) -> Edit:
    """Put ``text`` after the imports, set off by a blank line on either side.

    The imports are the first block of them, after the docstring and ``__future__``, with ``try``
    and ``if`` statements that only import and settings between them; and, where ``text`` uses a
    name that a later top-level import binds, that one with its neighbours (the last star import if
    none names it). ``behind`` is a top-level import that it must not come before.
    """
    body = source.tree.body
    if not body:
        end = len(source.text)
        lead = "" if source.text.endswith(("\n", "\r")) or not source.text else source.newline
        return Edit(end, end, ranks.AFTER_IMPORTS, lead + _lines(source, text) + source.newline)
    anchor = _anchor(source, text)
    least = -1 if behind is None else body.index(behind)
    if least > (-1 if anchor is None else anchor):
        anchor = end_of_block(source, least, least)
    if anchor is None:
        start = source.line_start(source.statement_span(body[0]).start)
        blank = source.newline * (1 + _blank_lines(source, body[0]))
        return Edit(start, start, ranks.AFTER_IMPORTS, _lines(source, text) + blank)
    return _after(source, body, anchor, text)


def later_import(source: Source, stmt: ast.stmt, name: str) -> ast.stmt | None:
    """The first import of ``name`` at the top of the file, if that is below ``stmt``."""
    body, places = source.tree.body, source.once(_imported).get(name, frozenset())
    first = min(places, default=-1)
    return body[first] if stmt in body and first > body.index(stmt) else None


def _after(source: Source, body: list[ast.stmt], anchor: int, text: str) -> Edit:
    place = place_of(source, body[anchor])
    if not place.ends_line:
        gap, blank = place.gap_after, source.newline * 2
        return Edit(gap.start, gap.end, 0, blank + _lines(source, text) + blank)
    end = place.line_end
    # behind a line that ends with a carriage return alone, a line feed would belong to that
    blank = "\r" if source.text.endswith("\r", 0, end) else source.newline
    new = blank + _lines(source, text)
    if not source.text.endswith(("\n", "\r"), 0, end):
        return Edit(end, end, ranks.LAST_LINE, source.newline + new)
    following = source.text[end : source.line_end(end)]
    new += source.newline
    if following.strip():
        comment = following.lstrip().startswith("#")
        below = (s for s in body[anchor + 1 :] if source.statement_span(s).start >= end)
        after = next(below, None)
        new += source.newline * (_blank_lines(source, after) if after and not comment else 1)
    return Edit(end, end, ranks.AFTER_IMPORTS, new)


def _anchor(source: Source, text: str) -> int | None:
    """The index of the statement to follow; None where there is neither import nor docstring."""
    body = source.tree.body
    anchor = None
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        anchor = 0 if isinstance(body[0].value.value, str) else None
    at = 0 if anchor is None else 1
    anchor = end_of_block(source, at, anchor)
    imported = source.once(_imported)
    missing = {
        name
        for name in _names_needed(text)
        if min(imported.get(name, ()), default=len(body)) > (-1 if anchor is None else anchor)
    }
    for index in sorted({index for name in missing for index in imported.get(name, ())}):
        names = {name for name in missing if index in imported.get(name, ())}
        if index > (-1 if anchor is None else anchor) and names:
            missing -= names
            anchor = end_of_block(source, index, index)
    if missing:
        # a name that no import spells out comes with a star
        starred = max(imported.get("*", ()), default=-1)
        if starred > (-1 if anchor is None else anchor):
            anchor = end_of_block(source, starred, starred)
    return anchor


def _imported(source: Source) -> Mapping[str, frozenset[int]]:
    """Which statements at the top of the file import a name; ``*`` is one.

    What some condition decides about counts only for names that nothing imports in each run.
    """
    found: defaultdict[str, set[int]] = defaultdict(set)
    surely: defaultdict[str, set[int]] = defaultdict(set)
    for index, stmt in enumerate(source.tree.body):
        for name in _bound(stmt):
            found[name].add(index)
        for name in _surely_bound([stmt]):
            surely[name].add(index)
    return {name: frozenset(surely.get(name, places)) for name, places in found.items()}


def _surely_bound(block: Iterable[ast.stmt]) -> frozenset[str]:
    """The names that are imported whichever way a block is left."""
    found = frozenset[str]()
    for stmt in block:
        match stmt:
            case ast.Import() | ast.ImportFrom():
                found |= frozenset(bound_names(stmt))
            case ast.With(body=body):
                found |= _surely_bound(body)
            case ast.If(body=body, orelse=other):
                found |= _surely_bound(body) & _surely_bound(other)
            case ast.Try(body=body, orelse=other, handlers=handlers, finalbody=final):
                caught = [h.body for h in handlers if not isinstance(h.body[-1], ast.Raise)]
                tried = _surely_bound([*body, *other])
                found |= tried.intersection(*map(_surely_bound, caught)) | _surely_bound(final)
    return found


def end_of_block(source: Source, start: int, otherwise: int | None) -> int | None:
    """The last of the import statements that follow each other from ``start``.

    What does nothing, such as a magic in a notebook or a text, may stand between them, and so may
    settings (``os.environ["A"] = "b"``).
    """
    body, end = source.tree.body, otherwise
    for index in range(start, len(body)):
        if _is_import_block(body[index]):
            if index > start and _is_apart(source, index):
                break
            end = index
        elif not (_does_nothing(body[index]) or _only_sets(source, body[index])):
            break
    return end


def _is_apart(source: Source, index: int) -> bool:
    """Whether an import belongs to what follows: below a comment of its own, next to its only use.

    ``# limits`` above ``import resource``, with ``resource.setrlimit(...)`` below it.
    """
    body = source.tree.body
    if index + 1 == len(body) or _is_import_block(body[index + 1]):
        return False
    read = {n.id for n in ast.walk(body[index + 1]) if isinstance(n, ast.Name)}
    if read.isdisjoint(_bound(body[index])):
        return False
    line = source.position(source.span(body[index]).start)[0] - 1
    if not is_comment_line(source, line):
        return False
    while is_comment_line(source, line):
        line -= 1
    return not source.line_text(line).strip()


def is_comment_line(source: Source, line: int) -> bool:
    """Whether a line is nothing but a comment of the user's."""
    span = source.comments.get(line)
    if span is None or source.is_heading(line):
        return False
    return not source.text[source.line_start(span.start) : span.start].strip()


def _does_nothing(stmt: ast.stmt) -> bool:
    text = isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)
    return text or isinstance(stmt, ast.Pass)


def _only_sets(source: Source, stmt: ast.stmt) -> bool:
    """``torch.backends.cudnn.benchmark = True``, ``sys.path.append("..")``,
    ``matplotlib.use("agg")``: no tensor is near.
    """
    if isinstance(stmt, ast.Assign):
        return isinstance(stmt.value, ast.Constant)
    call = stmt.value if isinstance(stmt, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return False
    names = {n.id for n in ast.walk(call) if isinstance(n, ast.Name)}
    if names <= sys.stdlib_module_names | {"__file__"}:
        return True
    imported = source.once(_imported)
    return (
        isinstance(call.func, ast.Attribute) and _tells(stmt) and all(n in imported for n in names)
    )


def _tells(stmt: ast.stmt) -> bool:
    """A call that is given nothing but constants: ``print("no apex")``."""
    call = stmt.value if isinstance(stmt, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return False
    given = [*call.args, *(k.value for k in call.keywords)]
    return all(isinstance(tree, ast.Constant) for tree in given)


def _is_import_block(stmt: ast.stmt) -> bool:
    """Whether a statement imports and does nothing else but stand in for what is missing."""
    if isinstance(stmt, ast.Import | ast.ImportFrom):
        return True
    if not isinstance(stmt, ast.Try | ast.If):
        return False
    compound: list[ast.Try | ast.If] = [stmt]
    above: list[int] = [-1]
    importing: set[int] = set()
    for at, part in enumerate(compound):  # an `elif` is inside of what is before it: no recursion
        for inner in _statements_in(part):
            if isinstance(inner, ast.Import | ast.ImportFrom):
                importing.add(at)
            elif isinstance(inner, ast.Try | ast.If):
                compound.append(inner)
                above.append(at)
            elif not (isinstance(inner, _STAND_INS) or _tells(inner)):
                return False
    for at in reversed(range(len(compound))):
        if at not in importing:
            return False
        importing.add(above[at])
    return True


def _statements_in(stmt: ast.Try | ast.With | ast.If) -> list[ast.stmt]:
    """Those of all its blocks, in no order that counts."""
    handlers: list[ast.ExceptHandler] = getattr(stmt, "handlers", [])
    inner = [*stmt.body, *getattr(stmt, "orelse", []), *getattr(stmt, "finalbody", [])]
    return inner + [s for handler in handlers for s in handler.body]


def _imports(stmt: ast.stmt) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports that a top-level statement runs for those who import the file."""
    waiting = [stmt]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Import | ast.ImportFrom):
            yield part
        elif isinstance(part, ast.Try | ast.With | ast.If) and _is_run_by_importers(part):
            waiting += reversed(_statements_in(part))


def _is_run_by_importers(stmt: ast.Try | ast.With | ast.If) -> bool:
    if is_main_guard(stmt):
        return False
    return not (isinstance(stmt, ast.If) and "TYPE_CHECKING" in ast.dump(stmt.test))


def _bound(stmt: ast.stmt) -> Iterator[str]:
    for node in _imports(stmt):
        yield from bound_names(node)


def _names_needed(text: str) -> set[str]:
    """The names that ``text`` reads and does not bind itself."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return set()
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    own = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    own |= {name for stmt in tree.body for name in _bound(stmt)}
    return {node.id for node in names} - own


def _blank_lines(source: Source, stmt: ast.stmt) -> int:
    """How many blank lines PEP 8 wants before a top-level statement."""
    definition = isinstance(stmt, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    return 2 if definition else 1


def _lines(source: Source, text: str) -> str:
    return text.rstrip("\r\n").replace("\r\n", "\n").replace("\n", source.newline)
