"""Lines that come in another order now and then: threads print as they are done."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterator, Sequence

from devicefix.verification.items import Item


def shuffled(mine: Sequence[Item], other: Sequence[Item]) -> Iterator[str]:
    """The kinds of lines, told by what they say apart from numbers, of which two runs of the same
    program print the same ones in another order.
    """
    if [item.line for item in mine] == [item.line for item in other]:
        return
    ours, theirs = _by_kind(mine), _by_kind(other)
    for kind, lines in ours.items():
        its = theirs.get(kind, [])
        if lines != its and Counter(lines) == Counter(its):
            yield kind


def in_order_of(mine: list[Item], other: list[Item], kinds: Collection[str]) -> list[Item]:
    """``other`` with the lines of ``kinds`` in the order that they have in ``mine``.

    Those that are not the same in both take the places that are left.
    """
    counts = [Counter(map(_kind, items)) for items in (mine, other)]
    even = {kind for kind in kinds if counts[0][kind] == counts[1][kind]}
    if not even:
        return other
    waiting: dict[str, dict[str, deque[Item]]] = {kind: defaultdict(deque) for kind in even}
    for item in other:
        if (kind := _kind(item)) in even:
            waiting[kind][_text(item)].append(item)
    chosen: dict[str, list[Item | None]] = {kind: [] for kind in even}
    for item in mine:
        if (kind := _kind(item)) in even:
            alike = waiting[kind][_text(item)]
            chosen[kind].append(alike.popleft() if alike else None)
    left = {k: iter([i for same in texts.values() for i in same]) for k, texts in waiting.items()}
    turns = {kind: iter(items) for kind, items in chosen.items()}
    found: list[Item] = []
    for item in other:
        kind = _kind(item)
        found.append((next(turns[kind]) or next(left[kind])) if kind in even else item)
    return found


def _by_kind(items: Sequence[Item]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for item in items:
        if item.line is not None:
            found[item.line.skeleton].append(item.line.text)
    return found


def _kind(item: Item) -> str:
    return item.line.skeleton if item.line is not None else ""


def _text(item: Item) -> str:
    return item.line.text if item.line is not None else ""
