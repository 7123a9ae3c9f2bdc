"""Does everything behind which the edits write ``.to(device)`` have such a method, and want it?

What a registry makes may be a module under one name and a function under another. What the program
has brought to the CPU, by ``x.cpu()``, meets something there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from devicefix.flow.joins import alternatives
from devicefix.flow.queries.access import of_tree
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.values import (
    Array,
    Class,
    Const,
    Dtype,
    Either,
    Function,
    Listing,
    Opaque,
    Plain,
    Tuple,
    Unknown,
    Value,
)
from devicefix.judge.comparison import Comparison, Objection, enclosing

NAME: Final = "receiver"


def objections(comparison: Comparison) -> Iterator[Objection]:
    """For each new ``x.to(device)`` where ``x`` is nothing that moves, or has to stay."""
    yield from _retrieved(comparison)
    for move in comparison.moves:
        func = move.call.func
        if not isinstance(func, ast.Attribute) or func.attr != "to":
            continue
        new = move.replaces is None or _brings(move.replaces)  # it stands behind that now
        if new and _brings(func.value):
            reason = f"`{ast.unparse(func.value)}` is moved to the CPU there"
            yield comparison.objection(NAME, move.path, move.device, reason, move.call)
        elif move.replaces is None and _may_lack_it(comparison.after.values(func.value)):
            reason = f"`{ast.unparse(func.value)}` may be something without `.to`"
            yield comparison.objection(NAME, move.path, move.device, reason, move.call)


def _retrieved(comparison: Comparison) -> Iterator[Objection]:
    """``x.cpu()``, newly written behind what is no tensor, or may be one of another framework."""
    for path in comparison.maps:
        for call in comparison.source(path).of_type(ast.Call):
            old = comparison.called_anew(path, call, "cpu")
            if old is None:
                continue
            values = comparison.before.values(old)
            if any(map(_is_no_tensor, values)) or _is_sifted(comparison, call):
                reason = f"`{ast.unparse(old)}` may be something without `.cpu`"
                yield comparison.objection(NAME, path, call, reason)


def _is_sifted(comparison: Comparison, call: ast.Call) -> bool:
    """``torch.zeros_like(x) if x.dtype is torch.float32 else np.zeros_like(x)``: who asks for a
    dtype of torch may get an array, which goes the other way."""
    assert isinstance(call.func, ast.Attribute)
    child: ast.AST = call
    for above in enclosing(comparison.after, call):
        if isinstance(above, FUNCTIONS):
            return False
        if isinstance(above, (ast.If, ast.IfExp)) and child is not above.test:
            inside = above.body if isinstance(above.body, list) else [above.body]
            other = child not in inside
            if _asks_for_dtype(above.test, call.func.value, equal=not other):
                return True
        child = above
    return False


def _asks_for_dtype(test: ast.expr, tree: ast.expr, *, equal: bool) -> bool:
    """Whether a test compares the dtype of ``tree``, with the other answer than this where it is
    the one that is asked for."""
    match test:
        case ast.Compare(ast.Attribute(value=asked, attr="dtype"), [op], [_]):
            positive = isinstance(op, (ast.Eq, ast.In, ast.Is))
            return (
                of_tree(asked) is not None
                and of_tree(asked) == of_tree(tree)
                and positive is not equal
            )
    return False


def _is_no_tensor(value: Value) -> bool:
    if isinstance(value, Opaque):
        return not value.parameter.tensor and not value.parameter.module
    return _stays(value)


def _brings(tree: ast.expr) -> bool:
    """``x.cpu()``."""
    called = tree.func if isinstance(tree, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr == "cpu"


def _may_lack_it(values: Sequence[Value]) -> bool:
    """Whether it has no ``.to`` in one context, or is unknown in one: a tuple for all we know."""
    return any(_stays(value) or _is_unknown(value) for value in values)


def _is_unknown(value: Value) -> bool:
    return isinstance(value, Unknown) and not (value.torch or isinstance(value, Either))


def _stays(value: Value) -> bool:
    """Whether it has no ``.to``."""
    if isinstance(value, Either):
        return any(map(_stays, alternatives(value)))
    if isinstance(value, Plain):
        return value.text or value.number
    return isinstance(value, (Array, Class, Const, Dtype, Function, Listing, Tuple))
