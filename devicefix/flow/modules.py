"""Modules: what their calls need, what their methods do, and what makes them move."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import product
from typing import Final

from msgspec.structs import replace

from devicefix.flow import autograd
from devicefix.flow.assertions import hear_method
from devicefix.flow.computed_names import computed, key_of, set_attribute
from devicefix.flow.construction import (
    goes_and_returns,
    note_late,
    note_late_weights,
    note_move,
    part_of,
    whereabouts,
)
from devicefix.flow.costs import USE_COST
from devicefix.flow.dicts import ANY_NAME, note_pattern
from devicefix.flow.dtypes import accept, check_operand, check_strict, written_parts
from devicefix.flow.escapes import (
    callables_in,
    hand_over,
    hand_over_all,
    has_unseen_base,
    let_call_methods,
    near_of,
)
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.graph import Label
from devicefix.flow.iteration import new_dict
from devicefix.flow.joins import join_all, parts_in, tensors_in
from devicefix.flow.literals import note_literal
from devicefix.flow.memory import write_memory
from devicefix.flow.module_results import given_by, has_state
from devicefix.flow.operands import (
    Operand,
    as_tensor,
    combine,
    flow_state,
    is_unseen,
    note_dtype_use,
    note_sure,
    unseen_reason,
)
from devicefix.flow.optimizers import note_first_move
from devicefix.flow.parallel import AVERAGED, WRAPPERS, is_closed, scattered, scatters
from devicefix.flow.parametrizing import recompute_all
from devicefix.flow.values import (
    BOTTOM,
    LOST,
    NONE,
    PLAIN,
    Bound,
    Const,
    Device,
    Dtype,
    Either,
    Instance,
    Listing,
    Mapping,
    ObjectRecord,
    Opaque,
    Plain,
    Stream,
    Tensor,
    Tuple,
    Unknown,
    Value,
    as_device,
    is_none,
)
from devicefix.torch_api import KEEP_STATISTICS, LEGACY_CONSTRUCTORS, is_call, layer

MOVES = frozenset(("to", "cuda", "cpu", "xpu", "to_empty"))
"""Methods of modules that may bring them somewhere."""
_CASTS = frozenset(("double", "float", "half", "type", "bfloat16"))
_SELF_RETURNING = frozenset(("eval", "train", "requires_grad_", "share_memory", "compile"))
_TRANSPARENT = frozenset((*WRAPPERS, "torch.nn.Sequential"))
_DICTS = ("torch.nn.ModuleDict", "torch.nn.ParameterDict")
_PARAMETERS = ("torch.nn.ParameterDict", "torch.nn.ParameterList")


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
    record.weights = row is None or row.parameters
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
        _name_children(frame, record, value)
    return Instance(frozenset((record,)))


def _adopt_arguments(
    frame: Frame, record: ObjectRecord, args: Arguments, tensors: tuple[object, ...]
) -> None:
    """Submodules given to a container, tensors given to a loss."""
    children: list[Value] = []
    for expr, value in args.all():
        for part in _module_parts(_without(value, record)):
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
    _add_child(frame, record, value)
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


def _name_children(frame: Frame, record: ObjectRecord, value: Value) -> None:
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
    if name in _STATISTICS and record.layer:
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


def adopt_arguments(frame: Frame, record: ObjectRecord, args: Arguments) -> None:
    """``super().__init__(a, b)`` of a user's own container: its layers move with it."""
    for _, value in args.all():
        _add_child(frame, record, value)


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
    for node in device.nodes:
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
    if frame.host:
        name = getattr(frame.function, "name", "a lambda")
        frame.meet(record.root.node, frame.tree, f"{name} uses it on the CPU")
    elif frame.analysis.for_the_cpu:
        frame.meet(record.root.node, frame.tree, "it runs under an autocast of the CPU")
    elif record.called and (frame.root_context or frame.entry.runs):
        return  # nothing more can be said
    elif not _is_inside(frame, record):
        record.called = True
        if not frame.root_context:
            frame.entry.runs = True


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
    within = frame.analysis.within
    args = scattered(frame, tree, record, args) if record.scatters else args
    if record.layer not in _TRANSPARENT or not record.children or record in within:
        return _call_layer(frame, tree, record, args)
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
            return _call_layer(frame, tree, record, args)
        current = Arguments([(None, result)])
    return result


