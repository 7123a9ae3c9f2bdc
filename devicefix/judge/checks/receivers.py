"""Does everything behind which the edits write ``.to(device)`` have such a method?

What a registry makes may be a module under one name and a function under another.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from devicefix.flow.values import Array, Class, Const, Dtype, Function, Listing, Plain, Value
from devicefix.judge.comparison import Comparison, Objection

NAME: Final = "receiver"


def objections(comparison: Comparison) -> Iterator[Objection]:
    """For each new ``x.to(device)`` where ``x`` surely is nothing that moves."""
    for move in comparison.moves:
        func = move.call.func
        if move.replaces is not None or not isinstance(func, ast.Attribute) or func.attr != "to":
            continue
        if any(map(_stays, comparison.after.values(func.value))):
            reason = f"`{ast.unparse(func.value)}` may be something that has no `.to`"
            yield comparison.objection(NAME, move.path, move.device, reason, move.call)


def _stays(value: Value) -> bool:
    """Whether it has no ``.to``."""
    if isinstance(value, Plain):
        return value.text or value.number
    return isinstance(value, (Array, Class, Const, Dtype, Function, Listing))
