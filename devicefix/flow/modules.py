"""Modules: what they hold, what their calls need, and where they are made."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from devicefix.flow.construction import (
    goes_and_returns,
    note_late,
    note_late_weights,
    note_move,
    whereabouts,
)
from devicefix.flow.costs import USE_COST
from devicefix.flow.dtypes import accept, check_operand, check_strict, written_parts
from devicefix.flow.escapes import hand_over, near_of
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.graph import Label
from devicefix.flow.joins import join_all, parts_in, tensors_in
from devicefix.flow.memory import write_memory
from devicefix.flow.module_results import given_by, has_state
from devicefix.flow.operands import (
    Operand,
    as_input,
    combine,
    flow_state,
    is_unseen,
    note_dtype_use,
    note_sure,
    unseen_reason,
)
from devicefix.flow.outputs import note_output
from devicefix.flow.parallel import WRAPPERS, is_closed, scattered, scatters
from devicefix.flow.parametrizing import recompute_all
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.values import (
    BOTTOM,
    LOST,
    NONE,
    Bound,
    Const,
    Device,
    Dtype,
    Either,
    Instance,
    Listing,
    Mapping,
    ObjectRecord,
    Plain,
    Stream,
    Tensor,
    Tuple,
    Unknown,
    Value,
    as_device,
)
from devicefix.torch_api import KEEP_STATISTICS, STATISTICS, layer
from devicefix.torch_api.model_outputs import gives_output

_TRANSPARENT = frozenset((*WRAPPERS, "torch.nn.Sequential"))
_PARAMETERS = ("torch.nn.ParameterDict", "torch.nn.ParameterList")

_AFFINE: Final = {
    **dict.fromkeys(("LayerNorm", "RMSNorm"), (2, "elementwise_affine")),
    **dict.fromkeys(("BatchNorm1d", "BatchNorm2d", "BatchNorm3d"), (3, "affine")),
    **dict.fromkeys(("SyncBatchNorm", "GroupNorm"), (3, "affine")),
    **dict.fromkeys(("LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d"), (2, "affine")),
}
"""The argument without which a norm has no parameters."""


def make_layer(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> Instance:
    """An instance of a ``torch.nn`` class."""
    record, _ = frame.analysis.object_record((frame.context, tree, name), tree)
    record.layer, record.module, record.context, record.frame = name, True, frame.context, frame
    record.occurrence = frame.occurrence(tree)
    if record.node < 0:
        record.node = frame.graph.node(("object", record))
        frame.analysis.modules.append(record)
    row = layer(name)
    record.stateful = record.stateful or row is None or row.parameters
    record.weights = row is None or (row.parameters and _learns_affine(name, args))
    if row is not None and row.kind in ("container", "wrapper"):
        record.stateful = record.weights = False
    if name in KEEP_STATISTICS and not record.weights:
        record.weights = args.value(3, "affine") == Const(True)
        tracks = args.value(4, "track_running_stats") == Const(True)
        record.stateful = record.stateful or record.weights or tracks
    record.tensors = []
    record.scatters = scatters(name, args)
    dtype = args.value(None, "dtype")
    record.dtype = dtype.name if isinstance(dtype, Dtype) else record.dtype
    if (device := as_device(args.value(None, "device") or NONE)) is not None:
        place_module(frame, record, device)
    else:
        place_under_default(frame, record)
    _adopt_arguments(frame, record, args, row.tensor_arguments if row else ())
    for _, value in args.all():
        _hold_parameters(frame, record, value, late=False)
        name_children(frame, record, value)
    return Instance(frozenset((record,)))


def _learns_affine(name: str, args: Arguments) -> bool:
    """Whether a layer surely has the parameters that it has by default."""
    given = _AFFINE.get(name.removeprefix("torch.nn."))
    value = args.value(*given) if given is not None else None
    return value is None or value == Const(True)


def _adopt_arguments(
    frame: Frame, record: ObjectRecord, args: Arguments, tensors: tuple[object, ...]
) -> None:
    """Submodules given to a container, tensors given to a loss."""
    children: list[Value] = []
    for expr, value in args.all():
        for part in _parts_given(record, _without(value, record)):
            children.append(part)
            if isinstance(part, Instance):
                for child in part.modules:
                    frame.adopt(record, child)
        if tensors and tensors_in(value):
            record.stateful = True
            record.tensors = [*record.tensors, (frame, expr, value)]
    if children:
        record.children = [*children, *(part for part in record.added if part not in children)]
        known = [m for part in children if isinstance(part, Instance) for m in part.modules]
        unseen = record.layer not in WRAPPERS and any(isinstance(c, Unknown) for c in children)
        record.stateful = record.stateful or unseen or any(m.stateful for m in known)


def put_in(frame: Frame, record: ObjectRecord, value: Value) -> None:
    """``net[0] = layer``, ``layers.extend([layer])``: what a container gets when it is there."""
    for part in _parts_given(record, value):
        add_child(frame, record, part)
    _hold_parameters(frame, record, value)
    for part in _module_parts(value):
        for child in part.modules if isinstance(part, Instance) else ():
            note_late(frame, record, child)


def _hold_parameters(
    frame: Frame, record: ObjectRecord, value: Value, *, late: bool = True
) -> None:
    """Lists and dictionaries of parameters make a parameter of every tensor, and hold them all.

    ``late``: they were there before.
    """
    tensors = tensors_in(value) if record.layer in _PARAMETERS else ()
    if tensors:
        if late:
            note_late_weights(frame, record, (n for t in tensors for n in t.nodes))
        dtypes = {tensor.dtype for tensor in tensors}
        dtype = dtypes.pop() if len(dtypes) == 1 else None
        record.stateful = record.weights = True
        record.children = [Tensor(frozenset((record.node,)), dtype, raw=False)]
        record.wraps |= value.records if isinstance(value, (Listing, Mapping)) else set()


def name_children(frame: Frame, record: ObjectRecord, value: Value) -> None:
    """The keys of a ``ModuleDict`` are the names of its attributes, too."""
    for held in value.records if isinstance(value, Mapping) else ():
        for key, child in held.items.items():
            if isinstance(key, str) and isinstance(child, Instance):
                frame.store(record, key, child, late=False)


def _without(value: Value, record: ObjectRecord) -> Value:
    """``self.net = nn.DataParallel(self.net)``: what is wrapped is what was there before."""
    if isinstance(value, Instance) and record in value.records:
        return Instance(value.records - {record})
    return value


def set_weight(frame: Frame, record: ObjectRecord, name: str, value: Tensor) -> None:
    """``criterion.weight = w`` exchanges a buffer: ``w`` has to be where the loss is, or moves."""
    if name in STATISTICS and record.layer:
        note_late_weights(frame, record, value.nodes)
    row = layer(record.layer) if record.layer and record.root is record else None
    if row is None or name not in row.tensor_arguments:
        return
    record.stateful = True
    if record.moved:
        frame.use(None, value, record.node)
    else:
        record.tensors = [*record.tensors, (frame, None, value)]


def _module_parts(value: Value) -> list[Value]:
    if isinstance(value, (Tuple, Listing, Mapping, Stream)):
        return [p for p in parts_in(value) if isinstance(p, (Instance, Unknown))]
    return [value] if isinstance(value, Instance) else []


def _parts_given(record: ObjectRecord, value: Value) -> list[Value]:
    """What a container gets: a layer that nobody has seen is one, too."""
    row = layer(record.layer) if record.layer else None
    if isinstance(value, Unknown) and row is not None and row.kind == "container":
        return [value]
    return _module_parts(value)


def adopt_arguments(frame: Frame, record: ObjectRecord, args: Arguments) -> None:
    """``super().__init__(a, b)`` of a user's own container: its layers move with it."""
    for _, value in args.all():
        for part in _module_parts(value):
            add_child(frame, record, part)


