"""Wrapping and replacing expressions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devicefix.findings import Edit

if TYPE_CHECKING:
    from devicefix.source import Source

_ATOMS = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.List, ast.Tuple, ast.Dict, ast.Set)


def append_call(source: Source, expr: ast.expr, suffix: str, rank: int = 0) -> tuple[Edit, ...]:
    """``expr`` -> ``expr<suffix>``, in parentheses where precedence needs them."""
    span = source.span(expr)
    if isinstance(expr, _ATOMS):
        return (Edit(span.end, span.end, rank, suffix),)
    return (
        Edit(span.start, span.start, 0, "("),
        Edit(span.end, span.end, -1, ")"),
        Edit(span.end, span.end, rank, suffix),
    )


def replace_expression(source: Source, expr: ast.expr, text: str) -> Edit:
    """Put ``text`` in the place of ``expr``."""
    span = source.span(expr)
    return Edit(span.start, span.end, 0, text)
