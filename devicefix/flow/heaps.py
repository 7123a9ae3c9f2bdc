"""``heapq`` and ``bisect``: functions that keep a list in order."""

from __future__ import annotations

import ast

from devicefix.flow.containers import call_container_method
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.joins import element
from devicefix.flow.values import PLAIN, Unknown, Value

_PUSHING = frozenset({
    "bisect.insort", "bisect.insort_left", "bisect.insort_right", "heapq.heappush",
    "heapq.heappushpop", "heapq.heapreplace",
})  # fmt: skip
_POPPING = frozenset({"heapq.heappop", "heapq.heappushpop", "heapq.heapreplace"})


def call_heap(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> Value | None:
    """``heapq.heappush(heap, item)`` appends, ``heapq.heappop(heap)`` gives an element; None for
    all other functions."""
    heap = args.value(0)
    if heap is None or name not in _PUSHING | _POPPING:
        return None
    if name in _PUSHING:
        pushed = Arguments(args.positional[1:2])
        call_container_method(frame, tree, heap, "append", pushed)
    if name in _POPPING:
        return element(heap) or Unknown("an element of a heap")
    return PLAIN