def place_module(frame: Frame, record: ObjectRecord, device: Device) -> None:
    """The program moves ``record`` itself."""
    record.root.moved = record.moved = True
    if device.label is None and not device.nodes:
        return  # on the device `meta` it has no memory
    record.hardcoded = record.hardcoded or not device.runs_anywhere
    record.settled = record.settled or frame.building
    note_move(frame, tree_of(record), device.label or Label.TARGET)
    frame.seen.placed_by.setdefault(record.node, set()).update(device.origins)
    if device.label is not None and not goes_and_returns(record, device.label):
        frame.graph.fix(record.node, device.label)
    for node in device.places:
        frame.graph.tie(record.node, node)


def note_move_of_part(frame: Frame, tree: ast.expr, part: Bound) -> None:
    """``model.encoder.embed.to(device)``, where nobody has seen the class of ``model``: a program
    that brings parts to the device one by one may have no memory there for all of them."""
    holder: Value = part
    while isinstance(holder, Bound):
        holder = holder.receiver
    for record in holder.modules if isinstance(holder, Instance) else ():
        frame.meet(record.root.node, tree, "the program moves parts of this module itself")


def place_under_default(frame: Frame, record: ObjectRecord) -> None:
    """A module that is made under a default device, or in the context of one, is there at once."""
    carried = frame.carried
    if carried is not None:
        place_module(frame, record, as_device(carried) or Device(Label.TARGET))
        record.settled = True


