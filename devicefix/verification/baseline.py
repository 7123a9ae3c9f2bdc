"""What the program before the change is observed to do, and what of it is not the same twice."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Final

from devicefix.verification.alignment import aligned
from devicefix.verification.equality import varying
from devicefix.verification.execution import Execution
from devicefix.verification.items import Channel, Item, Items, Stream, by_name, items_of

NAMED: Final = frozenset({Channel.LEFT})
"""Channels whose items are compared by their names; those of others by their order."""

WHOLE: Final = frozenset({-1})
"""A mask over all of an item."""

Mask = frozenset[int]
"""The tokens of a line that vary; `WHOLE` for all of an item."""


@dataclass
class Baseline:
    """One run of the program before the change, and masks over what varies."""

    execution: Execution
    items: Items
    masks: dict[Stream, dict[int | str, Mask]] = field(default_factory=dict)
    """By the place of an item in its stream, or by its name."""

    @property
    def device(self) -> str:
        """Where it ran."""
        return self.execution.device

    def mask(self, stream: Stream, key: int | str) -> Mask:
        """What of an item must not be compared."""
        return self.masks.get(stream, {}).get(key, frozenset())

    def learn(self, again: Execution) -> None:
        """Mask what is not the same in another run of the same program."""
        other = items_of(again)
        for stream, mine in self.items.items():
            masks = self.masks.setdefault(stream, {})
            for key, mask in _varying(stream[0], mine, other.get(stream, [])):
                masks[key] = masks.get(key, frozenset()) | mask


def baseline_of(execution: Execution) -> Baseline:
    """A baseline of which nothing is known to vary."""
    return Baseline(execution, items_of(execution))


def keys_of(items: Sequence[Item]) -> list[Hashable]:
    """By what the items of two runs are found to be the same observation."""
    return [_key(item) for item in items]


def _key(item: Item) -> Hashable:
    if item.line is not None:
        return item.line.skeleton
    assert item.leaf is not None
    leaf = item.leaf
    numbers = leaf.numbers if leaf.numbers is not None else ()
    return leaf.shape, tuple(f"{number:.3g}" for number in numbers[:4]) or leaf.text


def _varying(
    channel: Channel, mine: list[Item], other: list[Item]
) -> list[tuple[int | str, Mask]]:
    if channel in NAMED:
        names = by_name(other)
        pairs = ((item.name, item, names.get(item.name)) for item in mine)
        return [(name, mask) for name, one, its in pairs if (mask := _mask(one, its))]
    found: list[tuple[int | str, Mask]] = []
    for first, second in aligned(keys_of(mine), keys_of(other)):
        if first is not None:
            mask = _mask(mine[first], None if second is None else other[second])
            if mask:
                found.append((first, mask))
    return found


def _mask(one: Item, other: Item | None) -> Mask:
    if other is None:
        return WHOLE
    if one.line is not None and other.line is not None:
        tokens = varying(one.line, other.line)
        return WHOLE if tokens is None else tokens
    assert one.leaf is not None
    return frozenset() if _is_same(one, other) else WHOLE


def _is_same(one: Item, other: Item) -> bool:
    mine, its = one.leaf, other.leaf
    if mine is None or its is None:
        return False
    if mine.digest or its.digest:
        return (mine.shape, mine.digest) == (its.shape, its.digest)
    numbers = [leaf.numbers.tobytes() if leaf.numbers is not None else b"" for leaf in (mine, its)]
    return (mine.type, mine.text, numbers[0]) == (its.type, its.text, numbers[1])
