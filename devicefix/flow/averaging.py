"""``torch.optim.swa_utils``: a module around a copy of another, whose weights are averages."""

from __future__ import annotations

import ast
from typing import Final

from devicefix.flow.construction import whereabouts
from devicefix.flow.copies import copied
from devicefix.flow.costs import CREATE_COST
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.graph import HARD, SiteKind
from devicefix.flow.iteration import iterated
from devicefix.flow.joins import element, tensors_in
from devicefix.flow.modules import make_layer
from devicefix.flow.parallel import AVERAGED
from devicefix.flow.tensors import placed
from devicefix.flow.values import (
    NONE,
    Instance,
    Listing,
    Stream,
    Tensor,
    Tuple,
    Unknown,
    Value,
    as_device,
    is_none,
)

UPDATE: Final = "torch.optim.swa_utils.update_bn"


def averaged(frame: Frame, tree: ast.expr, args: Arguments) -> Instance:
    """``AveragedModel(model, device)``: a copy of the model, from where the model is then."""
    expression, model = args.get(0, "model") or (None, Unknown("a model"))
    device = args.get(1, "device")
    keywords = [("device", device)] if device is not None and not is_none(device[1]) else []
    inside = (expression, copied(frame, tree, model))
    made = make_layer(frame, tree, AVERAGED, Arguments([inside], keywords))
    for record in made.records:
        weight = Tensor(frozenset((whereabouts(frame, record),)), raw=False)
        _average(frame, tree, args.value(2, "avg_fn"), weight, weight)
        _average(frame, tree, args.value(3, "multi_avg_fn"), Stream(weight), weight)
    return made


def _average(
    frame: Frame, tree: ast.expr, function: Value | None, weights: Value, count: Value
) -> None:
    """The model's weights have been brought to their averages when they are averaged."""
    if function is not None and not is_none(function):
        frame.call(tree, function, Arguments([(None, weights), (None, weights), (None, count)]))


def update_statistics(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    """``update_bn(loader, model, device)`` calls the model with the first part of each batch.

    It brings that part to the device where it is given one.
    """
    batch = iterated(frame, tree, args.value(0, "loader") or Unknown("a loader"))
    if isinstance(batch, Tuple) and batch.items:
        batch = batch.items[0]
    elif isinstance(batch, (Listing, Stream)):
        batch = element(batch) or Unknown("a part of a batch")
    device = args.value(2, "device")
    if isinstance(batch, Tensor):
        asked = as_device(device) if device is not None and not is_none(device) else None
        batch = placed(frame, tree, batch, asked) if asked else _placeable(frame, tree, batch)
    frame.call(tree, args.value(1, "model") or Unknown("a model"), Arguments([(None, batch)]))
    return NONE


def _placeable(frame: Frame, tree: ast.expr, batch: Tensor) -> Tensor:
    """``device=`` at the call would bring the batch elsewhere."""
    node = frame.node("batch", tree)
    site = frame.site(SiteKind.CREATE, tree)
    for tensor in tensors_in(batch):
        for source in tensor.nodes:
            frame.graph.connect(source, node, CREATE_COST, HARD, site, frame.context)
    return batch.at(node)
