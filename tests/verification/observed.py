"""Executions as they would have been, without running anything."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from types import MappingProxyType

from devicefix.records import Ending, Failure, How, Place, Record
from devicefix.records.observations import Event, Events, Kind, Leaf
from devicefix.verification.execution import Execution
from devicefix.verification.result import Role


def at(line: int) -> Place:
    return Place("train.py", line, "<module>", f"line {line}")


def wrote(text: str, line: int = 1) -> Event:
    return Event(Kind.WRITTEN, at(line), "print", text=text)


def tensor(
    *numbers: float, dtype: str = "float32", path: str = "", shape: Sequence[int] | None = None
) -> Leaf:
    kept = array("q" if dtype.startswith(("int", "bool")) else "d", numbers)
    digest = blake2b(dtype.encode() + kept.tobytes()).hexdigest()
    sizes = (len(numbers),) if shape is None else tuple(shape)
    return Leaf(path, "tensor", dtype, sizes, "cpu", kept, digest)


def number(value: float, path: str = "") -> Leaf:
    kind = type(value).__name__
    return Leaf(path, kind, numbers=array("d" if kind == "float" else "q", [value]))


def text(value: str, path: str = "") -> Leaf:
    return Leaf(path, "str", text=value)


def read(*leaves: Leaf, line: int = 1, how: str = ".item") -> Event:
    return Event(Kind.READ, at(line), how, leaves)


def loss(value: float, line: int = 1) -> Event:
    return Event(Kind.LOSS, at(line), "backward", (tensor(value, shape=()),))


def saved(*leaves: Leaf, line: int = 1, name: str = "model.pt") -> Event:
    return Event(Kind.SAVED, at(line), name, leaves)


def stepped(name: str, *leaves: Leaf, line: int = 1) -> Event:
    return Event(Kind.STEPPED, at(line), name, leaves)


def raised(kind: str, message: str, line: int) -> Event:
    return Event(Kind.RAISED, at(line), kind, (Leaf("", "error", text=message),))


def left(name: str, *leaves: Leaf) -> Event:
    return Event(Kind.LEFT, None, name, leaves)


def execution(
    *events: Event,
    device: str = "cpu",
    status: int = 0,
    how: How = How.EXITED,
    failure: Failure | None = None,
    output: str | None = None,
    files: Mapping[str, str] = MappingProxyType({}),
    stored: Mapping[str, tuple[Leaf, ...]] = MappingProxyType({}),
    precisions: Sequence[str] = ("float32",),
) -> Execution:
    """One run; what it ``output`` is what its events wrote, unless it is given."""
    if output is None:
        output = "".join(event.text for event in events if event.kind is Kind.WRITTEN)
    records = (_record(failure),) if failure is not None else ()
    whole = how is How.EXITED
    observed = Events(1, True, events, whole, {}, frozenset(precisions), ())
    ending = Ending(how, status, 1.0)
    return Execution(
        Role.AFTER, device, ending, records, (observed,), output.encode(), "", files, stored
    )


def failure(kind: str, message: str, line: int) -> Failure:
    return Failure(kind, message, True, None, at(line), (), (), "")


def _record(error: Failure) -> Record:
    return Record(1, 0, (), "3.12", "2.13", "cpu", True, "raised", None, error)
