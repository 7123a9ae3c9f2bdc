"""What one process of a verified program was observed to do: the events, in their order.

`devicefix.observe` writes them as JSON lines, one event a line, so that a process that is killed
leaves all but its last moments.
"""

from __future__ import annotations

import base64
import enum
import json
import sys
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from devicefix.records.record import Place

SUFFIX: Final = ".events"
"""Ends the name of the file of events, which otherwise is that of the process's record."""

SAMPLED: Final = 4096
"""Elements of a tensor that an event holds; of larger ones every n-th, with a digest of all."""


class Kind(enum.Enum):
    """What was observed."""

    WRITTEN = "written"
    """Text that went to `sys.stdout`."""
    READ = "read"
    """Values that the program read out of a tensor: `.item()`, `.numpy()`, `float()`, printing."""
    LOSS = "loss"
    """The number that `backward` was called on, before a `GradScaler` has scaled it."""
    SAVED = "saved"
    """What `torch.save` wrote."""
    STEPPED = "stepped"
    """The parameters of an optimizer after its last step."""
    RAISED = "raised"
    """An error that torch raised, also one that the program caught."""
    ROUNDED = "rounded"
    """The first time that the device computed with other last digits than the CPU: the operator,
    or the dtype of half precision."""
    LEFT = "left"
    """What a name of the entry's namespace held at the end."""
    CUT = "cut"
    """So many bytes went to stdout; of what comes behind them nothing is told."""
    ASKED = "asked"
    """A question about the device that needs one; the text is its name, if the answer has it."""
    SEEDED = "seeded"
    """A number that a random generator was seeded with."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value, and its place in what was observed."""

    path: str
    """Where it is in a structure, as the program would write it: ``['model']['fc.weight']``."""
    type: str
    """``tensor``, ``array``, ``float``, ``int``, ``bool``, ``str``, ``none``, or a type's name."""
    dtype: str = ""
    """Of tensors and arrays, without ``torch.``: ``float32``."""
    shape: tuple[int, ...] = ()
    device: str = ""
    """Of tensors."""
    numbers: array[float] | array[int] | None = None
    """The elements in C order, at most `SAMPLED`: float64 ('d') for floating and complex dtypes
    (real and imaginary parts in turn), int64 ('q') for others. None for what is no number.
    """
    digest: str = ""
    """Of all bytes in the native dtype, for tensors and arrays."""
    text: str = ""
    """Of a string; what there is to say of an unknown type is its name."""
    loaded: str = ""
    """Of a tensor of a state that an optimizer was given to load: its digest at that moment."""
    shared: bool = False
    """Whether the optimizer has kept that tensor, and not a copy of it."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that was observed."""

    kind: Kind
    at: Place | None
    """The line of the program that did it; None for what is left at the end."""
    how: str
    """``.item``, ``print``; the file of `torch.save`; the name in the namespace; the generator."""
    leaves: tuple[Leaf, ...] = ()
    text: str = ""
    """What was written."""
    thread: int = 0
    """0 for the main thread; others by the order in which they were first observed."""


@dataclass(frozen=True, slots=True)
class Events:
    """What one process was observed to do."""

    pid: int
    main: bool
    """Whether it is the process that was started."""
    events: tuple[Event, ...]
    whole: bool
    """False where the process did not come to its end."""
    executed: Mapping[str, frozenset[int]]
    """Of the lines that were asked about, those that ran, by file."""
    precisions: frozenset[str]
    """The floating dtypes that arithmetic had, such as ``float16`` under autocast."""
    strangers: tuple[str, ...]
    """Files of the original tree that were imported although the program ran in a copy of it."""
    loaded: frozenset[str] = frozenset()
    """Files of the copy that it has run or imported."""

    @property
    def stdout_bytes(self) -> int | None:
        """How many bytes of stdout there are events of, if not of all."""
        cut = next((event for event in self.events if event.kind is Kind.CUT), None)
        return int(cut.text) if cut is not None else None


def read_events(path: Path) -> Events:
    """The events in the file at ``path``; an incomplete last line is passed over.

    Raises `OSError` and, for a file that is damaged elsewhere, `ValueError`.
    """
    lines = path.read_text(encoding="utf-8").split("\n")
    head = json.loads(lines[0])
    events: list[Event] = []
    tail: Mapping[str, Any] | None = None
    for text in lines[1:-1]:
        content = json.loads(text)
        if "kind" in content:
            events.append(_event(content))
        else:
            tail = content
    ending = tail or {}
    return Events(
        pid=int(head["pid"]),
        main=bool(head["main"]),
        events=tuple(events),
        whole=tail is not None,
        executed={file: frozenset(ran) for file, ran in ending.get("executed", {}).items()},
        precisions=frozenset(ending.get("precisions", ())),
        strangers=tuple(ending.get("strangers", ())),
        loaded=frozenset(ending.get("loaded", ())),
    )


def _event(content: Mapping[str, Any]) -> Event:
    at = content.get("at")
    return Event(
        kind=Kind(content["kind"]),
        at=None if at is None else Place(at[0], int(at[1]), at[2], at[3]),
        how=content.get("how", ""),
        leaves=tuple(map(_leaf, content.get("leaves", ()))),
        text=content.get("text", ""),
        thread=int(content.get("thread", 0)),
    )


def _leaf(content: Mapping[str, Any]) -> Leaf:
    return Leaf(
        path=content.get("path", ""),
        type=content["type"],
        dtype=content.get("dtype", ""),
        shape=tuple(content.get("shape", ())),
        device=content.get("device", ""),
        numbers=_numbers(content),
        digest=content.get("digest", ""),
        text=content.get("text", ""),
        loaded=content.get("loaded", ""),
        shared=bool(content.get("shared", False)),
    )


def _numbers(content: Mapping[str, Any]) -> array[float] | array[int] | None:
    """Little-endian, in base64: ``floats`` or ``ints``."""
    for key, code in (("floats", "d"), ("ints", "q")):
        if key in content:
            found: array[Any] = array(code, base64.b64decode(content[key]))
            if sys.byteorder == "big":
                found.byteswap()
            return found
    return None
