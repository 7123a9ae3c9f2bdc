"""The oldest torch that a program has to run with, and who says so."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

Version = tuple[int, ...]
"""``(1, 13)``, ``(0, 4, 1)``."""

EARLIEST: Final[Version] = (0, 4)
"""What is older counts as this: it has no ``torch.device``, so nothing could be written for it."""


class OldestTorch(Struct, frozen=True):
    """A version, and the words in which a reason names it."""

    version: Version = (2, 4)
    said: str = "min-torch is 2.4"
    granted: frozenset[str] = frozenset()
    """Names that settings have rewrites write: the user knows that they are there."""


def version_of(text: str) -> Version:
    """The numbers of ``text``, such as ``"1.13"``."""
    return tuple(map(int, text.split(".")))
