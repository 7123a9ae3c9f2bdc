"""Long lists, page by page."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Final

from devicefix.mcp.root import RefusedError

_DIGITS: Final = 8


def page(items: Sequence[Any], limit: int, cursor: str | None) -> tuple[Sequence[Any], str | None]:
    """At most ``limit`` of ``items`` from ``cursor`` on, and the cursor of the next page.

    Raises `RefusedError` where the list is another one than that of which ``cursor`` was given.
    """
    digest = _digest(items)
    start = 0 if cursor is None else _start(cursor, digest)
    end = start + limit
    return items[start:end], f"{end}-{digest}" if end < len(items) else None


def _start(cursor: str, digest: str) -> int:
    number, _, of = cursor.partition("-")
    if not number.isdecimal():
        raise RefusedError(
            f"{cursor!r} is not a cursor; pass `next` from the previous answer, or omit it"
        )
    if of != digest:
        raise RefusedError("the list has changed since that cursor was given: start without one")
    return int(number)


def _digest(items: Sequence[Any]) -> str:
    return hashlib.sha256(json.dumps(items, sort_keys=True).encode()).hexdigest()[:_DIGITS]
