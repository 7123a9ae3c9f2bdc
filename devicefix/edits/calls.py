"""Arguments and methods of calls."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devicefix.findings import Edit

if TYPE_CHECKING:
    from devicefix.source import Source


def add_keyword(source: Source, call: ast.Call, name: str, value: str) -> Edit:
    """Add ``name=value`` as the last argument that may stand there."""
    span = source.span(call)
    args = [*call.args, *(k.value for k in call.keywords)]
    if not args:
        return Edit(span.end - 1, span.end - 1, 0, f"{name}={value}")
    end = max(source.span(a).end for a in args)
    return Edit(end, end, 5, f", {name}={value}")


def replace_method(source: Source, call: ast.Call, text: str) -> Edit:
    """``x.cuda(1)`` -> ``x.<text>``."""
    assert isinstance(call.func, ast.Attribute)
    end = source.span(call.func).end
    return Edit(end - len(call.func.attr), source.span(call).end, 0, text)
