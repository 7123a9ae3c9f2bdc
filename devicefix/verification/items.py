"""An execution as a list of single observations, each of which can be held against another."""

from __future__ import annotations

import enum
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from devicefix.records import Place
from devicefix.records.observations import Event, Kind, Leaf
from devicefix.verification.execution import Execution
from devicefix.verification.printed import Line, all_lines_of, continues, lines_of

_AT_THE_END: Final = 1 << 40
"""The order of what is known only when the program has ended."""


class Channel(enum.Enum):
    """Observations of one channel are compared with each other, in order or by name."""

    OUTPUT = "output"
    VALUES = "values"
    LOSSES = "losses"
    SAVED = "saved"
    STEPPED = "stepped"
    RAISED = "raised"
    """Errors that torch raised and the program caught, by type and function."""
    LEFT = "left"
    FILES = "files"
    """Lines of the files that the program wrote."""
    STORED = "stored"
    """Values in other files that it wrote."""
    OTHER_OUTPUT = "other output"
    """What no Python code was seen to write: of C libraries and of other programs."""


Stream = tuple[Channel, int | str, int]
"""A channel, the process (0 was started first) and the thread; or a file.

The main thread is 0. All others are 1: which of them does what, and when, is not the same twice, so
what they do is compared without its order.
"""

_CHANNELS: Final = {
    Kind.READ: Channel.VALUES,
    Kind.LOSS: Channel.LOSSES,
    Kind.SAVED: Channel.SAVED,
    Kind.STEPPED: Channel.STEPPED,
    Kind.RAISED: Channel.RAISED,
    Kind.LEFT: Channel.LEFT,
}
KINDS: Final = {
    Channel.OUTPUT: Kind.WRITTEN,
    Channel.OTHER_OUTPUT: Kind.WRITTEN,
    Channel.FILES: Kind.WRITTEN,
    Channel.STORED: Kind.SAVED,
    **{channel: kind for kind, channel in _CHANNELS.items()},
}


NAMED: Final = frozenset(
    {Channel.LEFT, Channel.SAVED, Channel.STEPPED, Channel.RAISED, Channel.STORED}
)
"""Channels whose items are compared by their names; those of others by their order."""


@dataclass(frozen=True, slots=True)
class Item:
    """One observation: a line of output, or one value."""

    name: str
    """What to call it."""
    root: str
    """What it is a part of: a name of the namespace, or one of several saved objects."""
    at: Place | None
    order: int
    """When it happened, among the observations of its process."""
    leaf: Leaf | None = None
    line: Line | None = None
    asks: bool = False
    """Whether the line of the program that wrote it asked what only a device can say."""

    @property
    def key(self) -> str:
        """What it has in common with the same observation of another run, in a named channel."""
        return f"{self.root}{self.leaf.path}" if self.leaf is not None else self.root


Items = dict[Stream, list[Item]]


def items_of(execution: Execution) -> Items:
    """All that was observed, by stream."""
    found: Items = {}
    written: Counter[str] = Counter()
    asked = _Asked.of(execution)
    for process, events in enumerate(execution.observed):
        output, saves = (_Output(asked), _Output(asked)), itertools.count(1)
        for order, event in enumerate(events.events):
            if event.kind is Kind.WRITTEN:
                output[event.thread > 0].add(event, order)
            elif event.kind in _CHANNELS:
                stream = _CHANNELS[event.kind], process, min(event.thread, 1)
                root = f"save {next(saves)}" if event.kind is Kind.SAVED else _root(event)
                found.setdefault(stream, []).extend(_values(event, order, root))
        for thread, lines in enumerate(output):
            lines.end()
            if lines.items:
                found[Channel.OUTPUT, process, thread] = lines.items
                written.update(item.line.text for item in lines.items if item.line is not None)
    for (channel, _, thread), items in found.items():
        if thread and channel not in NAMED:
            items.sort(key=_by_content)
    others = sorted(_unaccounted(execution.output, asked.names, written), key=_by_text)
    together = any(channel is Channel.OUTPUT and thread for channel, _, thread in found)
    if others and not together:  # threads write between the words of each other
        found[Channel.OTHER_OUTPUT, 0, 0] = others
    for path, text in execution.files.items():
        found[Channel.FILES, path, 0] = list(_written(path, text, asked.names))
    for path, leaves in execution.stored.items():
        found[Channel.STORED, path, 0] = [
            Item(f"{leaf.path or 'the content'} in {path}", "", None, _AT_THE_END, leaf)
            for leaf in leaves
        ]
    return found


def is_file(stream: Stream) -> bool:
    """Whether it is of one file that the program wrote."""
    return stream[0] in {Channel.FILES, Channel.STORED}


def files_of(items: Items) -> list[str]:
    """The files that the program wrote, the oldest first."""
    return [str(stream[1]) for stream in items if is_file(stream)]


