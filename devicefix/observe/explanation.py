"""What is known of an error: frozen data, as it stands in the record."""

from __future__ import annotations

import linecache
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Place:
    """A line of the program."""

    file: str
    """An absolute path, or a pseudo file such as ``<stdin>``."""
    line: int
    function: str
    """The function's name; ``<module>`` at the top level."""
    text: str = ""
    """The source line without its indentation; empty if it cannot be read."""


def place(file: str, line: int, function: str) -> Place:
    """A line with its text, which is read here."""
    return Place(file, line, function, linecache.getline(file, line).strip())


@dataclass(frozen=True)
class Ancestor:
    """What made a tensor of no other tensor, and where."""

    how: str
    created: Place


@dataclass(frozen=True)
class Origin:
    """Where a tensor comes from."""

    how: str | None = None
    """What made it, such as ``torch.randn``, ``torch.nn.Linear`` or ``DataLoader``."""
    created: Place | None = None
    moved: Place | None = None
    """The last transfer to another device; None if there was none, or nobody saw it."""
    moved_by: str | None = None
    """The call of the last transfer, such as ``.to`` or ``torch.nn.Module.cuda``."""
    ancestors: tuple[Ancestor, ...] = ()
    """What it was computed of; empty if it was computed of no tensor."""


@dataclass(frozen=True)
class Held:
    """A line of the program that was running and has a tensor in an expression."""

    variable: str
    at: Place

    def entry(self) -> dict[str, Any]:
        """What the record says."""
        return {"variable": self.variable, "at": _entry(self.at)}


@dataclass(frozen=True)
class Operand:
    """One tensor that took part in the operation that failed."""

    name: str
    """The operator's own name of it, such as ``mat1``."""
    device: str
    shape: tuple[int, ...]
    dtype: str
    """Without ``torch.``."""
    origin: Origin = field(default_factory=Origin)
    module: str | None = None
    """The qualified name of the parameter, buffer or attribute, such as ``fc1.weight``."""
    registered: bool = False
    """Whether ``module`` is a parameter or buffer, which ``Module.to`` moves."""
    variable: str | None = None
    """The innermost expression of the program for it, such as ``x`` or ``batch["mask"]``."""
    held: Held | None = None
    """The outermost one, which is where it should be moved; for a parameter, that of its module."""
    holders: tuple[Held, ...] = ()
    """All lines that were running and have it in an expression, innermost first."""
    owners: tuple[Held, ...] = ()
    """Likewise those that have a module whose parameter or buffer it is."""

    def entry(self) -> dict[str, Any]:
        """What the record says."""
        origin = self.origin
        return {
            "name": self.name,
            "device": self.device,
            "shape": list(self.shape),
            "dtype": self.dtype,
            "how": origin.how,
            "created": _entry(origin.created),
            "moved": _entry(origin.moved),
            "moved_by": origin.moved_by,
            "ancestors": [
                {"how": one.how, "created": _entry(one.created)} for one in origin.ancestors
            ],
            "module": self.module,
            "registered": self.registered,
            "variable": self.variable,
            "held": self.held and self.held.entry(),
            "holders": [one.entry() for one in self.holders],
            "owners": [one.entry() for one in self.owners],
        }


@dataclass(frozen=True)
class Explanation:
    """An error, and for one of placement what it is about."""

    type: str
    """The exception's class, with its module unless that is ``builtins``."""
    message: str
    placement: bool
    op: str | None
    """The operator, such as ``aten::addmm``; None if it is not known."""
    at: Place | None
    """The program's innermost line."""
    traceback: tuple[Place, ...]
    """The program's traceback, outermost first, without frames of devicefix."""
    operands: tuple[Operand, ...]
    advice: str
    """What to change, in plain words; empty where there is nothing to say."""
    about: str = ""
    """Which kind of error of placement it is, in lower case; empty where it is none."""
    spans: tuple[tuple[int, int, int, int] | None, ...] = ()
    """For each line of ``traceback`` the expression that was running, where that is known: first
    line, its column, last line, its column."""
    on_host: tuple[Held, ...] = ()
    """The expressions of the running lines that are tensors on the CPU, innermost first."""
    devices: tuple[Held, ...] = ()
    """What names the accelerator in the scopes of the lines that were running, innermost first."""

    def entry(self) -> dict[str, Any]:
        """What the record says."""
        return {
            "type": self.type,
            "message": self.message,
            "placement": self.placement,
            "op": self.op,
            "at": _entry(self.at),
            "traceback": [_entry(one) for one in self.traceback],
            "operands": [operand.entry() for operand in self.operands],
            "advice": self.advice,
            "about": self.about,
            "spans": list(self.spans),
            "on_host": [one.entry() for one in self.on_host],
            "devices": [one.entry() for one in self.devices],
        }


def _entry(place: Place | None) -> dict[str, Any] | None:
    return None if place is None else vars(place).copy()