def note_module_call(frame: Frame, record: ObjectRecord) -> None:
    """``module(inputs)``: the anchor of an accelerator program."""
    if record.root is not record and _is_root_on_a_path(frame, record):
        record.beside = True
    if frame.host:
        name = getattr(frame.function, "name", "a lambda")
        frame.meet(record.root.node, frame.tree, f"{name} uses it on the CPU")
    elif frame.analysis.for_the_cpu:
        frame.meet(record.root.node, frame.tree, "it runs under CPU autocast")
    elif record.called and (frame.root_context or frame.entry.runs):
        return  # nothing more can be said
    elif not _is_inside(frame, record):
        record.called = True
        if not frame.root_context:
            frame.entry.runs = True


def _is_root_on_a_path(frame: Frame, part: ObjectRecord) -> bool:
    """``model = nn.Sequential(net, head) if args.joint else None`` somewhere, and ``net(x)`` here:
    on another path nothing but the part itself is there."""
    if any(owner.root is part.root for owners in frame.running() for owner in owners):
        return False
    around = set(_branches(frame, part.tree))
    return any(branch not in around for branch in _branches(frame, part.root.tree))


def _branches(frame: Frame, tree: ast.AST) -> Iterator[ast.AST]:
    """What decides whether ``tree`` is evaluated where its function runs."""
    at: ast.AST | None = tree
    while at is not None and not isinstance(at, FUNCTIONS):
        at = frame.analysis.parents.get(at)
        if isinstance(at, (ast.If, ast.IfExp, ast.Try, ast.Match)):
            yield at


def _is_inside(frame: Frame, record: ObjectRecord) -> bool:
    """A part of a module whose method is running: that says nothing of the module as a whole.

    Where the method is called, its module is what was used; a part may belong to others as well.
    """
    for owners in frame.running():
        if any(owner.root is record.root for owner in owners):
            return frame.root_context  # then nobody has called the method
        if any(record in below(root) for root in {owner.root for owner in owners}):
            return True
    return False


def call_layer(frame: Frame, tree: ast.expr, record: ObjectRecord, args: Arguments) -> Value:
    """``layer(inputs)`` of a module that the program has no ``forward`` of."""
    if (
        record.cls is None
        and not record.root.moved
        and any(isinstance(part, Unknown) for part in record.added)
    ):
        frame.meet(record.node, tree, "an unknown layer was added to it after it was created")
    within = frame.analysis.within
    args = scattered(frame, tree, record, args) if record.scatters else args
    if record.layer not in _TRANSPARENT or not record.children or record in within:
        return call_plain_layer(frame, tree, record, args)
    within.add(record)  # `net = DataParallel(net)` in two places: each may hold the other
    try:
        if record.layer == "torch.nn.Sequential":
            return _call_sequence(frame, tree, record, args)
        inner = [frame.call(tree, child, args) for child in record.children]
        return frame.bounded(join_all(inner))
    finally:
        within.discard(record)


def _call_sequence(frame: Frame, tree: ast.expr, record: ObjectRecord, args: Arguments) -> Value:
    """Only the first child sees an expression of the program; the others see its result."""
    current = args
    result: Value = Unknown("the result of a module")
    for child in record.children:
        result = (
            frame.call(tree, child, current) if isinstance(child, Instance) else Unknown("a module")
        )
        if isinstance(result, Unknown):
            return call_plain_layer(frame, tree, record, args)
        current = Arguments([(None, result)])
    return result


