"""What the program before the change is observed to do, and what of it is not the same twice."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from devicefix.verification.alignment import Kinds, Pair, aligned
from devicefix.verification.endings import is_cut_short
from devicefix.verification.equality import varying
from devicefix.verification.execution import Execution
from devicefix.verification.file_names import kin, partners
from devicefix.verification.items import (
    NAMED,
    Channel,
    Item,
    Items,
    Stream,
    by_key,
    files_of,
    items_of,
    renamed,
)
from devicefix.verification.shuffled import in_order_of, shuffled
from devicefix.verification.steadiness import WHOLE, Mask, unlike, unsteady
from devicefix.verification.streams import Rest

SPREAD: Final = 10.0
"""How many times the spread of perturbed runs is accepted: a few runs do not show all of it."""


@dataclass
class Baseline:
    """One run of the program before the change, and masks over what varies."""

    execution: Execution
    items: Items
    masks: dict[Stream, dict[int | str, Mask]] = field(default_factory=dict)
    """By the place of an item in its stream, or by its name."""
    wandering: set[str] = field(default_factory=set)
    """Files that had other names in other runs."""
    unordered: dict[Stream, set[str]] = field(default_factory=dict)
    """Kinds of lines that come in another order now and then; see `shuffled`."""
    loose: set[tuple[str, str]] = field(default_factory=set)
    """Of files that are not written in every run, what they have in common."""
    unlike: str | None = None
    """Why no repeated run could say what varies; None where one did."""
    rests: list[Rest] = field(default_factory=list)
    """What repeated runs have printed behind the beginning that is kept."""
    _slack: dict[int, list[float]] = field(default_factory=dict)
    """By the identity of an item."""

    @property
    def device(self) -> str:
        """Where it ran."""
        return self.execution.device

    @property
    def varies(self) -> bool:
        """Whether something is known not to be the same in every run before the change."""
        return any(mask for masks in self.masks.values() for mask in masks.values())

    @property
    def doubt(self) -> str | None:
        """Why it cannot be said whether another run does the same; None where it can."""
        return self.unlike or unsteady(self.items, self.masks, NAMED)

    def mask(self, stream: Stream, key: int | str) -> Mask:
        """What of an item must not be compared."""
        return self.masks.get(stream, {}).get(key, frozenset())

    def forget(self) -> None:
        """Know of nothing that it varies."""
        self.items = items_of(self.execution)
        self.masks.clear()
        self.wandering.clear()
        self.loose.clear()
        self.unordered.clear()
        self.rests.clear()
        self.unlike = None

    def learn(self, again: Execution) -> None:
        """Mask what is not the same in another run of the same program.

        A run that ended otherwise lacks what it did not come to: nothing is learned from it.
        """
        self.unlike = unlike(self.execution, again)
        if self.unlike is not None:
            return
        if again.rest is not None:
            self.rests.append(again.rest)
        other = self._by_our_names(items_of(again))
        if is_cut_short(again):
            self._shorten(other)
        for stream, mine in self.items.items():
            masks = self.masks.setdefault(stream, {})
            its = other.get(stream, [])
            self.unordered.setdefault(stream, set()).update(shuffled(mine, its))
            for key, mask in _varying(stream[0], mine, self._in_our_order(stream, its)):
                masks[key] = masks.get(key, frozenset()) | mask

    def of(self, after: Execution) -> Items:
        """What was observed in a run after the change, with files under the names of ours."""
        items = items_of(after)
        found = renamed(items, partners(files_of(self.items), files_of(items), self.wandering))
        return {stream: self._in_our_order(stream, its) for stream, its in found.items()}

    def _in_our_order(self, stream: Stream, its: list[Item]) -> list[Item]:
        """Lines that come in any order as they came in our run."""
        kinds = self.unordered.get(stream, ())
        return in_order_of(self.items.get(stream, []), its, kinds) if kinds else its

    def _by_our_names(self, other: Items) -> Items:
        """Learn which names are not the same twice, and which files come and go."""
        mine, its = files_of(self.items), files_of(other)
        found = partners(mine, its)
        self.wandering.update(set(mine) - set(its))
        for path in (set(mine) - set(found.values())) | (set(its) - set(found)):
            self.loose.add(kin(path))
        return renamed(other, found)

    def _shorten(self, other: Items) -> None:
        """Of runs that were ended, both have come only to what the shorter one has."""
        for stream, mine in self.items.items():
            if stream[0] not in NAMED:
                del mine[len(other.get(stream, ())) :]

    def slack(self, item: Item) -> Sequence[float]:
        """By how much the numbers of an item of ours may be off, because rounding does that.

        A number that the few perturbed runs left alone by chance, as one near zero that is the
        difference of large ones, is no surer than half of its tensor.
        """
        known = self._slack.get(id(item), ())
        if item.leaf is None or len(known) < 2:
            return known
        middle = _median(known)
        return [max(one, middle) for one in known]

    def widen(self, perturbed: Execution) -> None:
        """Learn how far a run goes astray whose arithmetic was off by units in the last place."""
        other = self.of(perturbed)
        for stream, mine in self.items.items():
            for one, its in _partners(stream[0], mine, other.get(stream, [])):
                pairs = zip(_numbers(one), _numbers(its), strict=True)
                spread = [SPREAD * abs(a - b) for a, b in pairs]
                known = self._slack.get(id(one), [0.0] * len(spread))
                self._slack[id(one)] = [max(pair) for pair in zip(known, spread, strict=True)]


def _median(numbers: Iterable[float]) -> float:
    """Of those that are finite, the larger one of two."""
    finite = sorted(filter(math.isfinite, numbers))
    return finite[len(finite) // 2] if finite else 0.0


def baseline_of(execution: Execution) -> Baseline:
    """A baseline of which nothing is known to vary."""
    return Baseline(execution, items_of(execution))


def paired(mine: Sequence[Item], other: Sequence[Item]) -> Iterator[Pair]:
    """The places of the same observation in two runs, in their order.

    Of equally many nobody has to know what they are: that takes reading each line of the output.
    """
    if len(mine) == len(other):
        return zip(range(len(mine)), range(len(mine)), strict=True)
    keys, others = ([_key(item) for item in items] for items in (mine, other))
    return aligned(keys, others, _kinds_of(mine, other))


def _kinds_of(mine: Sequence[Item], other: Sequence[Item]) -> Kinds | None:
    """What the values of two runs are apart from the numbers; None for lines of text."""
    if not all(item.leaf is not None for item in (*mine, *other)):
        return None
    one, its = ([(i.name, i.leaf and i.leaf.shape) for i in items] for items in (mine, other))
    return one, its


def _key(item: Item) -> Hashable:
    if item.line is not None:
        return item.line.skeleton
    assert item.leaf is not None
    leaf = item.leaf
    numbers = leaf.numbers if leaf.numbers is not None else ()
    return leaf.shape, tuple(f"{number:.3g}" for number in numbers[:4]) or leaf.text


def _varying(
    channel: Channel, mine: list[Item], other: list[Item]
) -> Iterator[tuple[int | str, Mask]]:
    for key, one, its in _matched(channel, mine, other):
        mask = _mask(one, its)
        if mask:
            yield key, mask


def _matched(
    channel: Channel, mine: list[Item], other: list[Item]
) -> Iterator[tuple[int | str, Item, Item | None]]:
    """Each item of ours, with its key and the one that belongs to it."""
    if channel in NAMED:
        names = by_key(other)
        yield from ((item.key, item, names.get(item.key)) for item in mine)
        return
    for first, second in paired(mine, other):
        if first is not None:
            yield first, mine[first], None if second is None else other[second]


def _partners(channel: Channel, mine: list[Item], other: list[Item]) -> Iterator[tuple[Item, Item]]:
    for _, one, its in _matched(channel, mine, other):
        if its is not None and len(_numbers(one)) == len(_numbers(its)):
            yield one, its


def _numbers(item: Item) -> Sequence[float]:
    """Of a line one for each token, not-a-number for a word."""
    if item.line is not None:
        return [math.nan if t.number is None else t.number for t in item.line.tokens]
    assert item.leaf is not None
    return item.leaf.numbers or ()


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
    if mine.type == its.type == "error":
        return True  # an error is the same one, whatever it says
    if mine.digest or its.digest:
        return (mine.shape, mine.digest) == (its.shape, its.digest)
    numbers = [leaf.numbers.tobytes() if leaf.numbers is not None else b"" for leaf in (mine, its)]
    return (mine.type, mine.text, numbers[0]) == (its.type, its.text, numbers[1])
