"""Calls: find out what is called, evaluate the arguments, and dispatch by kind of callee."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from msgspec.structs import replace

from devicefix.flow import autograd
from devicefix.flow.attributes import MODULE_METHODS
from devicefix.flow.base_constructors import has_base, initialized
from devicefix.flow.binding import forget_order
from devicefix.flow.builtin_calls import call_builtin
from devicefix.flow.construction import note_beside
from devicefix.flow.containers import call_container_method
from devicefix.flow.dtypes import accept
from devicefix.flow.escapes import (
    function_of,
    hand_over,
    hand_over_all,
    has_unseen_base,
    let_call_back,
    near_of,
    reached,
)
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.functions import call_function, is_module, parent_class_calls
from devicefix.flow.host_arguments import need_cpu
from devicefix.flow.instances import construct, constructor, instantiate, new_object
from devicefix.flow.iteration import iterated
from devicefix.flow.joins import (
    element,
    exact_items,
    join_all,
    options,
    parts_in,
    tensors_in,
    unsure,
)
from devicefix.flow.library import call_library
from devicefix.flow.literals import note_literal, note_number, written_device
from devicefix.flow.memory import note_filled, write_parameters
from devicefix.flow.module_methods import MOVES, call_module_method
from devicefix.flow.modules import (
    call_layer,
    note_module_call,
    note_move_of_part,
)
from devicefix.flow.numeric import call_array_method, call_number, read_on_host
from devicefix.flow.operands import Operand, as_tensor, combine, note_dtype_use
from devicefix.flow.optimizers import STEP_HOOKS, meet_state, note_call
from devicefix.flow.spread import movable
from devicefix.flow.storing import named_tuple
from devicefix.flow.tensors import call_tensor_method, transfer
from devicefix.flow.unfollowed import call_of_unfollowed, unfollowed
from devicefix.flow.values import (
    NONE,
    OWN_NAME,
    PLAIN,
    TEXT,
    Array,
    Bound,
    Class,
    Const,
    Dataset,
    Device,
    Dtype,
    Either,
    External,
    Flag,
    Function,
    Generator,
    Instance,
    Listing,
    Loader,
    Mapping,
    ObjectRecord,
    OneOf,
    Opaque,
    Optimizer,
    Parameter,
    Partial,
    Plain,
    Residence,
    Stream,
    Tensor,
    Tuple,
    TupleClass,
    Unknown,
    Value,
    is_accelerator_string,
    is_none,
    is_text,
)
from devicefix.torch_api import Effect, World, factory, layer, method, runs_on_cuda, world

_GIVE_TEXT = frozenset({
    "capitalize", "casefold", "center", "expandtabs", "format", "format_map", "join", "ljust",
    "lower", "lstrip", "replace", "rjust", "rstrip", "strip", "title", "upper", "zfill",
})  # fmt: skip
"""Methods of strings whose result is a string."""
_PARTS = frozenset({"copy", "get", "items", "pop", "values"})
"""Methods of dicts that give what they hold."""
_KEEPING = frozenset({Effect.CAST, Effect.COPY, Effect.VIEW})
_QUANTIZING = ("torch.ao.quantization.", "torch.quantization.")
_LEAVING = frozenset(("cpu", "item", "numpy", "to", "tolist"))
_PLACING = frozenset(("cuda", "cpu", "to", "pin_memory"))
"""What says that a tensor may be on the CPU: only there can it be pinned."""
_TENSOR_OPTION = "a command-line option may be a tensor"
_TRANSFERS = frozenset(("cuda", "cpu", "to", "xpu", "mps", "type", "pin_memory"))


def evaluate_call(frame: Frame, tree: ast.Call) -> Value:
    """The value of a call expression."""
    inherited = _inherited(frame, tree)
    if inherited is not None:
        return inherited
    callee, receiver = _callee(frame, tree.func)
    _note_callees(frame, tree, callee)
    for option in unsure(callee) if isinstance(callee, Either) else options(callee):
        _note_kind(frame, tree, _kind(option))
    args = _arguments(frame, tree)
    note_filled(frame, tree, (value for _, value in args.all()))
    if isinstance(tree.func, ast.Attribute) and tree.func.attr in _TRANSFERS:
        if receiver is None:
            receiver = frame.evaluate(tree.func.value)
        if isinstance(receiver, Opaque) and tree.func.attr in _PLACING:
            receiver.parameter.moved = True
        if isinstance(receiver, Unknown) and not receiver.foreign and tree.func.attr == "to":
            _note_place(frame, args)
        result = _arrived(frame, tree, receiver, args, call(frame, tree, callee, args))
        _record_transfer(frame, tree, receiver, result)
        if tree.func.attr == "cuda":
            _note_index(frame, tree, args)
        return result
    result = call(frame, tree, callee, args)
    return _usual_device(tree, args, result) or result


def _arrived(
    frame: Frame, tree: ast.Call, receiver: Value, args: Arguments, result: Value
) -> Value:
    """``x = batch[0].cuda()``: nobody knows what it is, but the program has said where it is now.

    What it is, its uses say from here on.
    """
    name = tree.func.attr if isinstance(tree.func, ast.Attribute) else ""
    if not isinstance(receiver, Unknown) or isinstance(receiver, Either):
        return result
    if receiver.torch or name not in ("cuda", "to"):
        return result
    came = transfer(frame, tree, Tensor(frozenset(), raw=False), name, args)
    if not isinstance(came, Tensor) or not came.nodes:
        return result
    records = frame.analysis.arrived.setdefault(tree, {})
    if frame.context not in records:
        records[frame.context] = Parameter(receiver.reason, frame, arrived=True)
    (records[frame.context].node,) = came.nodes
    return Opaque(records[frame.context])


def _callee(frame: Frame, tree: ast.expr) -> tuple[Value, Value | None]:
    """What is called, and of a method what it was found in, which is not to be evaluated again: a
    chain of ten would be a thousand times."""
    frame.analysis.receiver = None
    callee = frame.evaluate(tree)
    last = frame.analysis.receiver
    return callee, last[1] if last is not None and last[0] is tree else None


def _usual_device(tree: ast.Call, args: Arguments, result: Value) -> Value | None:
    """``options.get("device", "cuda")``: nothing is known but what is taken where there is none."""
    getting = isinstance(tree.func, ast.Attribute) and tree.func.attr == "get"
    if not (getting and len(args.positional) == 2):
        return None
    if not (isinstance(result, (Opaque, Unknown)) or result == PLAIN):
        return None
    usual = args.positional[1][1]
    device = isinstance(usual, Const) and is_accelerator_string(usual.value)
    return usual if device else None


def _note_callees(frame: Frame, tree: ast.Call, callee: Value | None) -> None:
    """Which functions of the program the call names itself: an argument for them fits there."""
    known = frame.seen.callees.get(tree)
    if known is None:
        known = frame.seen.callees[tree] = set()
    for option in options(callee) if callee is not None else ():
        match option:
            case Function(tree=function) | Bound(function=Function(tree=function)):
                known.add(function)
            case Class(record=record):
                init = constructor(record)
                known.add(init.tree if init is not None else None)
            case _:
                known.add(None)


def _record_transfer(frame: Frame, tree: ast.Call, receiver: Value, result: Value) -> None:
    seen = frame.occurrence(tree)
    frame.analysis.arrivals.note_transfer(receiver, result)
    frame.seen.transfers.setdefault(tree, []).append((receiver, result, seen))
    given = tree.args[0] if tree.args else None
    if isinstance(given, ast.Constant) and str(given.value).startswith("torch.cuda."):
        frame.seen.mentions.setdefault(given, {})[frame.context] = (str(given.value), seen)


def _note_place(frame: Frame, args: Arguments) -> None:
    """``batch.to("cuda")``: whatever that is, it takes the names of devices."""
    given = args.get(0, "device")
    value = given[1] if given is not None else None
    if given is not None and isinstance(value, Const) and is_accelerator_string(value.value):
        note_literal(frame, *given)


def _note_index(frame: Frame, tree: ast.Call, args: Arguments) -> None:
    """``.cuda(index)``."""
    given = args.get(0, "device")
    if given is not None:
        frame.seen.indices.setdefault(tree, []).append(given[1])
        if isinstance(given[0], ast.Call):
            note_number(frame, given[0])


def _arguments(frame: Frame, tree: ast.Call) -> Arguments:
    positional: list[Operand] = []
    first: int | None = None
    for arg in tree.args:
        value = frame.evaluate(arg)
        if not isinstance(arg, ast.Starred):
            positional.append((arg, value))
        elif isinstance(value, Tuple) or exact_items(value):
            positional += [(None, item) for item in exact_items(value)]
        else:
            first = len(positional) if first is None else first
            positional.append((None, _spread(frame, arg.value, value)))
    keywords = [(k.arg, (k.value, frame.evaluate(k.value))) for k in tree.keywords]
    return Arguments(positional, keywords, _rest(positional, first))


def _rest(positional: Sequence[Operand], first: int | None) -> tuple[int, Value] | None:
    """What the arguments may be from the ``first`` on that is spread, however many there are."""
    values = [value for _, value in positional[first:]] if first is not None else []
    if first is None or any(isinstance(value, Unknown) for value in values):
        return None
    return first, join_all(values)


def _spread(frame: Frame, tree: ast.expr, value: Value) -> Value:
    """One of the arguments that ``*tree`` stands for."""
    if isinstance(value, Instance):
        return iterated(frame, tree, value)  # `Sequential(*layers)` of a `ModuleList`
    return element(value) or Unknown("unpacked arguments")


def _inherited(frame: Frame, tree: ast.Call) -> Value | None:
    """``super().name(...)``; None for any other call."""
    func = tree.func
    if not (
        isinstance(func, ast.Attribute)
        and isinstance(func.value, ast.Call)
        and isinstance(func.value.func, ast.Name)
        and func.value.func.id == "super"
    ):
        return None
    args = _arguments(frame, tree)
    receiver = frame.receiver if frame.receiver is not None else frame.lookup("self")
    ways = parent_class_calls(frame, func.attr, receiver)
    results = []
    for above, one in ways.items():
        _note_callees(frame, tree, above)
        results.append(_call_above(frame, tree, func.attr, above, one, args))
    return results[0] if len(results) == 1 else frame.bounded(join_all(results))


def _call_above(
    frame: Frame,
    tree: ast.Call,
    name: str,
    above: Function | None,
    receiver: Value | None,
    args: Arguments,
) -> Value:
    """``super().name(...)``, which is ``above``, or a method of the library."""
    if above is not None and receiver is not None:
        first = () if name == "__new__" else ((None, receiver),)
        return call_function(frame, tree, above, args.before(*first))
    if name == "__new__":
        return new_object(frame, tree, args)
    if isinstance(receiver, Class) and name == "__call__":
        return construct(frame, tree, receiver, args)
    if isinstance(receiver, Instance) and name == "__init__":
        return initialized(frame, tree, receiver, args)
    if isinstance(receiver, Instance):
        return call_module_method(frame, tree, receiver, name, args)
    return NONE


def call(frame: Frame, tree: ast.expr, callee: Value, args: Arguments) -> Value:
    """What calling ``callee`` gives."""
    if "indirect" in frame.analysis.callees.get(tree, ()) and _kind(callee) != "indirect":
        _note_kind(frame, tree, "called")
    match callee:
        case Function():
            _note_reached(frame, tree, callee, 0)
            return call_function(frame, tree, callee, args)
        case Class():
            init = constructor(callee.record)
            if init is not None:
                _note_reached(frame, tree, init, 1)
            return instantiate(frame, tree, callee, args)
        case Bound():
            return _call_bound(frame, tree, callee, args)
        case External(name=name):
            return _call_external(frame, tree, name, args)
        case Instance():
            return _call_instance(frame, tree, callee, args)
        case Partial(function=function, args=first, keywords=given):
            operands = [(None, v) for v in first]
            named = [(k, (None, v)) for k, v in given]
            merged = Arguments((*operands, *args.positional), (*named, *args.keywords))
            return call(frame, tree, function, merged)
        case OneOf(options=options):
            functions = (function_of(option) for option in options)
            frame.analysis.chosen.update(f.tree for f in functions if f is not None)
            return frame.bounded(join_all(call(frame, tree, option, args) for option in options))
        case Plain(choice=True) if isinstance(tree, ast.Call) and _reads_options(tree):
            return _options_read(frame, tree)
        case Plain():
            if callee.choice:
                _note_options(frame, tree, args)
            if callee.reads:
                read_on_host(frame, tree, args)
            let_call_back(frame, tree, "code that was not analysed", args)
            for _, value in args.all():
                forget_order(frame, value)  # `random.Random(0).shuffle(xs)`
            if tree in frame.analysis.gives_back:
                return Unknown("code that is passed a function returning tensors")
            if _may_keep(tree, callee) and any(reached(value) for _, value in args.all()):
                return Unknown("code that was not analysed", near_of(args))
            return callee
        case TupleClass():
            return named_tuple(frame, callee, args)
        case Dtype(name=dtype):
            return call_number(frame, tree, dtype, args)
        case Const() | Residence():
            return PLAIN
        case Tensor(nodes=nodes):
            frame.seen.called |= nodes
            return _call_unknown(frame, tree, "an unknown callable", args)
        case Opaque(parameter=Parameter(arrived=True) as record):
            return call(frame, tree, Unknown(record.name, frozenset((record.node,))), args)
        case Opaque(parameter=parameter, part=part):
            if not part:
                tensors = (t for _, value in args.all() for t in tensors_in(value))
                parameter.given.update(node for t in tensors for node in t.nodes)
            elif (parts := _named_parts(tree)) is not None:
                return parts
            return _call_unknown(frame, tree, f"the parameter {parameter.name!r}", args)
        case Either():
            frame.seen.ambiguous.add(tree)
            results = [call(frame, tree, part, args) for part in unsure(callee)]
            return frame.bounded(join_all(results))
        case Unknown(reason=reason, near=near):
            parts = _named_parts(tree)
            if parts is not None:
                return parts
            if isinstance(tree, ast.Call) and any(tensors_in(value) for _, value in args.all()):
                frame.seen.fed.add(tree)
            result = replace(_call_unknown(frame, tree, reason, args), foreign=callee.foreign)
            result = replace(result, place=callee.place) if _gives_part(tree, args) else result
            return result if _leaves(tree) else replace(result, near=near | result.near)
        case _:
            return _call_unknown(frame, tree, "an unknown callable", args)


def _may_keep(tree: ast.expr, callee: Plain) -> bool:
    """Whether it is a method of an object that may give back what it is given."""
    method = isinstance(tree, ast.Call) and isinstance(tree.func, ast.Attribute)
    return method and not callee.reads


def _kind(callee: Value) -> str:
    """What a call of it makes, see `Analysis.callees`; empty: that is not known."""
    match callee:
        case Partial(function=function):
            return _kind(function)
        case Opaque() | OneOf() | Either():
            return ""
        case Class(record=record):
            return "module" if is_module(record) else "other"
        case External(name=name) if world(name) is World.NUMPY:
            return "numpy"
        case External(name=name) if layer(name) is not None:
            return "module"
        case External(name=name) if (row := factory(name)) is not None and row.device_keyword:
            return "factory"
        case External(name=name):
            indirect = name.startswith("builtins.") or world(name) is World.ANYWHERE
            return "indirect" if indirect else "other"
    return "other"


def _note_kind(frame: Frame, tree: ast.expr, kind: str) -> None:
    """``make(2)`` may call a factory of torch here, and something else there."""
    kinds = frame.analysis.callees.setdefault(tree, set())
    if kind and kind not in kinds:
        frame.analysis.changed |= bool(kinds)
        kinds.add(kind)


def _named_parts(tree: ast.expr) -> Value | None:
    """``module.named_modules()``: nothing but a module of torch has that."""
    called = tree.func if isinstance(tree, ast.Call) else None
    if isinstance(called, ast.Attribute) and called.attr in ("named_modules", "named_children"):
        return Stream(Tuple((PLAIN, Unknown("a part of a module", torch=True))))
    return None


def _note_reached(frame: Frame, tree: ast.expr, function: Function, bound: int) -> None:
    frame.seen.reached.setdefault(tree, {})[function.tree, bound] = None


def _call_bound(frame: Frame, tree: ast.expr, callee: Bound, args: Arguments) -> Value:
    receiver, name = callee.receiver, callee.name
    if callee.function is not None:
        _note_reached(frame, tree, callee.function, 0 if is_none(receiver) else 1)
        if is_none(receiver):
            return call_function(frame, tree, callee.function, args)
        frame.flush()
        return call_function(frame, tree, callee.function, args.before((None, receiver)))
    expr = (
        tree.func.value
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Attribute)
        else None
    )
    match receiver:
        case Tensor():
            cls = args.value(0) if name == "as_subclass" else None
            if isinstance(cls, Class) and cls.record.lookup("__torch_function__") is not None:
                reason = f"__torch_function__ of {cls.record.name} was not analysed"
                return _call_unknown(frame, tree, reason, args.before((expr, receiver)))
            frame.seen.called |= receiver.nodes if name in MODULE_METHODS else frozenset()
            return call_tensor_method(frame, tree, expr, receiver, name, args)
        case Opaque():
            return _call_opaque_method(frame, tree, expr, receiver, name, args)
        case Instance():
            return call_module_method(frame, tree, receiver, name, args)
        case Array():
            return call_array_method(frame, tree, receiver, name, args)
        case Listing() | Mapping() | Tuple() | Stream():
            return call_container_method(frame, tree, receiver, name, args)
        case Const() | Plain() | Flag() | Device():
            written = written_device(frame, tree)
            text = TEXT if is_text(receiver) and name in _GIVE_TEXT else PLAIN
            return written or text
        case Optimizer():
            if name == "step":
                write_parameters(frame, receiver.nodes)
                meet_state(frame, receiver)
            note_call(frame, tree, receiver, name)
            if name == "state_dict":
                nodes = receiver.nodes
                return Unknown("the state of an optimizer", near=nodes, place=nodes)
            if name in STEP_HOOKS:
                given = [(None, receiver), (None, PLAIN), (None, PLAIN)]
                frame.call(tree, args.value(0, "hook") or PLAIN, Arguments(given))
            return _call_closure(frame, tree, args)
        case Loader() | Dataset() if name == "__iter__":
            return Stream(iterated(frame, tree, receiver))
        case Loader() | Dataset():
            return PLAIN
        case Generator():
            return _call_generator(frame, receiver, name, args)
        case Class():
            return _call_class_method(frame, tree, receiver, name, args)
        case Bound() if name in MOVES:
            note_move_of_part(frame, tree, receiver)
    return _call_unknown(frame, tree, f"the method {name!r}", args)


def _gives_part(tree: ast.expr, args: Arguments) -> bool:
    """``state.items()``, ``state["mean"].float()``: what it gives is where that is."""
    called = tree.func if isinstance(tree, ast.Call) else None
    if not isinstance(called, ast.Attribute):
        return False
    row = method(called.attr)
    plain = all(isinstance(value, (Const, Plain, Dtype)) for _, value in args.all())
    parts = row.effect in _KEEPING if row is not None else called.attr in _PARTS
    return plain and parts


def _leaves(tree: ast.expr) -> bool:
    """``something.cpu()``: wherever it was, it is not there any more."""
    called = tree.func if isinstance(tree, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr in _LEAVING


def _call_generator(frame: Frame, receiver: Generator, name: str, args: Arguments) -> Value:
    """``generator.manual_seed(0)`` returns it; its state is a tensor of the CPU."""
    state = args.get(0, "new_state")
    if name == "set_state" and state is not None:
        need_cpu(frame, state)
    return receiver if name in ("manual_seed", "set_state", "clone_state") else PLAIN


def _reads_options(tree: ast.Call) -> bool:
    """``parser.parse_args()`` and its like."""
    name = tree.func.attr if isinstance(tree.func, ast.Attribute) else ""
    return name.startswith(("parse", "Namespace"))


def _note_options(frame: Frame, tree: ast.expr, args: Arguments) -> None:
    """``parser.add_argument("--w", default=torch.ones(2), type=as_tensor)``."""
    holds = any(reached(value) for _, value in args.all())
    if holds:
        hand_over_all(frame, tree, args, _TENSOR_OPTION)
    if (holds or tree in frame.analysis.gives_back) and not frame.analysis.tensor_options:
        frame.analysis.tensor_options = frame.analysis.changed = True


def _options_read(frame: Frame, tree: ast.expr) -> Value:
    if frame.analysis.tensor_options:
        return Unknown(_TENSOR_OPTION)
    return namespace(frame, tree)


def namespace(frame: Frame, tree: ast.expr) -> Value:
    """The options of a program, as an object whose attributes it may set itself."""
    record, _ = frame.analysis.object_record((frame.context, tree, "options"), tree)
    record.namespace = True
    return Instance(frozenset((record,)))


def _call_class_method(
    frame: Frame, tree: ast.expr, receiver: Class, name: str, args: Arguments
) -> Value:
    """``MyFunction.apply(x)`` of an autograd function runs its ``forward`` where x lives."""
    forward = receiver.record.lookup("forward")
    if name == "apply" and "torch.autograd.Function" in receiver.record.library_bases():
        if isinstance(forward, Function):
            context = autograd.context(frame, receiver.record) or Plain()
            frame.seen.applied.setdefault(tree, set()).add(forward.tree)
            result = call_function(frame, tree, forward, args.before((None, context)))
            return result if not isinstance(result, Unknown) else _follow(frame, tree, args)
        return _follow(frame, tree, args)
    return _call_unknown(frame, tree, f"{receiver.record.name}.{name}", args)


def _follow(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    result = combine(frame, tree, args.all())
    return result if result is not None else Unknown("an autograd function")


def _call_closure(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    """``optimizer.step(closure)`` calls it and returns the loss."""
    closure = args.value(0, "closure")
    if isinstance(closure, (Function, Bound)):
        return call(frame, tree, closure, Arguments())
    return PLAIN


def _call_opaque_method(
    frame: Frame,
    tree: ast.expr,
    expr: ast.expr | None,
    receiver: Opaque,
    name: str,
    args: Arguments,
) -> Value:
    """A method of a parameter nobody passes here: a tensor's where the name says so."""
    parts = _named_parts(tree)
    if parts is not None:
        return parts
    if name == "parameters":
        own = Tensor(frozenset((receiver.parameter.node,)), raw=False, parameter=True)
        return Stream(own)
    tensor = as_tensor(receiver)
    assert isinstance(tensor, Tensor)
    return call_tensor_method(frame, tree, expr, tensor, name, args)