def call_plain_layer(frame: Frame, tree: ast.expr, record: ObjectRecord, args: Arguments) -> Value:
    row = layer(record.layer) if record.layer else None
    operands = args.all()
    recompute_all(frame, tree, record)
    if record.layer in KEEP_STATISTICS:
        write_memory(frame, frozenset((record.node,)))
    if row is not None and row.strict_float and operands:
        check_operand(frame, operands[0], record.dtype)
        for operand in written_parts(operands[1:]) if row.returns == "tensor and state" else ():
            check_operand(frame, operand, record.dtype, integers=False)
    if row is not None and row.kind == "loss":
        return _call_loss(frame, tree, record, args)
    required = min(row.inputs if row is not None else 1, len(args.positional))
    evident = [(e, as_input(e, v, required=at < required)) for at, (e, v) in enumerate(operands)]
    if row is None or not row.strict_float:
        accept(frame, operands)
        for _, value in operands:
            note_dtype_use(frame, tree, value)
    closed = is_closed(record)
    if closed and not record.moved:
        return Unknown("the result of a module", near=near_of(args))
    if not (record.stateful or closed):
        result = combine(frame, tree, evident, evidence=True)
        if result is None:
            return _unknown_result(operands)
        return given_by(record, evident, result)
    node = frame.graph.node(("layer", frame.context, tree, record))
    frame.graph.tie(node, whereabouts(frame, record))
    if operands and all(_is_no_tensor(expr, value) for expr, value in operands):
        frame.meet(
            node, tree, ("a module is called with something that was not recognized as a tensor")
        )
    states = evident[1:] if has_state(record) else []
    note_sure(frame, node, (value for _, value in evident))
    for expr, value in evident:
        if is_unseen(value):
            frame.meet(node, tree, unseen_reason(value))
        elif isinstance(value, Instance) and not value.modules:
            reason = "an object of one of your classes is passed to a layer"
            hand_over(frame, expr or tree, value, reason)
            frame.meet(node, tree, reason)
        if (expr, value) in states and flow_state(frame, expr, value, node):
            continue
        if isinstance(value, (Either, Tensor, Tuple, Listing, Mapping, Stream)):
            if not all(tensor.nodes for tensor in tensors_in(value)):
                frame.meet(node, expr or tree, LOST)
            frame.use(expr, value, node, to_target=USE_COST)
    if gives_output(record.layer):
        note_output(frame, tree, node)
    return given_by(record, evident, Tensor(frozenset((node,)), raw=False))


def _is_no_tensor(expr: ast.expr | None, value: Value) -> bool:
    """Whether it was taken for a number or the like; what is said to be on a device is none."""
    called = expr.func if isinstance(expr, ast.Call) else None
    moved = isinstance(called, ast.Attribute) and called.attr in ("to", "cuda", "cpu")
    return isinstance(value, (Const, Plain)) and not moved


def _unknown_result(operands: tuple[Operand, ...]) -> Value:
    return next((v for _, v in operands if isinstance(v, Unknown)), Tensor(frozenset(), raw=False))


def _call_loss(frame: Frame, tree: ast.expr, record: ObjectRecord, args: Arguments) -> Value:
    row = layer(record.layer)
    if row is not None and len(args.positional) > row.inputs:
        return BOTTOM  # it raises: of several losses that a name may stand for it is not this one
    free = args.listed(row.free_arguments) if row is not None else []
    operands: list[Operand] = [operand for operand in args.all() if operand not in free]
    clash = False
    if row is not None and row.loss_dtype == "strict":
        operands, clash = check_strict(frame, operands)
    if record.stateful:
        operands.append((None, Tensor(frozenset((whereabouts(frame, record),)), raw=False)))
    result = combine(frame, tree, operands, evidence=True, strict=clash)
    if result is None:
        return _unknown_result(tuple(operands))
    return Tensor(result.nodes, result.dtype, _reduces(record), raw=False)


def _reduces(record: ObjectRecord) -> bool:
    """Losses return one number unless they were made with ``reduction="none"``."""
    if isinstance(record.tree, ast.Call):
        for keyword in record.tree.keywords:
            if keyword.arg in ("reduction", "reduce"):
                value = keyword.value
                return isinstance(value, ast.Constant) and value.value not in ("none", False)
    return True


def tree_of(record: ObjectRecord) -> list[ObjectRecord]:
    """The module and all modules below it."""
    return list(below(record))


def below(record: ObjectRecord) -> Iterator[ObjectRecord]:
    """The same, for whoever may stop before all are found."""
    found: set[ObjectRecord] = set()
    queue = [record]
    while queue:
        current = queue.pop()
        if current in found:
            continue
        found.add(current)
        yield current
        loose = current.unregistered
        for value in (*current.children, *current.attributes.values()):
            if isinstance(value, Instance):
                for part in value.records:
                    if part.module and part not in found and part not in loose:
                        queue.append(part)


def is_moved(record: ObjectRecord) -> bool:
    """Whether the program moves the module, or has nothing to move there."""
    return not record.stateful or any(part.moved for part in below(record))


def add_child(frame: Frame, record: ObjectRecord, part: Value) -> None:
    """A module gets one more layer; one that nobody has seen may have weights."""
    if part not in record.children:
        record.children.append(part)
        record.added.append(part)
        frame.analysis.changed = True
    if isinstance(part, Instance):
        for child in part.modules:
            frame.adopt(record, child, late=True)
            record.stateful = record.stateful or child.stateful
    elif isinstance(part, Unknown):
        record.stateful = True
