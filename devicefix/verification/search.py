"""Finding those among many that keep a verification from passing, with few verifications.

What is searched is anything that has an equality: here it is known only which of them are *kept*.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item")
Passes = Callable[[frozenset[Item]], bool]
"""Whether it passes with these kept, and all others left out."""


class EnoughError(Exception):
    """Raised by a `Passes` that may not be asked any more."""


class Search(Generic[Item]):
    """Which of some things can be kept.

    Nothing is assumed of what does not pass: things may need each other, or hurt only together. One
    is refused only if it was seen to fail beside others that pass without it.
    """

    def __init__(self, items: Sequence[Item], passes: Passes[Item]) -> None:
        self._items = tuple(items)
        self._passes = passes
        self.kept: frozenset[Item] | None = None
        """The most that is known to pass; None as long as nothing is."""
        self.refused: tuple[Item, ...] = ()
        """Those that cannot be kept, as far as it is known."""
        self.exhausted = False
        """Whether the search ended before its end: some are neither kept nor refused."""

    def run(self, bare: bool) -> None:
        """Search, all together being known to fail. ``bare``: it passes if nothing is kept."""
        try:
            self._run(bare)
        except EnoughError:
            self.exhausted = True

    def extend(self, kept: frozenset[Item]) -> None:
        """Search for what can be added to ``kept``, which passes."""
        self.kept = kept
        try:
            self._add(tuple(item for item in self._items if item not in kept))
        except EnoughError:
            self.exhausted = True

    def _run(self, bare: bool) -> None:
        self.kept = frozenset() if bare else self._some_rest()
        if self.kept is None:
            return
        found = self.kept
        self._add(tuple(item for item in self._items if item not in found), fails=True)
        if len(self.refused) > 1:
            self._refuse_one()

    def _some_rest(self) -> frozenset[Item] | None:
        """All but a part of them, as small a one as need be."""
        pieces = 2
        whole = frozenset(self._items)
        while pieces < 2 * len(self._items):
            for part in _parts(self._items, min(pieces, len(self._items))):
                if len(part) < len(whole) and self._passes(whole.difference(part)):
                    return whole.difference(part)
            pieces *= 2
        return None

    def _add(self, items: Sequence[Item], fails: bool = False) -> None:
        """Keep as many of ``items`` as pass with what is kept; ``fails``: not all of them do."""
        assert self.kept is not None
        if not items:
            return
        if not fails and self._passes(self.kept.union(items)):
            self.kept = self.kept.union(items)
        elif len(items) == 1:
            self.refused += (items[0],)
        else:
            half = len(items) // 2
            self._add(items[:half])
            # where all of the first half is kept, the second is what fails
            self._add(items[half:], fails=self.kept.issuperset(items[:half]))

    def _refuse_one(self) -> None:
        """Where several were refused: whether leaving out one of them is enough.

        Those that need each other fail one by one, and pass without the one that is at fault.
        """
        whole = frozenset(self._items)
        for one in self.refused:
            if self._passes(whole - {one}):
                self.kept, self.refused = whole - {one}, (one,)
                return


def _parts(items: Sequence[Item], count: int) -> Iterator[Sequence[Item]]:
    """``items`` in ``count`` parts of nearly the same length."""
    ends = [len(items) * number // count for number in range(count + 1)]
    for start, end in itertools.pairwise(ends):
        yield items[start:end]
