"""Strings that name an accelerator."""

from __future__ import annotations

import ast

from devicefix.flow.frame import Frame
from devicefix.flow.values import Const, Plain, Value, is_accelerator_string


def note_literal(frame: Frame, expr: ast.expr | None, value: Value) -> None:
    """Remember accelerator strings used as a device, and the names that hold them."""
    named = isinstance(value, Const) and is_accelerator_string(value.value)
    if isinstance(expr, (ast.Name, ast.Attribute)) and named:
        frame.seen.device_names.add(ast.unparse(expr))
    if isinstance(expr, ast.Attribute) and value == Plain(choice=True):
        frame.seen.device_options.setdefault(ast.unparse(expr), set()).add(frame.entry)
    if isinstance(expr, ast.Constant) and is_accelerator_string(expr.value):
        frame.seen.device_literals[expr] = frame.occurrence(expr)
