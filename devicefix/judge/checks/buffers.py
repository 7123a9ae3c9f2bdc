"""Is everything that the edits register as a buffer a tensor, or None?

``register_buffer`` refuses anything else, and a buffer that is no tensor would not move.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from devicefix.flow.values import Const, Tensor, Value
from devicefix.judge.comparison import Comparison, Objection

NAME: Final = "buffer"


def objections(comparison: Comparison) -> Iterator[Objection]:
    """For each call of ``register_buffer`` that the edits have written."""
    for path in comparison.maps:
        for call in comparison.source(path).of_type(ast.Call):
            func = call.func
            if not isinstance(func, ast.Attribute) or func.attr != "register_buffer":
                continue
            if len(call.args) < 2 or not comparison.is_written(path, func):
                continue
            for value in comparison.after.values(call.args[1]):
                if not _may_be_registered(value):
                    text = ast.unparse(call.args[1])
                    reason = f"`{text}` may not be a tensor: it cannot be a buffer"
                    yield comparison.objection(NAME, path, func, reason, call)
                    break


def _may_be_registered(value: Value) -> bool:
    if isinstance(value, Const):
        return value.value is None
    return isinstance(value, Tensor) and value.certain and value.maybe in ("", "none")
