"""Names that alone hold what they are bound to."""

from __future__ import annotations

import ast
from collections.abc import Callable

from devicefix.flow.ir import Body, Kind, Op
from devicefix.flow.queries.liveness import is_last_read
from devicefix.flow.queries.reaching import alternatives, loads_of
from devicefix.flow.scopes import FUNCTIONS


def is_spent(place: ast.expr, body: Body) -> bool:
    """Whether nothing reads the name at ``place`` after it; only the local names of a function are
    known so well."""
    loads = _loads(body, place)
    local = isinstance(place, ast.Name) and isinstance(body.scope, FUNCTIONS)
    return local and bool(loads) and all(is_last_read(body, load) for load in loads)


def born(read: ast.Name, body: Body, kept: Callable[[ast.expr], ast.expr]) -> ast.expr | None:
    """What the name at ``read`` was bound to, where nothing else can hold that.

    ``x = torch.ones(3)``, and up to this read nothing but ``x = x.cuda()``, on some ways or on all,
    where ``kept`` says that ``x.cuda()`` may be ``x``.
    """
    if read.id in body.shared or body.dynamic:
        return None
    loads = _loads(body, read)
    stores: list[Op] = []
    made: list[ast.expr] = []
    for load in loads:  # which grows
        for bound in alternatives(load.operands[0]) if load.operands else ():
            if bound in stores:
                continue
            value = bound.operands[0] if bound.kind is Kind.STORE else None
            if value is None or not isinstance(value.node, ast.expr) or value.kind is Kind.UNPACK:
                return None
            stores.append(bound)
            root = kept(value.node)
            own = isinstance(root, ast.Name) and root.id == read.id
            loads += _loads(body, root) if own else []
            made += [] if own else [value.node]
    once = {body.blocks[op.block].loops for op in (*loads, *stores)}
    alone = all(set(loads_of(body, bound)) <= set(loads) for bound in stores)
    return made[0] if alone and len(made) == len(once) == 1 else None


def _loads(body: Body, name: ast.expr) -> list[Op]:
    return [op for op in body.of(name) if op.kind is Kind.LOAD]
