"""Methods of tensors: what they do to placement and dtype, and what they need beside them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from devicefix.flow.crossings import note_crossing
from devicefix.flow.dimensions import flattened, is_flattened, keeps_dimensions
from devicefix.flow.dtypes import check_strict, note_purpose
from devicefix.flow.encodings import is_encoding
from devicefix.flow.encodings import part_of as part_of_encoding
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.graph import HOST_NODE, Label
from devicefix.flow.host_arguments import (
    draw_on_host,
    fill_on_host,
    host_generator,
    need_cpu,
)
from devicefix.flow.joins import tensors_in
from devicefix.flow.literals import note_literal
from devicefix.flow.memory import fresh, view, write_on_host, write_tensor
from devicefix.flow.operands import (
    INTEGERS,
    Operand,
    as_tensor,
    beside_numbers,
    combine,
    in_arithmetic,
    is_constant,
    is_unseen,
    meet_unseen,
    note_dtype_use,
    of_either,
)
from devicefix.flow.values import (
    NONE,
    NUMBER,
    PLAIN,
    SIZES,
    TEXT,
    Const,
    Device,
    Dtype,
    External,
    Flat,
    Mapping,
    Opaque,
    Plain,
    Stream,
    Tensor,
    Tuple,
    Unknown,
    Value,
    as_device,
)
from devicefix.torch_api import (
    LEGACY_CONSTRUCTORS,
    NEW_METHODS,
    STORAGE_METHODS,
    Effect,
    Method,
    method,
)

_KEEPS_PLACE = frozenset(("type_as", "to", "expand_as", "view_as", "reshape_as", "resize_as_"))
_HOOKS = frozenset({"register_hook", "register_post_accumulate_grad_hook"})
_OF_DICTS = frozenset({"items", "keys", "values"})
_NUMBERS = frozenset({"dim", "element_size", "item", "ndimension", "nelement", "numel"})


def call_tensor_method(
    frame: Frame,
    tree: ast.expr,
    expr: ast.expr | None,
    receiver: Tensor,
    name: str,
    args: Arguments,
) -> Value:
    """``receiver.name(args)``; ``expr`` is how the receiver is written."""
    result = _call_method(frame, tree, expr, receiver, name, args)
    if receiver.near and isinstance(result, Tensor) and not result.nodes:
        return replace(result, near=receiver.near)
    if receiver.elsewhere and isinstance(result, Tensor) and result.nodes == receiver.nodes:
        return of_either(frame, receiver, result)
    return result


def _hook(frame: Frame, tree: ast.expr, tensor: Tensor, hook: Value) -> None:
    """A hook gets a gradient, or the tensor itself, where that is, and gives one back there."""
    gradient = replace(tensor, parameter=False, leaf=False, born=None, raw=False)
    given = frame.call(tree, hook, Arguments([(None, gradient)]))
    for node in tensor.nodes if isinstance(given, Tensor) else ():
        frame.use(None, given, node)


def _call_method(
    frame: Frame,
    tree: ast.expr,
    expr: ast.expr | None,
    receiver: Tensor,
    name: str,
    args: Arguments,
) -> Value:
    if name == "type" and not args.all():
        return TEXT
    if name in ("to", "cuda", "cpu", "xpu", "type", "type_as"):
        moved = transfer(frame, tree, receiver, name, args)
        if is_encoding(frame, receiver) and isinstance(moved, Tensor):
            frame.seen.encodings.update(moved.nodes)
        return moved
    if name in NEW_METHODS:
        return _new(frame, tree, receiver, args)
    if name in STORAGE_METHODS:
        return Plain(storage=True)
    if name in _HOOKS:
        _hook(frame, tree, receiver, args.value(0, "hook") or NONE)
        return PLAIN
    row = method(name)
    if row is None and name in _OF_DICTS and not args.all():
        frame.seen.mappings.update(receiver.nodes)  # a batch of an unseen dataset
        if is_encoding(frame, receiver):
            receiver = part_of_encoding(frame, tree, receiver)
        parts: dict[str, Value] = {"keys": PLAIN, "values": receiver}
        return Stream(parts.get(name) or Tuple((PLAIN, receiver)))
    if row is None:
        # packed sequences, distributions and other things of torch that travel as tensors do
        result = combine(frame, tree, [(expr, receiver), *args.all()])
        return replace(result, computed=False) if result is not None else receiver
    if row.effect is Effect.HOST_READ:
        note_dtype_use(frame, tree, receiver)
        if args.value(None, "force") == Const(True):
            return fresh(frame, tree, receiver.dtype)
        frame.need_host(expr, receiver)
        return view(frame, tree, receiver.nodes, receiver.dtype)
    if row.host_receiver and row.effect is Effect.IN_PLACE:
        note_crossing(frame, tree, "written", receiver)
        write_on_host(frame, receiver.nodes)
        return receiver
    if row.host_receiver:
        need_cpu(frame, (expr, receiver))
        return receiver
    if host_generator(args):
        return _drawn(frame, tree, (expr, receiver), row)
    if row.effect is Effect.VALUE:
        if name in ("item", "tolist"):
            if isinstance(tree, ast.Call):
                frame.seen.awaited.setdefault(tree, set()).update(receiver.nodes)
            note_dtype_use(frame, tree, receiver)
        if row.same_device:
            combine(frame, tree, [(expr, receiver), *_needed(frame, row, args)])
        if name == "size":
            return NUMBER if args.all() else SIZES
        return NUMBER if name in _NUMBERS else PLAIN
    if name == "backward":
        # the gradient that it begins with has to be beside it
        combine(frame, tree, [(expr, receiver), *args.listed([0, "gradient"])])
        frame.analysis.anchor_backward(frame, receiver)
        return NONE
    if name == "requires_grad_" and args.value(0, "requires_grad") != Const(False):
        return replace(receiver, leaf=True, constant=False)
    if row.effect is Effect.OTHER:
        return receiver if name in ("requires_grad_", "retain_grad") else PLAIN
    return _operate(frame, tree, expr, receiver, row, args)


def _drawn(frame: Frame, tree: ast.expr, receiver: Operand, row: Method) -> Value:
    """``p.multinomial(1, generator=g)``, ``x.normal_(generator=g)`` with a generator of the CPU."""
    if row.effect is not Effect.IN_PLACE:
        return draw_on_host(frame, tree, [receiver])
    fill_on_host(frame, tree, receiver[1])
    if isinstance(receiver[1], Tensor):
        write_tensor(frame, receiver[1])
    return receiver[1]


def _operate(
    frame: Frame,
    tree: ast.expr,
    expr: ast.expr | None,
    receiver: Tensor,
    row: Method,
    args: Arguments,
) -> Value:
    host = args.listed(row.host_arguments)
    for operand in host:
        need_cpu(frame, operand)
    operands = [o for o in _needed(frame, row, args) if o not in host]
    if row.effect is not Effect.VIEW and not (operands and row.strict_dtype):
        note_dtype_use(frame, tree, receiver)
    if row.effect is Effect.IN_PLACE:
        write_in_place(frame, tree, receiver, operands, pointwise=row.pointwise)
        kept = all(is_constant(v) for _, v in operands)
        return receiver if kept else replace(receiver, constant=False)
    nodes, known, constant, flat = receiver.nodes, True, receiver.constant, receiver.flat
    if operands:
        together, clash = [(expr, receiver), *operands], False
        if row.strict_dtype:
            together, clash = check_strict(frame, together)
        result = combine(frame, tree, together, pointwise=row.pointwise, strict=clash)
        if result is not None:
            nodes, constant, flat = result.nodes, result.constant, result.flat
        known = not any(tensors_in(v) for _, v in operands)
        if row.name in ("matmul", "mm", "bmm", "addmm", "baddbmm"):
            frame.analysis.anchor_arithmetic(frame, result)
    made = _result(frame, tree, receiver, row, args, nodes, known)
    kept = row.zero_dim == "as inputs" and not row.parts
    constant = constant or row.name.startswith("detach")
    constant = constant or (row.result_dtype in INTEGERS and not row.parts)
    length = flat if row.pointwise else min(flat, Flat.SURE)
    flat = length if kept else flattened(row.name, args)
    return replace(made, constant=constant, flat=flat)


def _needed(frame: Frame, row: Method, args: Arguments) -> list[Operand]:
    """The tensor arguments that have to live with the receiver."""
    if not row.same_device or row.name in _KEEPS_PLACE:
        return []
    return [
        (e, as_tensor(in_arithmetic(v)) if isinstance(v, Opaque) and not v.part else v)
        for e, v in args.all()
        if tensors_in(v) or isinstance(v, (Opaque, Unknown))
    ]


def write_in_place(
    frame: Frame,
    tree: ast.expr,
    receiver: Tensor,
    operands: Sequence[Operand],
    *,
    pointwise: bool = True,
) -> None:
    """In place: the receiver cannot be exchanged for a copy, its operands have to come to it; where
    it is ``pointwise``, but for those of no dimensions."""
    write_tensor(frame, receiver)
    if not all(is_constant(v) for _, v in operands):
        frame.seen.mixed |= receiver.nodes
    tensors = [(e, v) for e, v in operands if tensors_in(v)]
    unknown = [(e, v) for e, v in operands if is_unseen(v)]
    if not (tensors or unknown) or not receiver.nodes or frame.host:
        return
    node = frame.node("inplace", tree)
    for source in receiver.nodes:
        frame.graph.tie(source, node)
    for expr, value in unknown:
        meet_unseen(frame, node, expr or tree, value)
    for expr, value in tensors:
        if pointwise and isinstance(value, Tensor) and value.scalar:
            frame.use(expr, value, node, to_target=0.0)
        else:
            frame.use(expr, value, node)


def _result(
    frame: Frame,
    tree: ast.expr,
    receiver: Tensor,
    row: Method,
    args: Arguments,
    nodes: frozenset[int],
    alone: bool,
) -> Tensor:
    named = {k for k, _ in args.keywords}
    without_dim = not args.positional and not named & {"dim", "axis"}
    scalar = {
        "always": True,
        "reduced": True,
        "never": False,
        "without dim": without_dim and not keeps_dimensions(args),
        "as inputs": receiver.scalar and alone,
    }[row.zero_dim]
    if row.zero_dim == "without dim" and len(args.positional) == 1 and not (named or row.parts):
        scalar = is_flattened(tree)
    dtype, born = receiver.dtype, receiver.born if row.effect is Effect.VIEW else tree
    if row.effect is Effect.CAST and row.dtype:
        dtype, born = row.dtype, tree
        note_purpose(frame, tree)
    elif row.dtype:
        dtype, born = row.dtype, None
    elif not alone or row.result_dtype != "operands":
        dtype, born = (None, None) if dtype != "float32" else (dtype, None)
    elif row.pointwise:
        dtype = beside_numbers(dtype, (value for _, value in args.all()))
    if row.parts and (not row.parts_with_dim or not without_dim):
        dtype, born = None, None
    plain = receiver.raw and row.effect in (Effect.VIEW, Effect.CAST)
    made = row.effect is not Effect.VIEW
    if row.effect is Effect.CAST:
        made = _changes(receiver, dtype)
    return Tensor(nodes, dtype, scalar, born, plain, computed=receiver.computed or made)


def _changes(receiver: Tensor, dtype: str | None) -> bool:
    """Whether a cast to ``dtype`` surely makes another tensor: one to its own gives it itself."""
    return None not in (dtype, receiver.dtype) and dtype != receiver.dtype


def _new(frame: Frame, tree: ast.expr, receiver: Tensor, args: Arguments) -> Value:
    device = args.value(None, "device")
    if device is not None:
        made = Tensor(receiver.nodes, receiver.dtype, constant=True)
        return placed(frame, tree, made, as_device(device))
    return Tensor(receiver.nodes, receiver.dtype, raw=False, constant=True, computed=True)


# -- transfers ---------------------------------------------------------------------------------


def transfer(frame: Frame, tree: ast.expr, receiver: Tensor, name: str, args: Arguments) -> Value:
    """The result of ``x.to(...)``, ``x.cuda()``, ``x.cpu()``, ``x.type(...)``."""
    if name == "cuda" and frame.following is not None:
        return placed(frame, tree, receiver, frame.following)
    if name in ("cuda", "xpu"):
        return placed(frame, tree, receiver, Device(Label.TARGET, agnostic=False))
    if name == "cpu":
        return placed(frame, tree, receiver, Device(Label.HOST), by_name=False)
    result: Value = receiver
    for key, (expr, value) in [*(("", o) for o in args.positional), *_written_out(args)]:
        if key in ("non_blocking", "copy", "memory_format", "async"):
            continue
        note_literal(frame, expr, value)
        if not isinstance(value, Dtype) and _is_dtype_of_tensor(frame, expr):
            result = _cast(result)
        else:
            result = _converted(frame, tree, result, name, value)
    return result


def _is_dtype_of_tensor(frame: Frame, expr: ast.expr | None) -> bool:
    """``y.dtype``."""
    if not (isinstance(expr, ast.Attribute) and expr.attr == "dtype"):
        return False
    return isinstance(frame.evaluate(expr.value), (Tensor, Opaque))


def _cast(value: Value) -> Value:
    """It stays where it is, with a dtype that nobody knows."""
    return replace(value, dtype=None, born=None) if isinstance(value, Tensor) else value


def _written_out(args: Arguments) -> Iterator[tuple[object, Operand]]:
    """The keywords, with those of ``**options`` that are known."""
    for key, (expr, value) in args.keywords:
        if key is None and isinstance(value, Mapping) and all(not r.element for r in value.records):
            items = [item for record in value.records for item in record.items.items()]
            yield from ((name, (None, held)) for name, held in items)
        else:
            yield key, (expr, value)


def _converted(frame: Frame, tree: ast.expr, receiver: Value, name: str, value: Value) -> Value:
    if not isinstance(receiver, Tensor):
        return receiver
    if isinstance(value, Opaque):
        value = as_tensor(value) if name == "type_as" else value
    match value:
        case Dtype(name=dtype):
            note_purpose(frame, tree)
            known_of = (dtype, receiver.scalar, tree, receiver.raw)
            made = Tensor(receiver.nodes, *known_of, constant=receiver.constant, flat=receiver.flat)
            return replace(made, computed=receiver.computed or _changes(receiver, dtype))
        case Tensor():
            device = Device(None, value.nodes)
            moved = placed(frame, tree, receiver, device)
            return Tensor(
                moved.nodes,
                value.dtype,
                receiver.scalar,
                raw=receiver.raw,
                constant=receiver.constant,
                flat=receiver.flat,
            )
        case External(name=typed) if typed in LEGACY_CONSTRUCTORS:
            return _typed(frame, tree, receiver, typed)
        case Const(value=str() as text) if name == "type":
            return _typed(frame, tree, receiver, text)
        case Const(value=bool() | None):
            return receiver
    known = as_device(value)
    if known is not None:
        return placed(frame, tree, receiver, known)
    if _goes_anywhere(frame, receiver, value):
        return replace(placed(frame, tree, receiver, Device(Label.TARGET)), dtype=None, raw=False)
    moved = Tensor(frozenset(), None, receiver.scalar, raw=False, constant=receiver.constant)
    return replace(moved, flat=receiver.flat)


def _typed(frame: Frame, tree: ast.expr, receiver: Tensor, typed: str) -> Value:
    """``x.type(torch.cuda.FloatTensor)`` casts and moves."""
    row = LEGACY_CONSTRUCTORS.get(typed)
    if row is None:
        return receiver
    label = Label.TARGET if row.device == "cuda" else Label.HOST
    moved = placed(
        frame, tree, receiver, Device(label, agnostic=label is Label.HOST), by_name=False
    )
    note_purpose(frame, tree)
    known_of = (row.dtype, receiver.scalar, tree, receiver.raw)
    return Tensor(moved.nodes, *known_of, constant=receiver.constant, flat=receiver.flat)


def _is_kept_by_caller(frame: Frame, tree: ast.expr, device: Device) -> bool:
    """``self.x = x.to(device)``, a parameter: it is there from a call on that nobody has seen.

    All that follows comes after a constructor.
    """
    statement = frame.analysis.parents.get(tree)
    kept = isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Attribute)
    late = kept and getattr(frame.function, "name", "") != "__init__"
    return late and not device.origins.isdisjoint(frame.seen.given_devices)


def _goes_anywhere(frame: Frame, receiver: Tensor, value: Value) -> bool:
    """``x.to(device)`` of parameters, where nobody has said what ``device`` is: a device, a dtype
    or a tensor. What meets it belongs where it is then, as it does beside ``x`` itself."""
    if not (isinstance(value, Opaque) and frame.root_context) or value.parameter.arrived:
        return False
    surely = receiver.certain and not receiver.maybe and bool(receiver.nodes)
    return surely and HOST_NODE not in frame.graph.made_of(receiver.nodes)


def placed(
    frame: Frame, tree: ast.expr, tensor: Tensor, device: Device | None, *, by_name: bool = True
) -> Tensor:
    """``tensor`` on ``device``: a new node that lives there.

    ``by_name``: the program says so itself (``.cpu()`` and typed constructors do not count).
    """
    facts = (tensor.dtype, tensor.scalar, tensor.born, tensor.raw)
    constant = tensor.constant
    if device is None or _is_kept_by_caller(frame, tree, device):
        return Tensor(frozenset(), *facts, constant=constant, flat=tensor.flat)
    node = frame.node("to", tree)
    if by_name and device.label is not None:
        frame.seen.placed_by.setdefault(node, set()).update(device.origins)
    if device.label is not None:
        frame.graph.fix(node, device.label)
        if device.label is Label.HOST and by_name:
            frame.analysis.explicit_host.add(frame.entry)
    elif not device.nodes:
        return Tensor(frozenset(), *facts, constant=constant, flat=tensor.flat)
    for other in device.places:
        frame.graph.tie(other, node)
    return Tensor(frozenset((node,)), *facts, constant=constant, flat=tensor.flat)
