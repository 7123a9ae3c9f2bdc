"""Numbers as people read them."""

from __future__ import annotations


def counted(number: int, noun: str, several: str = "") -> str:
    """``2 files``, ``1 file``."""
    return f"{number} {noun if number == 1 else several or noun + 's'}"
