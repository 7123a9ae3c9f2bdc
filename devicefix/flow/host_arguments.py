"""Arguments that have to be on the CPU: lengths, states of generators, split points.

Random numbers are drawn where the generator is: what a CPU generator fills has to be there, too.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from devicefix.flow.crossings import note_crossing
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.graph import TARGET_NODE, Label
from devicefix.flow.joins import tensors_in
from devicefix.flow.memory import write_on_host
from devicefix.flow.operands import Operand, as_tensor
from devicefix.flow.values import (
    Generator,
    Instance,
    Tensor,
    Unknown,
    Value,
    as_device,
)


def need_cpu(frame: Frame, operand: Operand) -> None:
    """This argument has to be on the CPU, and surely is a tensor if it is none of Python's values.

    What comes out of a checkpoint that was loaded to the device is there.
    """
    expr, value = operand
    value = as_tensor(value)
    if isinstance(value, Unknown) and value.near:
        value = Tensor(frozenset(), raw=False, near=value.near)
    if tensors_in(value):
        if expr is not None:
            frame.seen.host_arguments.add(expr)
        frame.need_host(expr, value)


def host_generator(args: Arguments) -> bool:
    """The call draws its numbers from a generator of the CPU."""
    value = args.value(None, "generator")
    return isinstance(value, Generator) and value.device.label is Label.HOST


def draw_on_host(frame: Frame, tree: ast.expr, operands: Sequence[Operand]) -> Tensor:
    """What is drawn on the CPU: the tensors that say how have to be there."""
    for operand in operands:
        need_cpu(frame, operand)
    return frame.host_tensor(tree, "drawn")


def fill_on_host(frame: Frame, tree: ast.expr, value: Value) -> None:
    """``x.normal_(generator=g)``, ``x.apply_(f)``: x has to be on the CPU itself, no copy of it."""
    note_crossing(frame, tree, "generator", value)
    for tensor in tensors_in(value):
        write_on_host(frame, tensor.nodes)


def made_on_host(frame: Frame, tree: ast.expr, device: Value | None) -> None:
    """``torch.randn(3, generator=g, device=device)``."""
    known = as_device(device) if device is not None and not isinstance(device, Instance) else None
    if known is None:
        return
    nodes = {TARGET_NODE} if known.label is Label.TARGET else set(known.nodes)
    note_crossing(frame, tree, "factory", Tensor(frozenset(nodes)))
