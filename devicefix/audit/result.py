"""What an audit found, and what follows from it."""

from __future__ import annotations

import enum
from collections import Counter
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from devicefix.engine import FileError


class Category(enum.Enum):
    """What kind of work an item is."""

    AUTOMATIC = "automatic"
    """A safe fix exists."""
    DECISION = "needs a decision"
    UNSUPPORTED = "unsupported dtype or operator"
    PACKAGE = "third-party CUDA package"
    KERNEL = "custom CUDA kernel"
    BACKEND = "distributed backend"


HOURS: Final = MappingProxyType(
    {
        Category.AUTOMATIC: 0.02,
        Category.DECISION: 0.25,
        Category.UNSUPPORTED: 0.5,
        Category.PACKAGE: 4.0,
        Category.KERNEL: 16.0,
        Category.BACKEND: 0.5,
    }
)
"""Hours for one item: assumptions to be replaced by your own, not measurements."""
_MOST: Final = 10


class Item(Struct, frozen=True):
    """One thing to do, at one place."""

    category: Category
    path: str
    line: int
    what: str


class Audit(Struct, frozen=True):
    """The outcome for one target."""

    target: str
    items: tuple[Item, ...]
    errors: tuple[FileError, ...]
    checked: int

    def counts(self) -> dict[Category, int]:
        """How many items each category has."""
        found = Counter(item.category for item in self.items)
        return {category: found[category] for category in Category}

    @property
    def share(self) -> float | None:
        """The share of the items that is automatic; None where there are none."""
        return self.counts()[Category.AUTOMATIC] / len(self.items) if self.items else None

    @property
    def hours(self) -> float:
        """The sum of `HOURS` over all items."""
        return sum(HOURS[item.category] for item in self.items)

    def files(self) -> list[tuple[str, int, float]]:
        """The ten files with the most hours: path, items, hours."""
        items = Counter(item.path for item in self.items)
        hours: Counter[str] = Counter()
        for item in self.items:
            hours[item.path] += HOURS[item.category]  # type: ignore[assignment]
        ranked = sorted(items, key=lambda path: (-hours[path], -items[path], path))
        return [(path, items[path], float(hours[path])) for path in ranked[:_MOST]]
