"""The order of insertions at one offset, lowest first.

Insertions meet at one offset when nested expressions end together (``-x``), when a statement starts
where another's line ends, or when an argument is both wrapped and followed by a new one. The bands
below lie further apart than any text is long, so that lengths can order insertions within a band.
"""

from __future__ import annotations

from typing import Final

_BAND: Final = 10**13
_APPENDS: Final = 1000

AFTER: Final = -5 * _BAND
"""A line after a statement: before everything that belongs to the next line."""
AFTER_IMPORTS: Final = -4 * _BAND
BODY_START: Final = -3 * _BAND
BEFORE: Final = -2 * _BAND
HEADER: Final = BEFORE + 1
"""``if condition:`` above a statement that goes below it, and the new indentation behind that."""
INDENT: Final = BEFORE + 2
ASSIGN: Final = -1 * _BAND
ENCLOSED: Final = _BAND // 2
"""``)`` of a call that now takes what the statement assigned: behind all appends to that."""
KEYWORD: Final = 1 * _BAND
"""``, name=value`` after the last argument: behind what is appended to that argument."""
SAME_LINE: Final = 2 * _BAND
"""``; statement`` behind everything that belongs to the statement before."""
LAST_LINE: Final = 3 * _BAND
"""A new line behind a last line that has no line end."""


def opening(length: int) -> int:
    """The rank of a parenthesis that opens before an expression: the longest opens first."""
    return -length


def closing(length: int) -> int:
    """The rank of a parenthesis that closes behind an expression: the shortest closes first."""
    return length * _APPENDS


def appended(length: int, rank: int) -> int:
    """The rank of ``.method()`` behind an expression of this length: after its parenthesis.

    ``rank`` orders several of them on one expression. Raises ``ValueError`` where it is negative or
    would reach into the next expression's ranks.
    """
    if not 0 <= rank < _APPENDS - 1:
        raise ValueError(f"rank {rank} is not within 0..{_APPENDS - 2}")
    return closing(length) + 1 + rank
