"""What a generator of programs decides with: draws of hypothesis, or of a seeded generator."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


class Choices:
    """Decisions; the first of several is the simplest, and what shrinking tends to."""

    def __init__(self, below: Callable[[int], int]) -> None:
        self._below = below

    @classmethod
    def seeded(cls, seed: int) -> Choices:
        """The same decisions for the same seed, without hypothesis."""
        return cls(random.Random(seed).randrange)

    @classmethod
    def replayed(cls, draws: Sequence[int]) -> Choices:
        """Decisions that were made before; the simplest ones when there are no more of them."""
        left = iter(draws)
        return cls(lambda count: min(next(left, 0), count - 1))

    def recorded(self, draws: list[int]) -> Choices:
        """The same decisions, which are also written down in ``draws``."""

        def below(count: int) -> int:
            draws.append(self._below(count))
            return draws[-1]

        return Choices(below)

    def number(self, count: int) -> int:
        """One of ``range(count)``."""
        return self._below(count) if count > 1 else 0

    def pick(self, options: Sequence[T]) -> T:
        """One of ``options``."""
        return options[self.number(len(options))]

    def chance(self, one_in: int = 2) -> bool:
        """True once in so many times; False is the simpler."""
        return self.number(one_in) == one_in - 1


@st.composite
def choices(draw: st.DrawFn) -> Choices:
    """Choices that hypothesis makes, remembers and shrinks."""
    return Choices(lambda count: draw(st.integers(0, count - 1)))
