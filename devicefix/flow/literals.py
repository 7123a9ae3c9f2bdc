"""Strings that name an accelerator."""

from __future__ import annotations

import ast

from devicefix.flow.frame import Frame
from devicefix.flow.values import is_accelerator_string


def note_literal(frame: Frame, expr: ast.expr | None) -> None:
    """Remember accelerator strings used as a device."""
    if isinstance(expr, ast.Constant) and is_accelerator_string(expr.value):
        frame.seen.device_literals[expr] = frame.occurrence(expr)
