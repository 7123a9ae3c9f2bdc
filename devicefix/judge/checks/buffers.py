"""Is everything that the edits register as a buffer a tensor, or None, and never a parameter?

``register_buffer`` refuses anything else, and a buffer that is no tensor would not move. It takes a
parameter, but ``parameters()`` does not list it then, and nothing trains it.
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
                obstacle = _obstacle(value)
                if obstacle:
                    reason = f"`{ast.unparse(call.args[1])}` {obstacle}"
                    yield comparison.objection(NAME, path, func, reason, call)
                    break


def _obstacle(value: Value) -> str:
    """Why it cannot be a buffer, or nothing."""
    if isinstance(value, Const) and value.value is None:
        return ""
    if not (isinstance(value, Tensor) and value.certain and value.maybe in ("", "none")):
        return "may not be a tensor: it cannot be a buffer"
    return "may be a parameter: as a buffer it would not be trained" if value.leaf else ""