def _call_instance(frame: Frame, tree: ast.expr, callee: Instance, args: Arguments) -> Value:
    """Objects with one method between them are called together: it is evaluated once."""
    results: list[Value] = []
    alike: dict[ast.AST, tuple[Function, list[ObjectRecord]]] = {}
    args = movable(frame, tree, args) if callee.modules else args
    note_beside(callee.records)
    for record in callee.records:
        method = record.entry
        own = record.attributes.get("forward") if record.module else None
        if own is not None:  # `net.forward = function`
            results.append(frame.call(tree, own, args))
        reason = unfollowed(frame, record, method)
        if reason:
            results.append(call_of_unfollowed(frame, tree, record, reason, args))
            continue
        if record.module:
            note_module_call(frame, record)
            if isinstance(tree, ast.Call):
                frame.seen.module_calls.add(tree)
        if isinstance(method, Function):
            alike.setdefault(method.tree, (method, []))[1].append(record)
            accept(frame, args.all())
            given = (tensor for _, value in args.all() for tensor in tensors_in(value))
            frame.seen.inputs.setdefault(record.node, set()).update(
                n for t in given for n in t.nodes
            )
        elif record.module:
            results.append(call_layer(frame, tree, record, args))
        else:
            if record.cls is not None and has_unseen_base(record.cls):
                hand_over(frame, tree, Instance(frozenset((record,))), "an inherited call")
            results.append(_call_unknown(frame, tree, "an unknown object", args))
    frame.seen.applied.setdefault(tree, set()).update((*alike, *[None] * bool(results)))
    if len(results) + len(alike) > 1:
        frame.seen.ambiguous.add(tree)
    for method, records in alike.values():
        frame.flush()
        this = Instance(frozenset(records))
        results.append(call_function(frame, tree, method, args.before((None, this))))
    return frame.bounded(join_all(results))


