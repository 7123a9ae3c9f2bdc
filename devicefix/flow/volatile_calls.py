"""Which calls of a function give a volatile value, where it returns one.

``def batch(i, evaluation=False): return Variable(x[i], volatile=evaluation)``: the calls that pass
True do. It has to be a function of which all calls are seen: every mention of its name in the
program is a call of it, in the same file.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from devicefix.flow.given import given_by
from devicefix.source.walking import walk

if TYPE_CHECKING:
    from devicefix.flow.analysis import Analysis


class UncertainError(Exception):
    """It is not known which calls these are; says why."""


class Volatile(NamedTuple):
    """A call that gives a volatile value."""

    call: ast.expr
    places: frozenset[int] = frozenset()
    """The items of the tuple that are volatile; empty: all that it gives."""


def volatile_calls(analysis: Analysis, function: ast.AST, flag: ast.expr) -> list[ast.Call]:
    """The calls of ``function`` under which ``flag`` is true. Raises ``UncertainError``."""
    if not isinstance(function, ast.FunctionDef) or function.decorator_list:
        raise UncertainError("its calls were not analysed")
    calls = list(_calls(analysis, function))
    if not calls:
        raise UncertainError("no call was found")
    return [call for call in calls if _is_true(analysis, function, flag, call)]


def _calls(analysis: Analysis, function: ast.FunctionDef) -> Iterator[ast.Call]:
    home = analysis.home(function)
    for file in analysis.files.values():
        for node in file.source.nodes:
            if not _mentions(node, function.name):
                continue
            call = analysis.parents.get(node)
            if file is not home or not (isinstance(call, ast.Call) and call.func is node):
                raise UncertainError("not all of its calls were analysed")
            if {tree for tree, _ in analysis.seen.reached.get(call, ())} != {function}:
                raise UncertainError(f"line {call.lineno}: the called function was not analysed")
            yield call


def _mentions(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Name(id=own) | ast.Attribute(attr=own):
            return own == name
        case ast.alias(name=own):
            return own == name
        case ast.Constant(value=str(own)):
            return own == name
    return False


def _is_true(analysis: Analysis, function: ast.FunctionDef, flag: ast.expr, call: ast.Call) -> bool:
    if isinstance(flag, ast.UnaryOp) and isinstance(flag.op, ast.Not):
        return not _is_true(analysis, function, flag.operand, call)
    given = _given(analysis, function, flag.id, call) if isinstance(flag, ast.Name) else flag
    if not isinstance(given, ast.Constant):
        raise UncertainError(f"line {call.lineno}: the argument is not a constant")
    return bool(given.value)


def _given(
    analysis: Analysis, function: ast.FunctionDef, name: str, call: ast.Call
) -> ast.expr | None:
    """What ``call`` gives to the parameter ``name``."""
    rebound = any(
        isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
        for n in walk(function)
    )
    if rebound:
        return None
    return given_by(call, function, name, max(b for _, b in analysis.seen.reached[call]))
