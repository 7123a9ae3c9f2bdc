"""What the schema of an operator says about its arguments and results."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    Op = torch._ops.OpOverload[..., Any]
else:
    Op = torch._ops.OpOverload
    """Takes type arguments since torch 2.8."""


@dataclass(frozen=True)
class Argument:
    """Where an argument stands; it may be given by position or by name."""

    position: int
    name: str

    def of(self, arguments: Any, keywords: Any) -> Any:
        """Its value in a call, None if it was left out."""
        if self.position < len(arguments):
            return arguments[self.position]
        return keywords.get(self.name)


@dataclass(frozen=True)
class Signature:
    """What a kernel has to know before it runs an operator on aliases."""

    returned: tuple[Argument | None, ...]
    """For each result, the argument that it is, written in place; None for a new tensor."""
    outs: tuple[Argument, ...]
    """The arguments named ``out``: they take the result, whatever their size."""
    device: Argument | None
    generator: Argument | None
    tensors: tuple[int, ...]
    """The positions of those that are single tensors."""
    lists: bool
    """Some argument is a list of tensors."""
    by_name: bool
    """Some tensor can be given by name only."""
    is_view: bool
    """The result shares memory with an argument that is not written."""


@cache
def signature_of(op: Op) -> Signature:
    """Read the schema of ``op``."""
    arguments = op._schema.arguments
    placed = [Argument(position, argument.name) for position, argument in enumerate(arguments)]
    types = [str(argument.type) for argument in arguments]  # torch makes each anew
    return Signature(
        returned=tuple(_written(result, arguments, placed) for result in op._schema.returns),
        outs=tuple(
            place for place, argument in zip(placed, arguments, strict=True) if argument.is_out
        ),
        device=_one(placed, arguments, "device", ("Device", "device")),
        generator=_one(placed, arguments, "generator", ("Generator",)),
        tensors=tuple(
            position
            for position, written in enumerate(types)
            if written in ("Tensor", "Optional[Tensor]")
        ),
        lists=any("Tensor" in written and "List" in written for written in types),
        by_name=any(
            argument.kwarg_only and "Tensor" in written
            for argument, written in zip(arguments, types, strict=True)
        ),
        is_view=any(_is_view(result) for result in op._schema.returns),
    )


def _is_view(result: Any) -> bool:
    return result.alias_info is not None and not result.alias_info.is_write


def _written(result: Any, arguments: Any, placed: list[Argument]) -> Argument | None:
    """The argument with the same alias set, if both are marked as written."""
    info = result.alias_info
    if info is None or not info.is_write:
        return None
    memory = info.before_set
    for place, argument in zip(placed, arguments, strict=True):
        alias = argument.alias_info
        if alias is not None and alias.is_write and alias.before_set == memory:
            return place
    return None


def _one(
    placed: list[Argument], arguments: Any, name: str, types: tuple[str, ...]
) -> Argument | None:
    for place, argument in zip(placed, arguments, strict=True):
        if argument.name == name and any(kind in str(argument.type) for kind in types):
            return place
    return None


def find(name: str, namespace: str = "aten") -> Op | None:
    """The operator that is called so, with its overload (``add.Tensor``); None if there is none.

    Some exist for TorchScript only.
    """
    base, _, overload = name.partition(".")
    try:
        return getattr(getattr(getattr(torch.ops, namespace), base), overload or "default")  # type: ignore[no-any-return]
    except (AttributeError, RuntimeError):
        return None