def renamed(items: Items, names: Mapping[str, str]) -> Items:
    """``items`` with the streams of files under the names of another run."""
    return {
        (stream[0], names.get(str(stream[1]), stream[1]), 0) if is_file(stream) else stream: found
        for stream, found in items.items()
    }


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a program has asked of its device."""

    names: tuple[str, ...]
    """The names that it was told, the longest first: one may begin like another."""
    places: frozenset[Place]
    """Where it asked."""

    @staticmethod
    def of(execution: Execution) -> _Asked:
        events = [e for o in execution.observed for e in o.events if e.kind is Kind.ASKED]
        names = sorted({event.text for event in events if event.text}, key=_by_length)
        return _Asked(tuple(names), frozenset(e.at for e in events if e.at is not None))


def _by_length(name: str) -> tuple[int, str]:
    return -len(name), name


def _written(path: str, text: str, names: Sequence[str]) -> Iterator[Item]:
    for number, line in enumerate(all_lines_of(text, names), start=1):
        yield Item(f"{path}:{number}", "", None, _AT_THE_END, line=line)


def _root(event: Event) -> str:
    if event.kind is Kind.RAISED and event.at is not None:
        return f"{event.how} in {event.at.function}"
    return event.how


def _values(event: Event, order: int, root: str) -> Iterator[Item]:
    if event.kind is Kind.LEFT:
        order = _AT_THE_END
    for leaf in event.leaves:
        yield Item(_name(event, leaf), root, event.at, order, leaf=leaf)


def _name(event: Event, leaf: Leaf) -> str:
    match event.kind:
        case Kind.LOSS:
            return "the loss"
        case Kind.SAVED:
            return f"{leaf.path or 'the object'} in {event.how}"
        case Kind.STEPPED:
            return f"{leaf.path.strip()} of {event.how} after its last step"
        case Kind.RAISED:
            return f"{event.how} that the program caught"
    return f"{event.how}{leaf.path}"


class _Output:
    """Pieces of text as they are written become lines, each with the place that began it."""

    def __init__(self, asked: _Asked) -> None:
        self.items: list[Item] = []
        self._asked = asked
        self._text = ""
        self._at: Place | None = None
        self._order = 0

    def add(self, event: Event, order: int) -> None:
        """One piece. A printed tensor is one piece of several lines, and is read as a whole."""
        if self._text.endswith(("\n", "\r")) and not continues(event.text):
            self.end()
        if not self._text:
            self._at, self._order = event.at, order
        self._text += event.text

    def end(self) -> None:
        asks = self._at in self._asked.places
        for line in lines_of(self._text, self._asked.names):
            name = f"line {len(self.items) + 1} of the output"
            self.items.append(Item(name, "", self._at, self._order, line=line, asks=asks))
        self._text = ""


def _unaccounted(output: bytes, names: Sequence[str], written: Counter[str]) -> Iterator[Item]:
    """The lines of ``output`` that are not among those that were ``written``."""
    left = Counter(written)
    for line in lines_of(output.decode("utf-8", errors="replace"), names):
        if left[line.text] > 0:
            left[line.text] -= 1
        else:
            yield Item("a line of the output", "", None, _AT_THE_END, line=line)


def _by_content(item: Item) -> tuple[object, ...]:
    if item.line is not None:
        return _by_text(item)
    assert item.leaf is not None
    return item.leaf.shape, tuple(item.leaf.numbers or ())[:4], item.leaf.text


def _by_text(item: Item) -> tuple[str, str]:
    """Processes write as it happens: there is no order to compare."""
    assert item.line is not None
    return item.line.skeleton, item.line.text


def seeds_of(execution: Execution) -> tuple[tuple[str, object], ...]:
    """What the program seeded its generators with."""
    return tuple(
        (event.how, _number(event.leaves))
        for events in execution.observed
        for event in events.events
        if event.kind is Kind.SEEDED
    )


def rounded_in(execution: Execution) -> tuple[str, ...]:
    """Why the device may have had other last digits than the CPU: operators, or dtypes."""
    return tuple(
        dict.fromkeys(
            event.how
            for events in execution.observed
            for event in events.events
            if event.kind is Kind.ROUNDED
        )
    )


def rounded_since(execution: Execution) -> dict[int, int]:
    """By process, the moment since which its values may have other last digits."""
    found: dict[int, int] = {}
    for process, events in enumerate(execution.observed):
        for order, event in enumerate(events.events):
            if event.kind is Kind.ROUNDED:
                found.setdefault(process, order)
    return found


def _number(leaves: Sequence[Leaf]) -> object:
    return tuple(tuple(leaf.numbers) if leaf.numbers is not None else leaf.text for leaf in leaves)


def by_key(items: Iterable[Item]) -> dict[str, Item]:
    """Items of a channel that is compared by names."""
    return {item.key: item for item in items}
