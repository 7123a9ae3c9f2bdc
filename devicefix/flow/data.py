"""``torch.utils.data``: samples and batches live on the host."""

from __future__ import annotations

import ast

from msgspec.structs import replace

from devicefix.flow.crossings import note_crossing
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.functions import call_function
from devicefix.flow.graph import HOST_NODE, Label
from devicefix.flow.host_arguments import host_generator, need_cpu
from devicefix.flow.iteration import collated, sample_of
from devicefix.flow.joins import element, exact_items, join_all, parts_in, tensors_in
from devicefix.flow.values import (
    NONE,
    PLAIN,
    Bound,
    Const,
    Dataset,
    External,
    Function,
    Instance,
    Loader,
    Mapping,
    Partial,
    Stream,
    Tensor,
    Tuple,
    Unknown,
    Value,
    as_device,
    is_none,
)
from devicefix.torch_api import DataKind

STAY_COST = 6.0
"""What it costs to put the tensors of a dataset on the device: loaders work on the host."""


def call_data(frame: Frame, tree: ast.expr, kind: DataKind, name: str, args: Arguments) -> Value:
    """A call of a name of ``torch.utils.data``."""
    last = name.rpartition(".")[2]
    if kind is DataKind.LOADER:
        _note_order(frame, tree, args, shuffles=True)
        return _loader(frame, tree, args)
    if kind is DataKind.DATASETS:
        _note_order(frame, tree, args, shuffles=False)
        dataset = args.value(0, "dataset") or Unknown("a dataset")
        lengths = args.value(1, "lengths")
        count = len(list(exact_items(lengths))) if lengths is not None else 0
        return Tuple((dataset,) * count) if count else Stream(dataset)
    if kind in (DataKind.DATASET, DataKind.ITERABLE_DATASET):
        return _dataset(frame, tree, last, args)
    if kind is DataKind.COLLATE:
        return collated(frame, tree, element(args.value(0) or PLAIN) or Unknown())
    if kind is DataKind.SAMPLER:
        _draw_indices(frame, args)
    return PLAIN


def _draw_indices(frame: Frame, args: Arguments) -> None:
    """A sampler draws its numbers on the host: there its weights are needed by a generator of the
    CPU, and are at hand for all that takes them."""
    for operand in args.all():
        if host_generator(args):
            need_cpu(frame, operand)
        else:
            _stay(frame, operand[1])


def _note_order(frame: Frame, tree: ast.expr, args: Arguments, *, shuffles: bool) -> None:
    """Remember what draws its order on the CPU where a default makes tensors on an accelerator."""
    carried = as_device(frame.carried) if frame.carried is not None else None
    if carried is None or carried.label is not Label.TARGET or not isinstance(tree, ast.Call):
        return
    given = {name for name, _ in args.keywords}
    own = bool(given & {"generator", "sampler", "batch_sampler", None})
    asked = args.value(None, "shuffle") not in (None, NONE, Const(False), Const(0))
    if not own and (asked or not shuffles):
        frame.seen.shuffled.add(tree)


def _dataset(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> Value:
    if name == "Subset":
        return args.value(0, "dataset") or Unknown("a dataset")
    if name in ("ConcatDataset", "ChainDataset"):
        parts = parts_in(args.value(0, "datasets") or Unknown("datasets"))
        samples = [sample_of(frame, tree, part) for part in parts]
        return Dataset(join_all(samples))
    if name not in ("TensorDataset", "StackDataset"):
        return Unknown("a dataset")
    if name == "StackDataset" and args.keywords:
        return Unknown("a dataset")  # its samples are dictionaries
    items = []
    for _, value in args.all():  # torch 0.2 had names for them: `data_tensor`, `target_tensor`
        for part in parts_in(value):
            _stay(frame, part if isinstance(part, Tensor) else PLAIN)
        items.append(element(value) or value)
    return Dataset(Tuple(tuple(items)))


def _loader(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    dataset = args.value(0, "dataset") or Unknown("a dataset")
    sample = sample_of(frame, tree, dataset)
    collate = args.value(None, "collate_fn")
    pinned = args.value(None, "pin_memory") not in (None, NONE, Const(False))
    run_on_host(frame, tree, args.value(None, "worker_init_fn"), Arguments([(None, PLAIN)]))
    _check_sample(frame, tree, args, sample)
    if collate is not None and not is_none(collate):
        batch = run_on_host(frame, tree, collate, Arguments([(None, Stream(sample))]))
        if batch is None or isinstance(batch, Unknown):
            batch = collated(frame, tree, sample, "collate")
        _stay(frame, batch)
        _check_sample(frame, tree, args, batch)
        return _of(frame, batch, dataset, pinned)
    if args.value(None, "batch_size") == NONE:
        return _of(frame, sample, dataset, pinned)
    return _of(frame, collated(frame, tree, sample), dataset, pinned)


def _stay(frame: Frame, value: Value) -> None:
    """Tensors that a loader hands out had better be on the host."""
    for tensor in tensors_in(value):
        for node in tensor.nodes:
            frame.graph.connect(node, HOST_NODE, 0.0, STAY_COST)


def _check_sample(frame: Frame, tree: ast.expr, args: Arguments, sample: Value) -> None:
    """Workers cannot touch the device, and only tensors of the CPU can be pinned."""
    workers = args.value(None, "num_workers")
    if workers not in (None, Const(0), NONE):
        note_crossing(frame, tree, "workers", sample)
    if args.value(None, "pin_memory") not in (None, NONE, Const(False)):
        note_crossing(frame, tree, "pinned", sample)


def _of(frame: Frame, batch: Value, dataset: Value, pinned: bool) -> Loader:
    for record in batch.records if isinstance(batch, Mapping) else ():
        record.renewed = True
    nodes = {n for t in tensors_in(batch) for n in t.nodes.union(*t.parts)}
    frame.analysis.batches |= nodes
    if pinned:
        frame.analysis.pinned |= nodes
    return Loader(_without_gradients(batch), dataset)


def _without_gradients(batch: Value) -> Value:
    """What a loader hands out has no part in a graph: what has cannot come from a worker, either.

    https://docs.pytorch.org/docs/stable/multiprocessing.html
    """
    match batch:
        case Tensor():
            return replace(batch, constant=True)
        case Tuple(items=items):
            return replace(batch, items=tuple(map(_without_gradients, items)))
        case Stream(element=inner):
            return Stream(_without_gradients(inner))
    return batch


def run_on_host(
    frame: Frame, tree: ast.expr, function: Value | None, args: Arguments
) -> Value | None:
    """Evaluate a callback that runs in worker processes."""
    inside = Frame(frame.analysis, tree, frame, context=frame.context, caller=frame)
    inside.host = True
    match function:
        case Function():
            return call_function(inside, tree, function, args, host=True)
        case Bound() | Instance() | Partial() | External(name="builtins.list" | "builtins.tuple"):
            return inside.call(tree, function, args)
        case _:
            return None
