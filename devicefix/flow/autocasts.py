"""Regions in which torch casts what is computed on the CPU: ``torch.autocast("cpu")``.

Nothing is cast there on another device, so that a model which moves would compute in float32
(https://docs.pytorch.org/docs/stable/amp.html#torch.autocast).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from devicefix.flow.values import Const

if TYPE_CHECKING:
    from devicefix.flow.frame import Frame

_AUTOCAST = frozenset({"torch.amp.autocast", "torch.autocast"})
_OF_CPU = "torch.cpu.amp.autocast"


def casts_on_cpu(frame: Frame, contexts: Iterable[ast.expr]) -> bool:
    """Whether one of the contexts, or of the decorators, is an autocast of the CPU."""
    return any(isinstance(tree, ast.Call) and _is_of_cpu(frame, tree) for tree in contexts)


def _is_of_cpu(frame: Frame, tree: ast.Call) -> bool:
    names = frame.seen.calls.get(tree, frozenset[str]())
    given = {k.arg: frame.evaluate(k.value) for k in tree.keywords}
    if given.get("enabled") == Const(False):
        return False
    kind = given.get("device_type") or (frame.evaluate(tree.args[0]) if tree.args else None)
    return _OF_CPU in names or (kind == Const("cpu") and not _AUTOCAST.isdisjoint(names))
