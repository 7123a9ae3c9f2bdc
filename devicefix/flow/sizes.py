"""How large a value may become: ``pair = (pair, pair)`` doubles with each pass of a loop.

Values are compared and joined part by part, and parts that are shared count each time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from devicefix.flow.values import Either, Stream, Tuple, Unknown, Value

_DEEP: Final = 4
"""Tables that are written out are hardly deeper."""
_MANY: Final = 16
"""Containers in a value that is deeper than that."""
_TOO_MANY: Final = 20_000
"""Containers in any value."""
_GROWING: Final = (Tuple, Stream, Either)
"""The values that hold others: nothing else grows."""


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
