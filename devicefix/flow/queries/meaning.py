"""What a name stands for where it is read."""

from __future__ import annotations

import ast
from typing import Final

from devicefix.flow.ir import Bodies, Body, Kind, Op
from devicefix.flow.queries.reaching import definition
from devicefix.source import Source
from devicefix.source.walking import walk

_STEPS: Final = 8
"""How many names are followed, one to the next."""
_COMPUTED: Final = frozenset(
    {Kind.ATTRIBUTE, Kind.CALL, Kind.COMPUTE, Kind.CONSTANT, Kind.ITEM, Kind.LOAD}
    | {Kind.OUTER, Kind.PHI}
)
"""Kinds of operations whose trees are the expressions that they compute."""


def meaning(source: Source, tree: ast.expr) -> ast.expr:
    """The expression that gave a name its only value there; anything else, and a name with several
    definitions, means itself.

    What is read in that expression is bound as it was, and no attribute of it is set in the scope:
    computed once more, it would give the same, as far as the scope alone can tell.
    """
    for _ in range(_STEPS):
        found = _defined(source, tree) if isinstance(tree, ast.Name) else None
        if found is None:
            break
        tree = found
    return tree


def _defined(source: Source, name: ast.Name) -> ast.expr | None:
    body = source.once(Bodies).around(name)
    loads = [op for op in body.of(name) if op.kind is Kind.LOAD]
    if len(loads) != 1 or body.dynamic or name.id in body.shared:
        return None
    (load,) = loads
    if not load.operands:
        return None  # nothing comes to it
    bound = load.operands[0]
    if bound.kind is not Kind.STORE or bound.operands[0].kind not in _COMPUTED:
        return None
    meant = bound.operands[0].node
    if not isinstance(meant, ast.expr) or not _is_as_before(body, meant, load):
        return None
    return meant


def _is_as_before(body: Body, meant: ast.expr, load: Op) -> bool:
    changed = {op.name for op in body.ops if op.kind is Kind.SET_ATTRIBUTE}
    for node in walk(meant):
        if isinstance(node, (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)):
            return False
        if isinstance(node, ast.Attribute) and node.attr in changed:
            return False
        for op in body.of(node) if isinstance(node, ast.Name) else ():
            if op.kind is not Kind.LOAD or not op.operands:
                continue
            if definition(body, op.name, (load.block, load.at)) is not op.operands[0]:
                return False
    return True
