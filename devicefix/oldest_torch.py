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

    version: Version = (2, 0)
    said: str = "the project does not say which torch it needs"
    granted: frozenset[str] = frozenset()
    """Names that settings have rewrites write: the user knows that they are there."""


NEWEST_DECLARED: Final = OldestTorch((2, 4), "newer names need `min-torch`")
"""What a project has declared counts as no newer than this: what it says is often what it was tried
with last."""


def version_of(text: str) -> Version:
    """The numbers of ``text``, such as ``"1.13"``."""
    return tuple(map(int, text.split(".")))
