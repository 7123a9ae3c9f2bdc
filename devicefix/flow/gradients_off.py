"""Where no gradients are recorded, and what is read nowhere else."""

from __future__ import annotations

import ast
from typing import Final

from devicefix.flow.analysis import Analysis
from devicefix.flow.ir import Bodies, Kind
from devicefix.flow.queries.reaching import loads_of
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.second_names import bound_to
from devicefix.source.parsing import Parents

_WITHOUT: Final = frozenset({"torch.no_grad", "torch.inference_mode"})
_KEEPS: Final = frozenset({"add", "append", "extend", "insert", "setdefault", "update"})
"""Methods of containers: what they are given can be read later."""
_OF_GRADIENTS: Final = frozenset(
    {
        *("backward", "grad", "grad_fn", "is_leaf", "register_hook", "requires_grad"),
        *("requires_grad_", "retain_grad"),
    }
)
"""Attributes that tell whether a tensor has a gradient, or give it one."""


def switched_off(analysis: Analysis, tree: ast.AST) -> ast.AST | None:
    """What keeps ``tree`` from recording gradients in its function: ``with torch.no_grad():``, or
    the function that is decorated so."""
    above, seen = analysis.parents.get(tree), analysis.seen
    while above is not None:
        calls: list[ast.expr] = []
        if isinstance(above, ast.With):
            calls = [item.context_expr for item in above.items]
        elif isinstance(above, FUNCTIONS):
            calls = above.decorator_list
        for call in calls:
            names = seen.calls.get(call, set()) if isinstance(call, ast.Call) else set()
            if names & _WITHOUT:
                return above
        if isinstance(above, FUNCTIONS):
            return above if seen.decorators.get(above, frozenset()) & _WITHOUT else None
        above = analysis.parents.get(above)
    return None


def is_read_there_alone(analysis: Analysis, tree: ast.expr) -> bool:
    """Whether the tensor ``tree`` gives is only computed with where gradients are off, so that it
    makes no difference whether it has one. Code that is called with it is trusted not to keep it.
    """
    around, parents = switched_off(analysis, tree), analysis.parents
    if around is None:
        return False
    name = bound_to(tree, parents)
    if name is None:
        return _only_computes(parents, tree)
    body = analysis.home(name).source.once(Bodies).around(name)
    stores = [op for op in body.of(name) if op.kind is Kind.STORE]
    if len(stores) != 1 or body.dynamic or name.id in body.shared:
        return False
    reads = [op.node for op in loads_of(body, stores[0])]
    return all(_only_computes(parents, read) and _is_in(parents, read, around) for read in reads)


def _is_in(parents: Parents, tree: ast.AST, around: ast.AST) -> bool:
    above: ast.AST | None = tree
    while above is not None and above is not around:
        above = parents.get(above)
    return above is around


def _only_computes(parents: Parents, read: ast.AST) -> bool:
    """Whether an expression around ``read`` makes something new of it, and nothing holds it."""
    match parents.get(read):
        case ast.keyword() as keyword:
            return _only_computes(parents, keyword)
        case ast.Call(func=ast.Attribute(attr=attr)) if attr in _KEEPS:
            return False
        case ast.Call(func=func):
            return func is not read
        case ast.Attribute(attr=attr, ctx=ast.Load()):
            return attr not in _OF_GRADIENTS
        case ast.Subscript(value=value, ctx=ast.Load()):
            return value is read
        case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.FormattedValue():
            return True
    return False