def _call_external(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> Value:
    if isinstance(tree, ast.Call):
        frame.seen.calls.setdefault(tree, set()).add(name)
        if runs_on_cuda(name):
            frame.seen.cuda_calls.setdefault(tree, []).append(frame.occurrence(tree))
            given = ((e, v) for e, v in args.all() if e is not None)
            frame.seen.missing.update(e for e, v in given if v.beside.none or is_none(v))
        if name == "torch.cuda.set_device":
            _note_index(frame, tree, args)
        if name.startswith(_QUANTIZING):
            _note_quantized(frame, tree, args)
    if name.startswith("builtins.") or name == "math.prod":
        return call_builtin(frame, tree, name.removeprefix("builtins."), args)
    if name == "functools.partial" and args.positional:
        return _partial(args)
    base, _, method = name.rpartition(".")
    made = args.value(0)
    if method == "__init__" and isinstance(tree, ast.Call) and has_base(made, base):
        return initialized(frame, tree, made, args.after(1))  # `nn.Module.__init__(self)`
    return call_library(frame, tree, name, args)


def _note_quantized(frame: Frame, tree: ast.Call, args: Arguments) -> None:
    """Quantized modules run on the CPU (docs.pytorch.org/docs/stable/quantization.html)."""
    around = next(frame.running(), ()) if frame.building else ()
    given = (v for _, value in args.all() for v in parts_in(value) if isinstance(v, Instance))
    for record in (*around, *(record for value in given for record in value.modules)):
        frame.meet(record.root.node, tree, "quantized modules run on the CPU only")


def _partial(args: Arguments) -> Value:
    """``functools.partial``; of ``f = partial(f)`` there would be no end."""
    _, function = args.positional[0]
    rest = tuple(value for _, value in args.positional[1:])
    if any(isinstance(option, Partial) for value in (function, *rest) for option in options(value)):
        return Unknown("a partial of a partial")
    return Partial(function, rest, tuple((k, v) for k, (_, v) in args.keywords))


def _call_unknown(frame: Frame, tree: ast.expr, reason: str, args: Arguments) -> Unknown:
    """Code that we cannot see: whatever device tensor enters it decides."""
    for _, value in args.all():
        note_dtype_use(frame, tree, value)
        if reason != OWN_NAME:
            hand_over(frame, tree, value, reason)
    return Unknown(reason, near_of(args))
