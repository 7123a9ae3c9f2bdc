"""The record of one process, as `devicefix.observe` writes it, as frozen types."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

FORMAT: Final = 1
"""The version of the format that is read here."""

RUNNING: Final = "running"
"""The status of a process that has not come to its end. Its record is otherwise empty, or holds
what was counted until then.
"""

Work = Mapping[str, int]
"""Arithmetic by device: floating point operations where torch counts them, else elements."""


class RecordError(ValueError):
    """Raised for a text that is no record of this version."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A line of the user's code."""

    file: str
    line: int
    """1-based."""
    function: str = field(compare=False)
    text: str = field(compare=False)
    """The line as it stands in the source, stripped."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One entry of a traceback, innermost last."""

    file: str
    line: int
    function: str
    text: str


@dataclass(frozen=True, slots=True)
class Held:
    """A line of the program that was running, and its expression for something."""

    variable: str
    at: Place
    """For a name that is not the function's own, with the function ``<module>``."""


@dataclass(frozen=True, slots=True)
class Ancestor:
    """What made a tensor of no other tensor, and where."""

    how: str
    created: Place


@dataclass(frozen=True, slots=True)
class Operand:
    """One tensor of an operation that failed."""

    name: str
    device: str
    shape: tuple[int, ...]
    dtype: str
    how: str
    """What made it, such as ``torch.randn``; empty where nobody saw."""
    created: Place | None
    moved: Place | None
    module: str | None
    """The name of the parameter or buffer that it is."""
    moved_by: str | None = None
    """The call of the last transfer, such as ``.to``."""
    variable: str | None = None
    """The program's own expression for it."""
    registered: bool = False
    """Whether it is a parameter or buffer, which `Module.to` moves."""
    holders: tuple[Held, ...] = ()
    """The running lines that have it in an expression, innermost first."""
    owners: tuple[Held, ...] = ()
    """And those that have a module whose parameter or buffer it is."""
    ancestors: tuple[Ancestor, ...] = ()
    """What it was computed of; empty if it was computed of no tensor."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The exception that ended a process."""

    type: str
    message: str
    placement: bool
    """Whether it is about where tensors live."""
    op: str | None
    at: Place | None
    traceback: tuple[Frame, ...]
    operands: tuple[Operand, ...]
    advice: str
    about: str = ""
    """The name of its kind in `devicefix.observe.placement_errors`, in lower case."""
    spans: tuple[tuple[int, ...], ...] = ()
    """For each entry of ``traceback`` the expression that was running: first line, its column, last
    line, its column, as the nodes of `ast` have them; empty where that is not known."""
    on_host: tuple[Held, ...] = ()
    """The expressions of the running lines that are tensors on the CPU, innermost first."""
    devices: tuple[Held, ...] = ()
    """What names the accelerator in the scopes of the running lines, innermost first."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """Copies between devices that one line made."""

    at: Place | None
    source: str
    target: str
    how: str
    count: int
    bytes: int


@dataclass(frozen=True, slots=True)
class LineWork:
    """The arithmetic of one line."""

    at: Place | None
    work: Work


@dataclass(frozen=True, slots=True)
class ModuleWork:
    """One module: where its parameters were, and what it computed where."""

    name: str
    type: str
    device: str
    parameters: int
    bytes: int
    work: Work
    root: str = ""
    """The outermost module that was called, whose part it is."""


@dataclass(frozen=True, slots=True)
class Root:
    """A module on the CPU that the program called, and who held it then."""

    root: str
    """As in `ModuleWork`."""
    holders: tuple[Held, ...]
    """The running lines that have it, or a module that it is part of, innermost first."""
    devices: tuple[Held, ...]
    """What names an accelerator in their scopes."""


@dataclass(frozen=True, slots=True)
class Storage:
    """One of the largest tensors."""

    shape: tuple[int, ...]
    dtype: str
    bytes: int
    device: str
    created: Place | None
    moved: Place | None


@dataclass(frozen=True, slots=True)
class Begun:
    """A line that made tensors with which the host computes."""

    at: Place
    how: str
    """What made them, such as ``torch.randn``."""
    work: int
    """The arithmetic that they are operands of."""


@dataclass(frozen=True, slots=True)
class Record:
    """One process."""

    pid: int
    ppid: int
    argv: tuple[str, ...]
    python: str
    torch: str | None
    """None where it was never imported."""
    device: str
    main: bool
    """Whether it is the process that was started, and not one of its children."""
    status: str
    """``running``, ``finished``, ``raised`` or ``refused``."""
    refused: str | None
    error: Failure | None
    transfers: tuple[Transfer, ...] = ()
    lines: tuple[LineWork, ...] = ()
    modules: tuple[ModuleWork, ...] = ()
    roots: tuple[Root, ...] = ()
    tensors: tuple[Storage, ...] = ()
    begun: tuple[Begun, ...] = ()
    work: Work = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read_record(text: str) -> Record:
    """The record that ``text`` holds. Raises `RecordError`."""
    try:
        content = json.loads(text)
        if content["format"] != FORMAT:
            raise RecordError(f"format {content['format']} is not {FORMAT}")
        return _record(content)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RecordError(f"{type(error).__name__}: {error}") from error


def _record(content: Mapping[str, Any]) -> Record:
    error = content["error"]
    return Record(
        pid=int(content["pid"]),
        ppid=int(content["ppid"]),
        argv=tuple(map(str, content["argv"])),
        python=content["python"],
        torch=content["torch"],
        device=content["device"],
        main=bool(content["main"]),
        status=content["status"],
        refused=content["refused"],
        error=read_failure(error) if error is not None else None,
        transfers=tuple(map(_transfer, content["transfers"])),
        lines=tuple(LineWork(_place(x["at"]), _work(x["work"])) for x in content["lines"]),
        modules=tuple(map(_module, content["modules"])),
        roots=tuple(map(_root, content.get("roots", ()))),
        tensors=tuple(map(_storage, content["tensors"])),
        begun=tuple(_begun(content.get("begun", ()))),
        work=_work(content["work"]),
        notes=tuple(map(str, content["notes"])),
    )


def _work(content: Mapping[str, Any]) -> Work:
    return {str(device): int(amount) for device, amount in content.items()}


def _place(content: Mapping[str, Any] | None) -> Place | None:
    if content is None:
        return None
    return Place(content["file"], int(content["line"]), content["function"], content["text"])


def read_failure(content: Mapping[str, Any]) -> Failure:
    """The ``error`` of a record.

    Raises `KeyError`, `TypeError` or `ValueError` for what is none.
    """
    return Failure(
        type=content["type"],
        message=content["message"],
        placement=bool(content["placement"]),
        op=content["op"],
        at=_place(content["at"]),
        traceback=tuple(
            Frame(x["file"], int(x["line"]), x["function"], x["text"]) for x in content["traceback"]
        ),
        operands=tuple(map(_operand, content["operands"])),
        advice=content["advice"] or "",
        about=content.get("about", ""),
        spans=tuple(tuple(span or ()) for span in content.get("spans", ())),
        on_host=_held(content.get("on_host", ())),
        devices=_held(content.get("devices", ())),
    )


def _operand(content: Mapping[str, Any]) -> Operand:
    return Operand(
        name=content["name"],
        device=content["device"],
        shape=tuple(map(int, content["shape"])),
        dtype=content["dtype"],
        how=content["how"] or "",
        created=_place(content["created"]),
        moved=_place(content["moved"]),
        module=content["module"],
        moved_by=content.get("moved_by"),
        variable=content.get("variable"),
        registered=bool(content.get("registered")),
        holders=_held(content.get("holders", ())),
        owners=_held(content.get("owners", ())),
        ancestors=tuple(_ancestors(content.get("ancestors", ()))),
    )


def _ancestors(content: Iterable[Mapping[str, Any]]) -> Iterator[Ancestor]:
    for one in content:
        created = _place(one["created"])
        if created is not None:
            yield Ancestor(one["how"], created)


def _held(content: Iterable[Mapping[str, Any]]) -> tuple[Held, ...]:
    places = ((one["variable"], _place(one["at"])) for one in content)
    return tuple(Held(variable, at) for variable, at in places if at is not None)


def _root(content: Mapping[str, Any]) -> Root:
    return Root(content["root"], _held(content["holders"]), _held(content["devices"]))


def _begun(content: Iterable[Mapping[str, Any]]) -> Iterator[Begun]:
    for one in content:
        at = _place(one["at"])
        if at is not None:
            yield Begun(at, one["how"], int(one["work"]))


def _transfer(content: Mapping[str, Any]) -> Transfer:
    return Transfer(
        at=_place(content["at"]),
        source=content["source"],
        target=content["target"],
        how=content["how"],
        count=int(content["count"]),
        bytes=int(content["bytes"]),
    )


def _module(content: Mapping[str, Any]) -> ModuleWork:
    return ModuleWork(
        name=content["name"],
        type=content["type"],
        device=content["device"],
        parameters=int(content["parameters"]),
        bytes=int(content["bytes"]),
        work=_work(content["work"]),
        root=content.get("root", ""),
    )


def _storage(content: Mapping[str, Any]) -> Storage:
    return Storage(
        shape=tuple(map(int, content["shape"])),
        dtype=content["dtype"],
        bytes=int(content["bytes"]),
        device=content["device"],
        created=_place(content["created"]),
        moved=_place(content["moved"]),
    )
