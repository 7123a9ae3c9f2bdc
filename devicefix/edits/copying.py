"""Comprehensions that are left with nothing to do but to copy: ``[v for v in xs]``.

https://docs.astral.sh/ruff/rules/unnecessary-comprehension/
"""

from __future__ import annotations

import ast
from typing import Final

from devicefix.edits.errors import EditError
from devicefix.edits.gaps import outer_span
from devicefix.findings import Edit
from devicefix.source import Source

_MAKERS: Final[dict[type[ast.AST], str]] = {
    ast.ListComp: "list",
    ast.SetComp: "set",
    ast.DictComp: "dict",
}


def copy_of(source: Source, call: ast.Call, data: ast.expr) -> tuple[Edit, ...]:
    """``[Variable(v) for v in xs]`` -> ``list(xs)``, where ``data`` is all that is left of ``call``
    and of the comprehension around it; nothing for anything else.

    Raises ``EditError`` where a comment would be lost.
    """
    around = source.parent(call)
    match around:
        case ast.ListComp(generators=[loop]) | ast.SetComp(generators=[loop]):
            copies = _is_same(loop.target, data)
        case ast.DictComp(key=key, value=value, generators=[loop]) if value is call:
            pair = loop.target.elts if isinstance(loop.target, ast.Tuple) else []
            apart = len(pair) == 2 and not _is_same(pair[0], pair[1])
            copies = apart and _is_same(pair[0], key) and _is_same(pair[1], data)
        case _:
            return ()
    maker = _MAKERS[type(around)]
    written_out = isinstance(loop.iter, (ast.Tuple, ast.List, ast.Set, ast.Dict))
    if loop.ifs or loop.is_async or written_out or not copies or _is_rebound(source, maker):
        return ()
    whole, inner = source.span(around), outer_span(source, loop.iter)
    if "#" in source.text[whole.start : inner.start] + source.text[inner.end : whole.end]:
        raise EditError("a comment would be lost")
    opening = Edit(whole.start, inner.start, 0, f"{maker}(")
    return opening, Edit(inner.end, whole.end, 0, ")")


def _is_same(target: ast.expr, value: ast.expr) -> bool:
    match target, value:
        case ast.Name(id=bound), ast.Name(id=read):
            return bound == read
    return False


def _is_rebound(source: Source, name: str) -> bool:
    """Whether the file means something else than Python by ``list`` anywhere."""
    stored = (n for n in source.of_type(ast.Name) if n.id == name)
    if any(not isinstance(n.ctx, ast.Load) for n in stored):
        return True
    if any(argument.arg == name for argument in source.of_type(ast.arg)):
        return True
    defined = source.of_type(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    if any(getattr(made, "name", "") == name for made in defined):
        return True
    return any((a.asname or a.name) in (name, "*") for i in source.imports for a in i.names)
