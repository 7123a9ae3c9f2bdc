"""Wrappers that take their inputs to the device themselves.

``DataParallel`` scatters every tensor among its arguments, in containers, too, to the devices of
the module (torch/nn/parallel/scatter_gather.py); ``DistributedDataParallel`` brings them to its
device where it was given ``device_ids``, and only there (``_pre_forward``). ``AveragedModel``
brings nothing anywhere; what it wraps is a copy of what it was given.
"""

from __future__ import annotations

import ast

from devicefix.flow.construction import whereabouts
from devicefix.flow.dicts import put_item, put_rest
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.joins import element
from devicefix.flow.operands import Operand
from devicefix.flow.values import (
    NONE,
    Instance,
    Listing,
    Mapping,
    ObjectRecord,
    Opaque,
    Stream,
    Tensor,
    Tuple,
    Unknown,
    Value,
)

DATA_PARALLEL = "torch.nn.DataParallel"
DISTRIBUTED = "torch.nn.parallel.DistributedDataParallel"
AVERAGED = "torch.optim.swa_utils.AveragedModel"
WRAPPERS = (DATA_PARALLEL, DISTRIBUTED, AVERAGED)
"""Their ``forward`` is that of the module inside."""


def is_closed(record: ObjectRecord) -> bool:
    """A wrapper around code that was not seen: any module may be inside."""
    seen = record.children and all(isinstance(child, Instance) for child in record.children)
    return record.layer in WRAPPERS and not seen


def scatters(name: str, args: Arguments) -> bool:
    """Whether what is made here takes its inputs from the host."""
    if name == DISTRIBUTED:
        return args.value(1, "device_ids") not in (None, NONE)
    return name == DATA_PARALLEL


def scattered(frame: Frame, tree: ast.expr, record: ObjectRecord, args: Arguments) -> Arguments:
    """The arguments as the module inside receives them: where its parameters are."""
    node = frame.graph.node(("scattered", frame.context, tree, record))
    frame.graph.tie(node, whereabouts(frame, record))

    def operand(given: Operand, name: str) -> Operand:
        """Without its expression where it was brought there: no move at the call would last."""
        expression, value = given
        there = _there(frame, tree, node, value, name)
        return expression if there is value else None, there

    return Arguments(
        [operand(given, f"{position}") for position, given in enumerate(args.positional)],
        [(name, operand(given, f"{name}")) for name, given in args.keywords],
    )


def _there(frame: Frame, tree: ast.expr, node: int, value: Value, name: str) -> Value:
    match value:
        case Tensor():
            return value.at(node)
        case Opaque(parameter=parameter) if parameter.tensor:
            return Tensor(frozenset((node,)), raw=False)
        case Tuple(items=items):
            parts = (_there(frame, tree, node, v, f"{name}.{i}") for i, v in enumerate(items))
            return Tuple(tuple(parts))
        case Mapping(records=records):
            made = frame.analysis.dict_record((frame.context, tree, "scattered", name))
            for source in records:
                for key, held in source.items.items():
                    item = _there(frame, tree, node, held, f"{name}.{key}")
                    put_item(frame, made, key, item, making=True)
                if source.element is not None:
                    rest = _there(frame, tree, node, source.element, f"{name}.*")
                    put_rest(frame, made, rest, making=True)
            return Mapping(frozenset((made,)))
        case Listing() | Stream():
            inner = element(value) or Unknown("an element")
            return Stream(_there(frame, tree, node, inner, f"{name}.*"))
        case _:
            return value
