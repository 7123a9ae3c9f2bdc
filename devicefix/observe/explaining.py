"""From an exception to what it is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import torch

from devicefix.observe.advice import advise
from devicefix.observe.explanation import Explanation, Operand, Place
from devicefix.observe.naming import Attribute, Names
from devicefix.observe.operands import operands_of, operator_of
from devicefix.observe.origins import origin_of
from devicefix.observe.placement_errors import About, about
from devicefix.observe.tracebacks import chain_of, places, spans
from devicefix.simulator.places import KINDS, Kind

EXPLANATION: Final = "_devicefix_explanation"
"""Where an exception that was raised again from its text keeps the first one's explanation."""


def explain(error: BaseException) -> Explanation | None:
    """What a placement error is about; None if neither it nor what it came from is one."""
    for one in chain_of(error):
        carried: Explanation | None = getattr(one, EXPLANATION, None)
        if carried is not None:
            return carried
        subject = about(str(one)) or (About.MIXED if hasattr(one, "placement") else None)
        if subject is not None:
            with torch._C.DisableTorchFunction():
                return _explain(one, subject)
    return None


def describe(error: BaseException) -> Explanation:
    """The explanation of a placement error; of any other, its text and where it was raised."""
    explained = explain(error)
    return explained or Explanation(
        type=_type(error),
        message=str(error),
        placement=False,
        op=None,
        at=_at(places(error)),
        traceback=places(error),
        operands=(),
        advice="",
    )


def _explain(error: BaseException, subject: About) -> Explanation:
    trace = places(error)
    names = Names(error)
    operands = tuple(_operand(name, tensor, names) for name, tensor in operands_of(error))
    at = _at(trace)
    return Explanation(
        type=_type(error),
        message=str(error),
        placement=True,
        op=operator_of(error),
        at=at,
        traceback=trace,
        operands=operands,
        advice=advise(subject, operands, at, names.device),
        about=subject.name.lower(),
        spans=spans(error),
        on_host=tuple(names.on_host()),
        devices=tuple(names.devices(_accelerator(operands))),
    )


def _operand(name: str, tensor: torch.Tensor, names: Names) -> Operand:
    attribute = names.attribute(tensor)
    holders = names.holders(tensor)
    return Operand(
        name=name,
        device=str(tensor.device),
        shape=() if tensor.is_nested else tuple(tensor.shape),
        dtype=str(tensor.dtype).removeprefix("torch."),
        origin=origin_of(tensor),
        module=None if attribute is None else attribute.name,
        registered=_registered(attribute),
        variable=holders[0].variable if holders else None,
        held=holders[-1] if holders else names.owner(tensor),
        holders=tuple(holders),
        owners=tuple(names.owners(tensor)),
    )


def _accelerator(operands: Sequence[Operand]) -> torch.device | None:
    """The one that an operand is on."""
    there = (operand.device for operand in operands if operand.device != "cpu")
    first = next(there, None)
    return None if first is None else torch.device(first)


def _registered(attribute: Attribute | None) -> bool:
    return attribute is not None and attribute.registered


def _at(trace: tuple[Place, ...]) -> Place | None:
    """The program's innermost line; that of a library if the program has none."""
    for kind in (Kind.PROGRAM, Kind.LIBRARY):
        for one in reversed(trace):
            if KINDS[one.file] is kind:
                return one
    return trace[-1] if trace else None


def _type(error: Any) -> str:
    kind = type(error)
    name: str = kind.__qualname__
    return name if kind.__module__ == "builtins" else f"{kind.__module__}.{name}"
