"""``x.to(device)``: the program itself says where a tensor goes, whatever that is."""

from __future__ import annotations

import ast

from devicefix.flow.dtype_names import only_casts
from devicefix.source.parsing import Parents


def is_sent(expression: ast.expr) -> bool:
    """Whether ``expression`` is ``x.to(device)``."""
    if not isinstance(expression, ast.Call) or getattr(expression.func, "attr", "") != "to":
        return False
    return not only_casts(expression)


def sent_on(parents: Parents, tree: ast.AST) -> ast.Call | None:
    """``tree.to(device)``, where the tensor that ``tree`` gives is at once sent on."""
    call = method_call(parents, tree)
    return call if call is not None and is_sent(call) else None


def method_call(parents: Parents, tree: ast.AST) -> ast.Call | None:
    """``tree.method(…)``, where ``tree`` is only asked for that."""
    attribute = parents.get(tree)
    call = parents.get(attribute) if isinstance(attribute, ast.Attribute) else None
    return call if isinstance(call, ast.Call) and call.func is attribute else None
