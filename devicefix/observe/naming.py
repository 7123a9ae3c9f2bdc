"""What the program calls a tensor: an expression of a running line, or a module's attribute."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from types import FrameType
from typing import Any, Final

import torch

from devicefix.observe.explanation import Held, Place, place
from devicefix.observe.owners import devices, owners
from devicefix.observe.statements import expressions
from devicefix.observe.tracebacks import entries
from devicefix.simulator.places import KINDS, Kind

Module = torch.nn.Module
Tensor = torch.Tensor

_CALL_IMPL: Final = Module._call_impl.__code__
_MISSING: Final = object()
_SMALL: Final = 16


@dataclass(frozen=True)
class Attribute:
    """A tensor that belongs to a module."""

    name: str
    """Qualified from the outermost module that was called, such as ``fc1.weight``."""
    registered: bool
    """Whether ``Module.to`` moves it; a plain attribute stays behind."""


class Names:
    """Names for the tensors of one error, looked up in the frames of its traceback."""

    def __init__(self, error: BaseException) -> None:
        found = list(entries(error.__traceback__))
        self._frames = [(entry.tb_frame, entry.tb_lineno) for entry in found]

    def holders(self, tensor: Tensor) -> list[Held]:
        """The lines that were running and have ``tensor`` in an expression, innermost first."""
        found = []
        for frame, line in reversed(self._frames):
            code = frame.f_code
            if KINDS[code.co_filename] is Kind.PROGRAM:
                name = _in_statement(frame, line, tensor) or _local(frame, tensor)
                if name is not None:
                    found.append(Held(name, place(code.co_filename, line, code.co_name)))
        return found

    def device(self, where: Place | None, device: str) -> str:
        """An expression for ``device`` that has a meaning at ``where``, else the usual name."""
        for frame, _ in reversed(self._frames):
            code = frame.f_code
            if where is not None and (code.co_filename, code.co_name) == (
                where.file,
                where.function,
            ):
                return _device_in(frame, torch.device(device)) or "device"
        return "device"

    def owner(self, tensor: Tensor) -> Held | None:
        """The outermost line that was running and has a module with ``tensor`` in a variable."""
        for frame, line in self._frames:
            code = frame.f_code
            if KINDS[code.co_filename] is Kind.PROGRAM:
                for name, value in frame.f_locals.items():
                    if isinstance(value, Module) and _attribute(value, tensor) is not None:
                        return Held(name, place(code.co_filename, line, code.co_name))
        return None

    def owners(self, tensor: Tensor) -> list[Held]:
        """The lines that were running and have a module with ``tensor``, innermost first."""
        return owners(reversed(self._frames), lambda module: _registers(module, tensor))

    def on_host(self) -> list[Held]:
        """The expressions of the running lines that are tensors on the CPU, innermost first."""
        found = []
        for frame, line in reversed(self._frames):
            code = frame.f_code
            if KINDS[code.co_filename] is Kind.PROGRAM:
                names = dict.fromkeys(_host_tensors(frame, line))
                at = place(code.co_filename, line, code.co_name)
                found += [Held(name, at) for name in names]
        return found

    def devices(self, device: torch.device | None) -> list[Held]:
        """What names ``device``, or any accelerator, in the scopes of the lines that were running.

        Innermost first.
        """
        return devices(reversed(self._frames), device)

    def attribute(self, tensor: Tensor) -> Attribute | None:
        """The parameter, buffer or plain attribute of a module that ``tensor`` is."""
        for root in self._roots():
            found = _attribute(root, tensor)
            if found is not None:
                return found
        return None

    def _roots(self) -> Iterator[Module]:
        """Modules that were being called, outermost first; then those in variables."""
        for frame, _ in self._frames:
            if frame.f_code is _CALL_IMPL:
                yield frame.f_locals["self"]
        for frame, _ in reversed(self._frames):
            if KINDS[frame.f_code.co_filename] is Kind.PROGRAM:
                values = list(frame.f_locals.values())
                yield from (value for value in values if isinstance(value, Module))


def same(value: Any, tensor: Tensor) -> bool:
    """Whether ``value`` is ``tensor`` or another view of its storage."""
    if value is tensor:
        return True
    if not isinstance(value, Tensor):
        return False
    try:
        return bool(value.untyped_storage()._cdata == tensor.untyped_storage()._cdata)
    except (NotImplementedError, RuntimeError):
        return False


def _device_in(frame: FrameType, device: torch.device) -> str | None:
    """A variable of the frame that is this device, or has a tensor on it."""
    variables = frame.f_globals | frame.f_locals
    for name, value in variables.items():
        if isinstance(value, torch.device) and torch.empty(0, device=value).device == device:
            return name
    for name, value in frame.f_locals.items():
        if isinstance(value, Tensor) and value.device == device:
            return f"{name}.device"
    return None


def _registers(module: Module, tensor: Tensor) -> bool:
    return any(one is tensor for one in chain(module.parameters(), module.buffers()))


def _attribute(root: Module, tensor: Tensor) -> Attribute | None:
    for name, value in chain(root.named_parameters(), root.named_buffers()):
        if same(value, tensor):
            return Attribute(name, True)
    for prefix, module in root.named_modules():
        for key, value in vars(module).items():
            if same(value, tensor):
                return Attribute(f"{prefix}.{key}" if prefix else key, False)
    return None


def _local(frame: FrameType, tensor: Tensor) -> str | None:
    for name, value in frame.f_locals.items():
        if same(value, tensor):
            return name
        for key, item in _items(value):
            if same(item, tensor):
                return f"{name}[{key!r}]"
    return None


def _items(value: Any) -> list[tuple[Any, Any]]:
    """What lies in a small container: states of a recurrent layer, batches."""
    if type(value) in (tuple, list) and len(value) <= _SMALL:
        return list(enumerate(value))
    return list(value.items()) if type(value) is dict and len(value) <= _SMALL else []


def _in_statement(frame: FrameType, line: int, tensor: Tensor) -> str | None:
    """The expression of the statement at ``line`` whose value is ``tensor``; exact ones first."""
    values = [(_value(node, frame), node) for node in expressions(frame.f_code.co_filename, line)]
    exact = [node for value, node in values if value is tensor]
    views = [node for value, node in values if same(value, tensor)]
    found = exact or views
    return ast.unparse(found[0]) if found else None


def _host_tensors(frame: FrameType, line: int) -> Iterator[str]:
    """Those of a running line; one without dimensions may be anywhere."""
    for node in expressions(frame.f_code.co_filename, line):
        value = _value(node, frame)
        if isinstance(value, Tensor) and value.device.type == "cpu" and value.dim():
            yield ast.unparse(node)


def _value(node: ast.expr, frame: FrameType) -> Any:
    """What an expression stands for, without running any code of the program."""
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id, _MISSING))
    if isinstance(node, ast.Attribute):
        return _member(_value(node.value, frame), node.attr)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return _item(_value(node.value, frame), node.slice.value)
    return _MISSING


def _member(owner: Any, name: str) -> Any:
    if isinstance(owner, Tensor):
        return owner.grad if name == "grad" and owner.is_leaf else _MISSING
    if isinstance(owner, Module):
        for registry in (owner._parameters, owner._buffers, owner._modules):
            if name in registry:
                return registry[name]
    return getattr(owner, "__dict__", {}).get(name, _MISSING)


def _item(owner: Any, key: Any) -> Any:
    if type(owner) not in (dict, list, tuple):
        return _MISSING
    try:
        return owner[key]
    except (LookupError, TypeError):
        return _MISSING
