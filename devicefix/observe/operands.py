"""Which tensors an error of placement is about, under the operator's names for them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from devicefix.observe.tracebacks import entries
from devicefix.simulator.provenance import Call, call_of

Tensor = torch.Tensor
Named = tuple[str, Tensor]


def operator_of(error: BaseException) -> str | None:
    """The operator that failed: ``aten::addmm``, or the function of torch that was called."""
    placement = getattr(error, "placement", None)
    if placement is not None:
        return str(placement.op)
    call = call_of(error)
    return None if call is None else getattr(call.function, "__name__", None)


def operands_of(error: BaseException) -> list[Named]:
    """The tensors of the operation that raised ``error``, in the order of its arguments."""
    placement = getattr(error, "placement", None)
    if placement is not None:
        return [(operand.name, operand.tensor) for operand in placement.operands]
    call = call_of(error)
    return list(_given(error)) if call is None else list(_tensors_of(call))


def _given(error: BaseException) -> Iterator[Named]:
    """What the outermost function of torch's own Python was given, as `torch.testing` has them."""
    for entry in entries(error.__traceback__):
        frame = entry.tb_frame
        if str(frame.f_globals.get("__name__", "")).startswith("torch."):
            code = frame.f_code
            for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
                yield from _flat(name, frame.f_locals.get(name))
            return


def _tensors_of(call: Call) -> Iterator[Named]:
    names = _names(call.function, len(call.arguments))
    for name, value in zip(names, call.arguments, strict=False):
        yield from _flat(name, value)
    for name, value in call.keywords.items():
        yield from _flat(name, value)


def _flat(name: str, value: Any) -> Iterator[Named]:
    if isinstance(value, Tensor):
        yield name, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _flat(f"{name}[{key!r}]", item)
    elif isinstance(value, (tuple, list)):
        for number, item in enumerate(value):
            yield from _flat(f"{name}[{number}]", item)


def _names(function: Any, count: int) -> list[str]:
    """The names of the first ``count`` parameters; ``argument 0`` and so on where nobody knows."""
    known = _written_in_python(function) or _of_the_schema(function, count)
    return [*known[:count], *(f"argument {n}" for n in range(len(known), count))]


def _written_in_python(function: Any) -> list[str]:
    if not inspect.isfunction(function):
        return []
    return list(inspect.signature(function).parameters)


def _of_the_schema(function: Any, count: int) -> Sequence[str]:
    """The names in the schema of the operator that a function written in C++ calls."""
    packet = getattr(torch.ops.aten, getattr(function, "__name__", ""), None)
    if not isinstance(packet, torch._ops.OpOverloadPacket):
        return []
    for overload in packet.overloads():  # type: ignore[no-untyped-call]
        arguments = getattr(packet, overload)._schema.arguments
        if len(arguments) >= count:
            return [argument.name for argument in arguments]
    return []
