"""How large a value may become: ``pair = (pair, pair)`` doubles with each pass of a loop.

Values are compared and joined part by part, and parts that are shared count each time. What comes
from many places flows from each of them into whatever uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from msgspec.structs import replace

from devicefix.flow.graph import PlacementGraph
from devicefix.flow.joins import tensors_in
from devicefix.flow.values import Either, Stream, Tensor, Tuple, Unknown, Value

MAX_NODES: Final = 12
"""Origins of one tensor that are told apart."""

_DEEP: Final = 4
"""Tables that are written out are hardly deeper."""
_MANY: Final = 16
"""Containers in a value that is deeper than that."""
_TOO_MANY: Final = 20_000
"""Containers in any value."""
_GROWING: Final = (Tuple, Stream, Either)
"""The values that hold others: nothing else grows."""


def bounded(graph: PlacementGraph, value: Value) -> Value:
    """``value``, kept small, and with few origins of each tensor: too many become one that ties."""

    def few(tensor: Tensor) -> Tensor:
        if len(tensor.nodes) <= MAX_NODES:
            return tensor
        first = min(tensor.nodes)
        for node in tensor.nodes:
            graph.tie(first, node)
        return tensor.at(first)

    small = widened(value)
    if all(len(tensor.nodes) <= MAX_NODES for tensor in tensors_in(small)):
        return small
    return _with_tensors(small, few)


def _with_tensors(value: Value, change: Callable[[Tensor], Tensor]) -> Value:
    """``value`` with another tensor in the place of each; what lists and dicts hold is theirs."""
    match value:
        case Tensor():
            return change(value)
        case Tuple(items=items):
            return replace(value, items=tuple(_with_tensors(item, change) for item in items))
        case Stream(element=element):
            return replace(value, element=_with_tensors(element, change))
        case Either(kinds=kinds):
            return replace(value, kinds=tuple(_with_tensors(kind, change) for kind in kinds))
        case _:
            return value


def widened(value: Value) -> Value:
    """``value``, or nothing known where it has grown too large to be worked with."""
    if not isinstance(value, _GROWING):
        return value
    level, depth, count = list(_containers_in(value)), 0, 0
    while level:
        level = [
            part for holder in level for item in _items(holder) for part in _containers_in(item)
        ]
        depth, count = depth + 1, count + len(level)
        if count > (_MANY if depth > _DEEP else _TOO_MANY):
            return Unknown("deeply nested")
    return value


def _containers_in(value: Value) -> Iterator[Tuple | Stream]:
    """What holds others of what ``value`` may be."""
    if isinstance(value, (Tuple, Stream)):
        yield value
    elif isinstance(value, Either):
        yield from (kind for kind in value.kinds if isinstance(kind, (Tuple, Stream)))


def _items(holder: Tuple | Stream) -> tuple[Value, ...]:
    return holder.items if isinstance(holder, Tuple) else (holder.element,)
