"""Second names: ``y = x``, where every read of ``y`` may as well read ``x``."""

from __future__ import annotations

import ast

from devicefix.flow.ir import Body, Kind, Op
from devicefix.flow.queries.reaching import alternatives, definition, loads_of
from devicefix.source.parsing import Parents


def reads_of_second_name(second: ast.Name, first: ast.Name, body: Body) -> tuple[ast.Name, ...]:
    """The reads of ``second``, which an assignment binds to what ``first`` is; none where that name
    may mean something else by then, or a read may see something else.

    Functions and classes inside the scope read a name at any time.
    """
    stores = [op for op in body.of(second) if op.kind is Kind.STORE]
    firsts = [op for op in body.of(first) if op.kind is Kind.LOAD]
    if not len(stores) == len(firsts) == 1 or isinstance(body.scope, ast.ClassDef) or body.dynamic:
        return ()
    if {second.id, first.id} & body.shared:
        return ()
    loads = loads_of(body, stores[0])
    same = all(_is_same(body, load, stores[0], firsts[0]) for load in loads)
    return tuple(op.node for op in loads if isinstance(op.node, ast.Name)) if same else ()


def _is_same(body: Body, load: Op, bound: Op, first: Op) -> bool:
    """Whether a load reads what ``bound`` gave it alone, and ``first`` would read that there."""
    there = definition(body, first.name, (load.block, load.at))
    return alternatives(load.operands[0]) == {bound} and there is first.operands[0]


def bound_to(value: ast.expr, parents: Parents) -> ast.Name | None:
    """The name that an assignment gives to ``value``, alone or as one of several."""
    match parents.get(value):
        case ast.Assign(targets=[ast.Name() as name]):
            return name
        case ast.Tuple(elts=values) as held:
            match parents.get(held):
                case ast.Assign(targets=[ast.Tuple(elts=names)]) if len(names) == len(values):
                    target = names[values.index(value)]
                    return target if isinstance(target, ast.Name) else None
    return None
