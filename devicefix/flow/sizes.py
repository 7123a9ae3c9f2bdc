"""How large a value may become: ``pair = (pair, pair)`` doubles with each pass of a loop.

Values are compared and joined part by part, and parts that are shared count each time.
"""

from __future__ import annotations

from typing import Final

from devicefix.flow.values import Stream, Tuple, Unknown, Value

_DEEP: Final = 4
"""Tables that are written out are hardly deeper."""
_MANY: Final = 256
"""Containers in a value that is deeper than that."""
_TOO_MANY: Final = 20_000
"""Containers in any value."""


def widened(value: Value) -> Value:
    """``value``, or nothing known where it has grown too large to be worked with."""
    if type(value) not in (Tuple, Stream):
        return value
    level, depth, count = [value], 0, 0
    while level:
        level = [part for holder in level for part in _containers(holder)]
        depth, count = depth + 1, count + len(level)
        if count > (_MANY if depth > _DEEP else _TOO_MANY):
            return Unknown("deeply nested")
    return value


def _containers(holder: Value) -> list[Value]:
    match holder:
        case Tuple(items=items):
            return [part for part in items if isinstance(part, (Tuple, Stream))]
        case Stream(element=inner) if isinstance(inner, (Tuple, Stream)):
            return [inner]
        case _:
            return []
