"""Numbers with their nouns."""

from __future__ import annotations


def counted(number: int, noun: str, several: str = "") -> str:
    """``2 files``, ``1 file``."""
    return f"{number} {noun if number == 1 else several or noun + 's'}"


def hours_text(hours: float) -> str:
    """``1.5``; ``0`` means none, and less than a tenth is not rounded to it."""
    return "< 0.1" if 0 < hours < 0.05 else f"{hours:.1f}" if hours else "0"


def open_to_decide(number: int) -> str:
    """``2 need your decision``: the findings that `apply` leaves."""
    return f"{number} {'needs' if number == 1 else 'need'} your decision"
