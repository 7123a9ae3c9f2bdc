"""What a condition says about a name: behind ``if x is not None:`` it is something."""

from __future__ import annotations

import ast
from dataclasses import replace

from devicefix.flow.frame import Env, Frame
from devicefix.flow.values import Const, External, Tensor, Value

_TENSORS = frozenset(("torch.Tensor", "torch.is_tensor", "torch.autograd.Variable"))


def narrowed(frame: Frame, env: Env | None, test: ast.expr, holds: bool) -> Env | None:
    """``env`` where ``test`` holds, or where it does not: what may be no tensor surely is one."""
    if env is None:
        return None
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return narrowed(frame, env, test.operand, not holds)
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is holds:
        for part in test.values:
            env = narrowed(frame, env, part, holds)
        return env
    place = _shown(frame, test, holds)
    if place is None:
        return env
    expr, kind = place
    key = ast.unparse(expr) if _is_name(expr) else ""
    value = frame.evaluate(expr) if key else None
    if isinstance(value, Tensor) and value.maybe and value.maybe <= kind:
        env = {**env, key: (known := replace(value, maybe=""))}
        if "." in key:
            frame.parted.add(key.partition(".")[0])
            frame.shown.add((key, known))
    return env


def _is_name(expr: ast.expr) -> bool:
    if isinstance(expr, ast.Attribute):
        expr = expr.value
    return isinstance(expr, ast.Name)


def _shown(frame: Frame, test: ast.expr, holds: bool) -> tuple[ast.expr, str] | None:
    """The expression that ``test`` speaks of, and what it then cannot be."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        right = test.comparators[0]
        wanted = ast.IsNot if holds else ast.Is
        if isinstance(right, ast.Constant) and right.value is None:
            return (test.left, "none") if isinstance(test.ops[0], wanted) else None
    if holds and isinstance(test, ast.Call) and test.args and not test.keywords:
        return (test.args[0], "other") if _asks_for_tensor(frame, test) else None
    return None


def _asks_for_tensor(frame: Frame, test: ast.Call) -> bool:
    callee = frame.evaluate(test.func)
    if callee == External("builtins.isinstance") and len(test.args) == 2:
        return _name(frame.evaluate(test.args[1])) in _TENSORS
    return _name(callee) in _TENSORS


def _name(value: Value) -> str:
    return value.name if isinstance(value, External) else ""


def is_decided(test: ast.expr, value: Value) -> bool:
    """``x is None`` and ``isinstance`` are decided by the caller; flags may be edited by hand."""
    if isinstance(test, ast.UnaryOp):
        test = test.operand
    asks = isinstance(test, ast.Compare)
    if isinstance(test, ast.Call):
        asks = ast.unparse(test.func).rpartition(".")[2] in ("isinstance", "is_tensor")
    return isinstance(value, Const) and asks