def _call_layer(frame: Frame, tree: ast.expr, record: ObjectRecord, args: Arguments) -> Value:
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
    evident = [(e, as_tensor(v, evidence=True)) for e, v in operands]
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
            reason = "an object of the program is given to a layer"
            hand_over(frame, expr or tree, value, reason)
            frame.meet(node, tree, reason)
        if (expr, value) in states and flow_state(frame, expr, value, node):
            continue
        if isinstance(value, (Either, Tensor, Tuple, Listing, Mapping, Stream)):
            if not all(tensor.nodes for tensor in tensors_in(value)):
                frame.meet(node, expr or tree, LOST)
            frame.use(expr, value, node, to_target=USE_COST)
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


# -- methods -----------------------------------------------------------------------------------


_STATISTICS: Final = frozenset({"num_batches_tracked", "running_mean", "running_var"})
"""The buffers of torch's own layers."""
_HOOKS: Final = {
    "register_forward_pre_hook": "mt",
    "register_forward_hook": "mto",
    "register_full_backward_pre_hook": "mt",
    "register_full_backward_hook": "mtt",
    "register_backward_hook": "mtt",
}
"""What hooks get: the module, a tuple of tensors, the output.
https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html"""


def call_module_method(
    frame: Frame, tree: ast.expr, receiver: Instance, name: str, args: Arguments
) -> Value:
    """A method that a module inherits from torch, or an unknown one of another object."""
    results = [_method(frame, tree, record, name, args) for record in receiver.records]
    return frame.bounded(join_all(results))


def _method(
    frame: Frame, tree: ast.expr, record: ObjectRecord, name: str, args: Arguments
) -> Value:
    this = Instance(frozenset((record,)))
    if not record.module:
        return _plain_method(frame, tree, record, name, args)
    nodes = Tensor(frozenset((whereabouts(frame, record),)), record.dtype, raw=False)
    match name:
        case _ if name in MOVES or name in _CASTS:
            stays = frame.analysis.stays
            first = record not in stays and record.root not in stays
            _move(frame, record, name, args)
            if first and stays.get(record) is Label.TARGET:
                note_first_move(frame, tree, (record.root, *tree_of(record)))
            return this
        case "parameters" | "buffers":
            frame.seen.asked_for_parameters.add(record)
            frame.seen.read_weights.add(record)
            return Stream(nodes)
        case "zero_grad" if args.value(0, "set_to_none") == Const(False):
            write_memory(frame, frozenset((record.node,)))
            return NONE
        case "load_state_dict":
            frame.seen.asked_for_parameters.add(record)
            write_memory(frame, frozenset((record.node,)))
            if args.value(2, "assign") not in (None, Const(False)):
                _exchange(frame, tree, nodes, args.value(0, "state_dict") or PLAIN)
            return PLAIN
        case "named_parameters" | "named_buffers":
            frame.seen.asked_for_parameters.add(record)
            frame.seen.read_weights.add(record)
            return Stream(Tuple((PLAIN, nodes)))
        case "state_dict":
            frame.seen.read_weights.add(record)
            return _state(frame, tree, nodes)
        case "children" | "modules":
            return Stream(join_all([*record.children, *_submodules(record)]))
        case "named_children" | "named_modules":
            return Stream(Tuple((PLAIN, join_all([*record.children, *_submodules(record)]))))
        case "register_buffer" | "register_parameter" | "add_module" | "register_module":
            _register(frame, record, args)
            return NONE
        case "__setattr__":
            set_attribute(frame, args.before((None, this)))
            return NONE
        case "append" | "extend" | "insert":
            for _, value in args.positional:
                put_in(frame, record, value)
            return this
        case "update" if record.layer in _DICTS:
            for _, value in args.positional:
                put_in(frame, record, value)
                _name_children(frame, record, value)
            return NONE
        case "apply":
            parts = Instance(frozenset(tree_of(record)))
            for callee in callables_in(args.value(0, "fn") or NONE):
                frame.call(tree, callee, Arguments([(None, parts)]))
            return this
        case _ if name in _HOOKS:
            _hook(frame, tree, this, nodes, args.value(0, "hook") or NONE, _HOOKS[name])
            return PLAIN
        case "items":
            held = part_of(frame, record, join_all(record.children))
            return Stream(Tuple((PLAIN, held)))
        case "values":
            return Stream(part_of(frame, record, join_all(record.children)))
        case _ if name in _SELF_RETURNING:
            return this
        case "update_parameters" if record.layer == AVERAGED:
            return NONE  # it brings each weight to where its average is
        case _ if is_call(record.layer, name):
            note_module_call(frame, record)
            return call_layer(frame, tree, record, args)
        case _ if name.startswith(("load_", "zero_", "register_")):
            return PLAIN
    return _follow(frame, tree, record, name, args)


