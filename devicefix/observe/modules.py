"""The modules that ran: their names, where their parameters live, and how much they computed."""

from __future__ import annotations

import sys
import weakref
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

import torch

from devicefix.observe.explanation import Held
from devicefix.observe.owners import devices, lines_above, owners

Module = torch.nn.Module

KEPT: Final = 1000
"""How many modules a record holds: those with most work, then those with most parameters."""

APART: Final = 50
"""How many modules of one class are told apart that a program holds and calls at a time."""


@dataclass
class _Root:
    """One module that the program called by itself, with all that is in it."""

    itself: weakref.ref[Module]
    label: str
    """The name of its class, with a number where several of one class live at a time."""
    names: dict[int, str]
    """The name of every submodule by its identity."""


@dataclass
class _Entry:
    """What is known of the module of one name."""

    type: str = ""
    devices: list[str] = field(default_factory=list)
    parameters: int = 0
    bytes: int = 0
    work: Counter[torch.device] = field(default_factory=Counter)


class Modules:
    """Modules by their name from the outermost one that was called, such as ``layers.0.fc1``."""

    def __init__(self, seeks: bool = False) -> None:
        """``seeks``: whether it is of interest who holds the modules that stay on the CPU."""
        self._seeks = seeks
        self._holders: dict[str, tuple[list[Held], list[Held]]] = {}
        self._roots: dict[int, _Root] = {}
        self._labels: set[str] = set()
        self._entries: dict[tuple[str, str], _Entry] = {}

    def count(self, root: Module, module: Module, device: torch.device, work: int) -> None:
        """Add work that ran in ``module``, called from ``root``."""
        known = self._known(root)
        name = known.names.get(id(module))
        if name is None:
            name = self._found(known, root, module)
        entry = self._entries.get((known.label, name))
        if entry is None:
            entry = self._entries.setdefault((known.label, name), _Entry(type(module).__name__))
        entry.work[device] += work

    def _found(self, known: _Root, root: Module, module: Module) -> str:
        """The name of a module that was added after the first call, or is no part of ``root``."""
        known.names.update(_names(root))
        if id(module) not in known.names:
            for name, beside in (*_beside(root), (type(module).__name__, module)):
                if id(beside) not in known.names:
                    known.names[id(beside)] = name
                    self._describe(known.label, name, beside)
        return known.names[id(module)]

    def note(self, root: Module) -> None:
        """Remember where the modules of ``root`` live now."""
        known = self._known(root)
        for name, module in root.named_modules():
            self._describe(known.label, name, module)

    def _known(self, root: Module) -> _Root:
        known = self._roots.get(id(root))
        if known is not None and known.itself() is root:
            return known
        label = self._label(type(root).__name__)
        number = id(root)
        ended = weakref.ref(root, lambda _: self._ended(number, label))
        known = _Root(ended, label, _names(root))
        self._roots[number] = known
        self._labels.add(label)
        if self._seeks and label not in self._holders:
            with suppress(Exception):  # nothing in here may end the program
                self._seek(label, root)
        for name, module in root.named_modules():
            self._describe(label, name, module)
        return known

    def _seek(self, label: str, root: Module) -> None:
        """Note who holds a module that stays on the CPU."""
        if _stays_behind(root):
            lines = list(lines_above(sys._getframe(1)))
            held = owners(lines, lambda module: any(part is root for part in module.modules()))
            self._holders[label] = held, devices(lines, None)

    def _label(self, kind: str) -> str:
        """The first that no living module has: one that is made anew in each step keeps its own."""
        labels = (kind, *(f"{kind} {number}" for number in range(2, APART + 1)))
        return next((label for label in labels if label not in self._labels), labels[-1])

    def _ended(self, number: int, label: str) -> None:
        self._roots.pop(number, None)
        self._labels.discard(label)

    def _describe(self, label: str, name: str, module: Module) -> None:
        tensors = list(_own(module))
        if not tensors:
            return
        entry = self._entries.setdefault((label, name), _Entry())
        entry.type = type(module).__name__
        entry.devices = sorted({str(tensor.device) for tensor in tensors})
        entry.parameters = sum(tensor.numel() for tensor in tensors)
        entry.bytes = sum(tensor.numel() * tensor.element_size() for tensor in tensors)

    def entries(self) -> list[dict[str, Any]]:
        """The record's ``modules``."""
        for known in list(self._roots.values()):
            root = known.itself()
            if root is not None:
                self.note(root)
        most = sorted(
            self._entries.items(), key=lambda item: (-item[1].work.total(), -item[1].bytes)
        )
        return [_entry(label, name, entry) for (label, name), entry in most[:KEPT]]

    def roots(self) -> list[dict[str, Any]]:
        """The record's ``roots``: who held a module on the CPU when it was first called."""
        return [
            {
                "root": label,
                "holders": [one.entry() for one in held],
                "devices": [one.entry() for one in named],
            }
            for label, (held, named) in self._holders.items()
        ]


def _stays_behind(root: Module) -> bool:
    """Whether it has parameters, and none of them is on an accelerator."""
    places = {parameter.device.type for parameter in root.parameters()}
    return places == {"cpu"}


def _names(root: Module) -> dict[int, str]:
    return {id(module): name for name, module in root.named_modules()}


def _beside(root: Module) -> Iterator[tuple[str, Module]]:
    """Modules that those of ``root`` hold in plain lists, tuples and dicts: torch knows of none."""
    for prefix, part in root.named_modules():
        for name, value in list(vars(part).items()):
            path = f"{prefix}.{name}" if prefix else name
            for key, item in _items(value):
                if isinstance(item, torch.nn.Module):
                    for inner, module in item.named_modules():
                        yield f"{path}[{key!r}]{inner and f'.{inner}'}", module


def _items(value: Any) -> Sequence[tuple[Any, Any]]:
    if type(value) is dict:
        return list(value.items())
    return list(enumerate(value)) if type(value) in (list, tuple) else ()


def _own(module: Module) -> Iterator[torch.Tensor]:
    """The parameters and buffers of the module itself that have numbers already."""
    for tensor in chain(module.parameters(recurse=False), module.buffers(recurse=False)):
        if not torch.nn.parameter.is_lazy(tensor):
            yield tensor


def _entry(label: str, name: str, entry: _Entry) -> dict[str, Any]:
    numbered = " " in label
    return {
        "name": f"{name} of {label}" if name and numbered else name or label,
        "root": label,
        "type": entry.type,
        "device": ", ".join(entry.devices),
        "parameters": entry.parameters,
        "bytes": entry.bytes,
        "work": {str(device): work for device, work in entry.work.items()},
    }
