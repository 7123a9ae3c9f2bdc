"""``net(*batch)``: the items of a tuple may be brought elsewhere on their way into a module."""

from __future__ import annotations

import ast

from devicefix.flow.costs import STATE_COST, USE_COST
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.graph import HARD
from devicefix.flow.memory import rename
from devicefix.flow.operands import Operand, flow_into
from devicefix.flow.values import Tensor, Value


def movable(frame: Frame, tree: ast.expr, args: Arguments) -> Arguments:
    """The arguments of the call ``tree``; what is spread is moved item by item, and all of it."""
    found = _spread(tree, args)
    if found is None or frame.host:
        return args
    place, spread = found
    items = args.positional[place : place + len(args.positional) - _others(tree)]
    exact = all(_is_movable(value) for _, value in items)
    frame.seen.states.setdefault(spread, set()).add(exact)
    frame.seen.spread.add(spread)
    if not exact:
        return args
    moved = [_moved(frame, spread, n, value) for n, (_, value) in enumerate(items)]
    before, after = args.positional[:place], args.positional[place + len(items) :]
    return Arguments((*before, *moved, *after), args.keywords)


def _spread(tree: ast.expr, args: Arguments) -> tuple[int, ast.expr] | None:
    """The position of the only ``*argument`` of a call, if it is known what that stands for."""
    given = tree.args if isinstance(tree, ast.Call) else []
    places = [n for n, arg in enumerate(given) if isinstance(arg, ast.Starred)]
    if len(places) != 1 or args.rest is not None:
        return None
    (place,) = places
    starred, behind = given[place], len(given) - place - 1
    written = [expr for expr, _ in args.positional]
    first, last = written[:place], written[len(written) - behind :]
    known = first == given[:place] and last == given[place + 1 :]
    inner = starred.value if isinstance(starred, ast.Starred) else starred
    if not known or len(written) < len(given) or isinstance(inner, (ast.Tuple, ast.List)):
        return None
    return place, inner


def _others(tree: ast.expr) -> int:
    return len(tree.args) - 1 if isinstance(tree, ast.Call) else 0


def _is_movable(value: Value) -> bool:
    return (
        isinstance(value, Tensor)
        and bool(value.nodes)
        and value.certain
        and not (value.maybe or value.doubt or value.parts)
    )


def _moved(frame: Frame, spread: ast.expr, number: int, value: Value) -> Operand:
    assert isinstance(value, Tensor)
    node = frame.node("spread", spread, str(number))
    flow_into(frame, spread, value, node, USE_COST + STATE_COST, HARD)
    return None, rename(frame, value, node)