def _follow(
    frame: Frame, tree: ast.expr, record: ObjectRecord, name: str, args: Arguments
) -> Value:
    """A method of the library that we do not know: it works where the module is. What one of a
    model that was not analysed gives may be a tensor, and be there, or anything else.
    """
    if not record.layer:
        return Unknown("an inherited method")
    result = _call_layer(frame, tree, record, args)
    known = layer(record.layer) is not None
    return result if known else Unknown(f"the method {name!r} of {record.layer}")


def _state(frame: Frame, tree: ast.expr, nodes: Tensor) -> Value:
    return new_dict(frame, tree, {}, nodes)


def _submodules(record: ObjectRecord) -> list[Value]:
    return [v for v in record.attributes.values() if isinstance(v, Instance) and v.modules]


def _move(frame: Frame, record: ObjectRecord, name: str, args: Arguments) -> None:
    if name in ("double", "float", "half", "bfloat16"):
        for child in tree_of(record):
            child.cast = True
        record.dtype = {"double": "float64", "float": "float32", "half": "float16"}.get(name, name)
        for child in tree_of(record):
            child.dtype = record.dtype
        return
    if name == "cuda":
        place_module(frame, record, Device(Label.TARGET, agnostic=False))
        return
    if name == "cpu":
        place_module(frame, record, Device(Label.HOST))
        return
    for expr, value in args.all():
        note_literal(frame, expr, value)
        row = LEGACY_CONSTRUCTORS.get(str(getattr(value, "name", None) or _text(value)))
        if name == "type" and row is not None:
            for child in tree_of(record):
                _set_dtype(frame, child, row.dtype)
            label = Label.TARGET if row.device == "cuda" else Label.HOST
            place_module(frame, record, Device(label, agnostic=label is Label.HOST))
            continue
        if isinstance(value, Dtype):
            for child in tree_of(record):
                child.dtype, child.cast = value.name, True
            continue
        if name in ("type", "to_empty") or isinstance(value, Tensor):
            for child in tree_of(record):
                child.cast = True
        device = _beside(value) if isinstance(value, Tensor) else as_device(value)
        if device is None and not isinstance(value, Const):
            # whatever names a device here names the one that the program runs on
            device = Device(Label.TARGET)
            if not isinstance(value, Opaque):
                frame.seen.ranked.add(frame.entry)
        if device is not None:
            place_module(frame, record, device)


def _beside(value: Tensor) -> Device:
    """``module.to(x)``: where ``x`` is; what names no other place is where the program runs."""
    return Device(None, value.nodes) if value.nodes else Device(Label.TARGET)


