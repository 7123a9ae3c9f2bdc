"""``heapq``, ``bisect``, ``random.shuffle``: functions that order a list."""

from __future__ import annotations

import ast

from devicefix.flow.binding import forget_order
from devicefix.flow.containers import call_container_method
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.joins import element
from devicefix.flow.overloads import compare_items
from devicefix.flow.values import NONE, PLAIN, Tuple, Unknown, Value, is_none

_PUSHING = frozenset({
    "bisect.insort", "bisect.insort_left", "bisect.insort_right", "heapq.heappush",
    "heapq.heappushpop", "heapq.heapreplace",
})  # fmt: skip
_POPPING = frozenset({"heapq.heappop", "heapq.heappushpop", "heapq.heapreplace"})
_SEARCHING = frozenset({"bisect.bisect", "bisect.bisect_left", "bisect.bisect_right"})
_REORDERING = _PUSHING | _POPPING | {"heapq.heapify", "numpy.random.shuffle", "random.shuffle"}


def note_order(frame: Frame, name: str, args: Arguments) -> None:
    """``random.shuffle(xs)`` and its like: what is at which place is not known any more."""
    if name in _REORDERING and (given := args.value(0)) is not None:
        forget_order(frame, given)


def call_heap(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> Value | None:
    """``heapq.heappush(heap, item)`` appends, ``heapq.heappop(heap)`` gives an element; None for
    all other functions."""
    heap = args.value(0)
    if heap is None or name not in _PUSHING | _POPPING | _SEARCHING:
        return None
    if is_none(args.value(None, "key") or NONE):
        compare_items(frame, tree, heap, Tuple(tuple(v for _, v in args.positional[1:2])))
    if name in _PUSHING:
        pushed = Arguments(args.positional[1:2])
        call_container_method(frame, tree, heap, "append", pushed)
    if name in _POPPING:
        return element(heap) or Unknown("an element of a heap")
    return PLAIN
