"""How large a value may become: ``pair = (pair, pair)`` doubles with each pass of a loop.

Values are compared and joined part by part, and parts that are shared count each time. What comes
from many places flows from each of them into whatever uses it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from devicefix.flow.graph import PlacementGraph
from devicefix.flow.joins import TOO_DEEP, join
from devicefix.flow.values import Either, Stream, Tensor, Tuple, Value

MAX_NODES: Final = 12
"""Origins of one tensor that are told apart."""

_DEEP: Final = 4
"""Tables that are written out are hardly deeper."""
_MANY: Final = 16
"""Containers in a value that is deeper than that."""
_TOO_MANY: Final = 20_000
"""Containers in any value."""
_FORMER: Final = frozenset(("early", "returned", "unfinished"))
"""The kinds of nodes of a module's parameters before a move: see ``construction.whereabouts``."""
_GROWING: Final = (Tuple, Stream, Either)
"""The values that hold others: nothing else grows."""


def bounded(graph: PlacementGraph, value: Value) -> Value:
    """``value``, kept small, and with few origins of each tensor: too many become one that ties.

    That one stands for them from then on: what they are joined with again stays as small, so that
    joins have an end.
    """
    small = widened(value, many=0 if graph.hurried else _MANY)
    return _with_few_origins(graph, small) if _has_more_origins(graph, small) else small


def _has_more_origins(graph: PlacementGraph, value: Value) -> bool:
    if isinstance(value, Tensor):
        return len(value.nodes) > 1 and _few(graph, value.nodes) != value.nodes
    return isinstance(value, _GROWING) and any(_has_more_origins(graph, v) for v in _parts(value))


def _few(graph: PlacementGraph, nodes: frozenset[int]) -> frozenset[int]:
    """``nodes``, less those for which another one stands that is among them."""
    stands = graph.merged.find
    apart = frozenset(node for node in nodes if stands(node) == node or stands(node) not in nodes)
    return apart if len(apart) <= MAX_NODES else frozenset((min(_lasting(graph, apart)),))


def _lasting(graph: PlacementGraph, nodes: frozenset[int]) -> frozenset[int]:
    """``nodes`` without the parameters of modules before a move: these are in another place than
    the same parameters behind it, so that nothing may tie them to each other."""
    keys = {node: graph.key(node) for node in nodes}
    found = (n for n, key in keys.items() if not isinstance(key, tuple) or key[0] not in _FORMER)
    return frozenset(found) or nodes


def _with_few_origins(graph: PlacementGraph, value: Value) -> Value:
    """What lists and dicts hold is bounded where it is put there."""
    if not _has_more_origins(graph, value):
        return value
    parts = [_with_few_origins(graph, part) for part in _parts(value)]
    match value:
        case Tensor(nodes=nodes):
            few = _few(graph, nodes)
            for node in _lasting(graph, nodes) if len(few) == 1 else ():
                graph.merge(min(few), node)
            return replace(value, nodes=few)
        case Stream():
            return replace(value, element=parts[0])
        case Tuple():
            return replace(value, items=tuple(parts))
        case Either():
            return replace(value, kinds=tuple(parts))
    return value


def _parts(value: Value) -> tuple[Value, ...]:
    if isinstance(value, Either):
        return value.kinds
    return _items(value) if isinstance(value, (Tuple, Stream)) else ()


def widened(value: Value, *, many: int = _MANY) -> Value:
    """``value``, or nothing known of its containers where it has grown too large to be worked with.

    ``many``: how many containers it may hold where it is deeper than tables are.
    """
    if not isinstance(value, _GROWING):
        return value
    level, depth, count = list(_containers_in(value)), 0, 0
    while level:
        level = [
            part for holder in level for item in _items(holder) for part in _containers_in(item)
        ]
        depth, count = depth + 1, count + len(level)
        if count > (many if depth > _DEEP else _TOO_MANY):
            return join(value, TOO_DEEP)
    return value


def _containers_in(value: Value) -> Iterator[Tuple | Stream]:
    """What holds others of what ``value`` may be."""
    if isinstance(value, (Tuple, Stream)):
        yield value
    elif isinstance(value, Either):
        yield from (kind for kind in value.kinds if isinstance(kind, (Tuple, Stream)))


def _items(holder: Tuple | Stream) -> tuple[Value, ...]:
    return holder.items if isinstance(holder, Tuple) else (holder.element,)
