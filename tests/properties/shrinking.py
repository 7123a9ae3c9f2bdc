"""The smallest program that is wrong in the same way: fewer decisions, and simpler ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

Draws = tuple[int, ...]

MOST: Final = 250
"""Programs that are tried for one failure."""


def shrunk(draws: Draws, fails: Callable[[Draws], bool], most: int = MOST) -> Draws:
    """Draws that still fail, of which none can be left out or made 0; ``most`` are tried."""
    shrinking = _Shrinking(draws, fails, most)
    size = max(1, len(draws) // 2)
    while size and shrinking.left > 0:
        shrinking.leave_out(size)
        size //= 2
    shrinking.make_simple()
    return shrinking.draws


class _Shrinking:
    def __init__(self, draws: Draws, fails: Callable[[Draws], bool], most: int) -> None:
        self.draws = draws
        self.left = most
        self._fails = fails
        self._tried = {draws}

    def leave_out(self, size: int) -> None:
        """Every run of so many draws that is not needed."""
        start = 0
        while start < len(self.draws):
            if not self._take(self.draws[:start] + self.draws[start + size :]):
                start += size

    def make_simple(self) -> None:
        """Every draw that may as well be the first."""
        for place in range(len(self.draws)):
            if place < len(self.draws) and self.draws[place]:
                self._take((*self.draws[:place], 0, *self.draws[place + 1 :]))

    def _take(self, candidate: Draws) -> bool:
        if candidate in self._tried or self.left <= 0:
            return False
        self._tried.add(candidate)
        self.left -= 1
        if self._fails(candidate):
            self.draws = candidate
            return True
        return False
