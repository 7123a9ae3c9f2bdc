"""The methods that modules inherit from torch: what they give, and which of them move a module."""

from __future__ import annotations

import ast
from itertools import product
from typing import Final

from msgspec.structs import replace

from devicefix.flow import autograd
from devicefix.flow.assertions import hear_method
from devicefix.flow.computed_names import computed, key_of, set_attribute
from devicefix.flow.construction import part_of, whereabouts
from devicefix.flow.dicts import ANY_NAME, note_pattern
from devicefix.flow.escapes import (
    callables_in,
    hand_over,
    hand_over_all,
    has_unseen_base,
    let_call_methods,
)
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.functions import call_function
from devicefix.flow.graph import Label
from devicefix.flow.iteration import new_dict
from devicefix.flow.joins import join_all, parts_in
from devicefix.flow.literals import note_literal
from devicefix.flow.memory import write_memory
from devicefix.flow.modules import (
    add_child,
    call_layer,
    call_plain_layer,
    name_children,
    note_module_call,
    place_module,
    put_in,
    tree_of,
)
from devicefix.flow.operands import is_unseen
from devicefix.flow.optimizers import note_first_move
from devicefix.flow.parallel import AVERAGED
from devicefix.flow.values import (
    NONE,
    PLAIN,
    Const,
    Device,
    Dtype,
    Function,
    Instance,
    ObjectRecord,
    Opaque,
    Stream,
    Tensor,
    Tuple,
    Unknown,
    Value,
    as_device,
    is_none,
)
from devicefix.torch_api import LEGACY_CONSTRUCTORS, is_call, layer

MOVES = frozenset(("to", "cuda", "cpu", "xpu", "to_empty"))
"""Methods of modules that may bring them somewhere."""
_CASTS = frozenset(("double", "float", "half", "type", "bfloat16"))
_SELF_RETURNING = frozenset(("eval", "train", "requires_grad_", "share_memory", "compile"))
_DICTS = ("torch.nn.ModuleDict", "torch.nn.ParameterDict")
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
            if name.endswith("module"):
                add_child(frame, record, args.value(1, "module") or PLAIN)
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
                name_children(frame, record, value)
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
        case "__call__" if (forward := _own_forward(record)) is not None:
            note_module_call(frame, record)
            return call_function(frame, tree, forward, args.before((None, this)))
        case "forward" | "__call__" if not record.layer:
            return _call_above(frame, tree, record, args)
        case _ if name.startswith(("load_", "zero_", "register_")):
            return PLAIN
    return _follow(frame, tree, record, name, args)


def _own_forward(record: ObjectRecord) -> Function | None:
    found = record.cls.lookup("forward") if record.cls is not None else None
    return found if isinstance(found, Function) else None


def _call_above(frame: Frame, tree: ast.expr, record: ObjectRecord, args: Arguments) -> Value:
    """``super().forward(x)``, which is of the library: a tensor if the class inherits from one
    layer of torch that gives one."""
    bases = set(record.cls.library_bases()) - {"torch.nn.Module"} if record.cls else set()
    rows = [layer(base) for base in bases]
    note_module_call(frame, record)
    result = call_plain_layer(frame, tree, record, args)
    if len(rows) == 1 and all(row is not None and row.returns == "tensor" for row in rows):
        return result
    reason = "an inherited method"
    frame.meet(record.root.node, tree, reason)
    return Unknown(reason, near=result.nodes if isinstance(result, Tensor) else frozenset())


def _follow(
    frame: Frame, tree: ast.expr, record: ObjectRecord, name: str, args: Arguments
) -> Value:
    """A method of the library that we do not know: it works where the module is. What one of a
    model that was not analysed gives may be a tensor, and be there, or anything else.
    """
    if not record.layer:
        return Unknown("an inherited method")
    result = call_plain_layer(frame, tree, record, args)
    if layer(record.layer) is not None:
        return result
    near = result.nodes if isinstance(result, Tensor) else frozenset[int]()
    return Unknown(f"the method {name!r} of {record.layer}", near=near)


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


def _exchange(frame: Frame, tree: ast.expr, weights: Tensor, state: Value) -> None:
    """``load_state_dict(state, assign=True)``: the module is where the state is from then on, which
    may be anywhere where nobody knows what it is made of."""
    for part, node in product(parts_in(state), weights.nodes):
        if isinstance(part, Tensor):
            frame.use(None, part, node)
        elif isinstance(part, Opaque) or is_unseen(part):
            place = part.place if isinstance(part, Unknown) else frozenset[int]()
            frame.meet(node, tree, "it loads parameters that were not analysed", place)


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
