"""Numbers and texts from the bytes of an input; behind its end all are the smallest there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

_Item = TypeVar("_Item")


class Draw:
    """Takes one thing after the other from ``data``."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def is_over(self) -> bool:
        """Whether nothing is left."""
        return self._at >= len(self._data)

    def number(self, most: int) -> int:
        """From 0 to ``most``, both included."""
        size = 1 if most < 256 else 2
        taken = self._data[self._at : self._at + size]
        self._at += size
        return int.from_bytes(taken, "big") % (most + 1)

    def one_of(self, items: Sequence[_Item]) -> _Item:
        """One of ``items``."""
        return items[self.number(len(items) - 1)]

    def text(self, most: int) -> str:
        """Some of the characters that come next; no more than ``most`` bytes."""
        taken = self._data[self._at : self._at + self.number(most)]
        self._at += len(taken)
        return taken.decode("utf-8", "replace")

    def rest(self) -> bytes:
        """All that is left."""
        taken = self._data[self._at :]
        self._at = len(self._data)
        return taken