def _set_dtype(frame: Frame, record: ObjectRecord, dtype: str) -> None:
    """A cast to the dtype that modules are made with is none."""
    usual = dtype == "float32" and not frame.analysis.default_float64
    record.cast = record.cast or not usual or record.dtype not in (None, dtype)
    record.dtype = dtype


def _text(value: Value) -> object:
    return value.value if isinstance(value, Const) else None


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
        for value in (*current.children, *current.attributes.values()):
            if isinstance(value, Instance):
                queue += [m for m in value.modules if m not in current.unregistered]


def is_moved(record: ObjectRecord) -> bool:
    """Whether the program moves the module, or has nothing to move there."""
    return not record.stateful or any(part.moved for part in below(record))


def _exchange(frame: Frame, tree: ast.expr, weights: Tensor, state: Value) -> None:
    """``load_state_dict(state, assign=True)``: the module is where the state is from then on, which
    may be anywhere where nobody knows what it is made of."""
    for part, node in product(parts_in(state), weights.nodes):
        if isinstance(part, Tensor):
            frame.use(None, part, node)
        elif isinstance(part, Opaque) or is_unseen(part):
            place = part.place if isinstance(part, Unknown) else frozenset[int]()
            frame.meet(
                node, tree, "its parameters become those of a state that was not seen", place
            )


def _hook(
    frame: Frame, tree: ast.expr, module: Instance, there: Tensor, hook: Value, given: str
) -> None:
    """What a module gives to its hooks, and the gradients that come there, are where it is."""
    kinds: dict[str, Value] = {"m": module, "t": Tuple((there,)), "o": there}
    frame.call(tree, hook, Arguments([(None, kinds[kind]) for kind in given]))


def _register(frame: Frame, record: ObjectRecord, args: Arguments) -> None:
    name, value = args.get(0, "name"), args.value(1)
    if value is None:
        value = args.value(None, "tensor") or args.value(None, "module") or PLAIN
    key = key_of(frame, name) if name is not None else ANY_NAME
    note_pattern(record, key)
    if isinstance(value, Tensor) or is_none(value):
        record.registered.add(key)
    if isinstance(value, Tensor):
        record.unmoved[key] = value
        value = replace(
            Tensor(value.nodes, value.dtype, value.scalar, value.born, value.raw, True),
            constant=value.constant,
        )
    frame.store(record, key, value)
    if isinstance(value, Instance) and value not in record.children:
        record.children.append(value)


def _add_child(frame: Frame, record: ObjectRecord, value: Value) -> None:
    for part in _module_parts(value):
        if part not in record.children:
            record.children.append(part)
            record.added.append(part)
            frame.analysis.changed = True
        if isinstance(part, Instance):
            for child in part.modules:
                frame.adopt(record, child, late=True)
                record.stateful = record.stateful or child.stateful


def _plain_method(
    frame: Frame, tree: ast.expr, record: ObjectRecord, name: str, args: Arguments
) -> Value:
    """A method that the class does not define: inherited from code that we cannot see."""
    if record.keeper:
        return autograd.keep(frame, record, name, args)
    if name == "__setattr__":
        set_attribute(frame, args.before((None, Instance(frozenset((record,))))))
        return NONE
    if (
        record.cls is not None
        and not record.cls.library_bases()
        and not any(isinstance(b, Unknown) for c in record.cls.ancestry() for b in c.bases)
    ):
        own = computed(record, name)
        return own if own is not None else Unknown(f"the attribute {name!r}")
    if record.cls is not None and any(b.endswith("TestCase") for b in record.cls.library_bases()):
        hear_method(frame, name, args)
    else:
        let_call_methods(frame, tree, record)
    reason = f"the inherited method {name!r}"
    hand_over_all(frame, tree, args, reason)
    if record.cls is not None and has_unseen_base(record.cls):
        hand_over(frame, tree, Instance(frozenset((record,))), reason)
    return Unknown(reason)
