"""Whether a program does enough of the same thing twice to be compared at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from devicefix.records import How
from devicefix.verification.endings import has_raised
from devicefix.verification.execution import Execution
from devicefix.verification.items import Channel, Item, Items, Stream

WHOLE: Final = frozenset({-1})
"""A mask over all of an item."""

MOST_VARYING: Final = 0.5
"""The largest share of what is observed that may vary from run to run."""

Mask = frozenset[int]
"""The tokens of a line that vary; `WHOLE` for all of an item."""

Masks = Mapping[int | str, Mask]
"""By the place of an item in its stream, or by its name."""

_ALL_OF: Final = {Channel.LOSSES: "every loss", Channel.OUTPUT: "everything that it prints"}
"""What a program is about: where nothing of it is the same twice, the rest proves little."""


def unlike(first: Execution, again: Execution, when: str = "before") -> str | None:
    """Why a repeated run cannot say what varies: it did not end as the first one did.

    None where it did.
    """
    if _ending(first) == _ending(again):
        return None
    return f"{when} the change two runs end differently: {_words(first)}, then {_words(again)}"


def _ending(run: Execution) -> tuple[object, ...]:
    return run.ending.how, run.ending.status, has_raised(run)


def _words(run: Execution) -> str:
    match run.ending.how:
        case How.TIMEOUT:
            return "out of time"
        case How.MEMORY:
            return "out of memory"
    return f"exit status {run.ending.status}"


def unsteady(items: Items, masks: Mapping[Stream, Masks], named: frozenset[Channel]) -> str | None:
    """Why too much varies from run to run to say anything; None where enough is the same."""
    kept: dict[Channel, list[bool]] = {}
    for stream, found in items.items():
        known = masks.get(stream, {})
        keys: Iterable[int | str] = (
            (item.key for item in found) if stream[0] in named else range(len(found))
        )
        kept.setdefault(stream[0], []).extend(
            not _is_lost(item, known.get(key, frozenset()))
            for key, item in zip(keys, found, strict=True)
        )
    for channel, what in _ALL_OF.items():
        if kept.get(channel) and not any(kept[channel]):
            return f"before the change {what} varies from run to run"
    every = [one for some in kept.values() for one in some]
    lost = every.count(False)
    if lost > MOST_VARYING * len(every):
        return f"before the change {lost} of {len(every)} values vary from run to run"
    return None


def _is_lost(item: Item, mask: Mask) -> bool:
    """Whether nothing is left of it to compare: of a line that holds numbers, none of them."""
    if mask == WHOLE or item.line is None or not mask:
        return mask == WHOLE
    numbers = {at for at, token in enumerate(item.line.tokens) if token.number is not None}
    return bool(numbers) and numbers <= mask
