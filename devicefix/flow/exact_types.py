"""``type(x) == numpy.ndarray``: what is no instance of a class is not exactly of it, either.

That it is an instance does not answer the question: it may be one of a class derived from it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.flow.frame import Frame
from devicefix.flow.kind_tests import is_instance
from devicefix.flow.values import Const, External, Tuple, Value


def asked_for_type(frame: Frame, test: ast.expr) -> ast.expr | None:
    """``x`` in ``type(x) == …``, ``type(x) is …`` and ``type(x) in (…)``."""
    match test:
        case ast.Compare(ast.Call(ast.Name() as func, [ast.Name() as asked], []), [_], [_]):
            return asked if frame.evaluate(func) == External("builtins.type") else None
    return None


def is_of_type(frame: Frame, test: ast.Compare, value: Value) -> Const | None:
    """What ``test`` gives where ``value`` is asked for its type; None where that is open."""
    names = list(_classes(test.ops[0], frame.evaluate(test.comparators[0])))
    if not names or any(is_instance(value, name) is not False for name in names):
        return None
    return Const(isinstance(test.ops[0], (ast.NotEq, ast.IsNot, ast.NotIn)))


def _classes(op: ast.cmpop, wanted: Value) -> Iterator[str]:
    """The names of the classes that are asked for; "" for one of the program."""
    match op, wanted:
        case (ast.Eq() | ast.NotEq() | ast.Is() | ast.IsNot(), External(name=name)):
            yield name
        case (ast.In() | ast.NotIn(), Tuple(items=items)):
            for item in items:
                yield item.name if isinstance(item, External) else ""
