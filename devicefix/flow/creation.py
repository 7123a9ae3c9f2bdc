"""Tensors made from nothing or from host data, and devices."""

from __future__ import annotations

import ast

from msgspec.structs import replace

from devicefix.flow.costs import CREATE_COST, HEAVY, LOOP_COST, ORIGIN_COST, WIDE_COST
from devicefix.flow.dimensions import flat_data
from devicefix.flow.dtypes import dtype_of_data, note_purpose
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.graph import HARD, HOST_NODE, TARGET_NODE, Label, SiteKind
from devicefix.flow.host_arguments import draw_on_host, host_generator, made_on_host
from devicefix.flow.joins import parts_in, tensors_in
from devicefix.flow.literals import gpu_of, note_computed, note_literal
from devicefix.flow.memory import share
from devicefix.flow.operands import combine
from devicefix.flow.sent import method_call, sent_on
from devicefix.flow.tensors import placed
from devicefix.flow.values import (
    Array,
    Const,
    Device,
    Dtype,
    Flag,
    Flat,
    Generator,
    Listing,
    Mapping,
    Opaque,
    Plain,
    Stream,
    Tensor,
    Tuple,
    Unknown,
    Value,
    as_device,
    is_number,
)
from devicefix.torch_api import Effect, Factory, LegacyConstructor, method

_LEAVES = frozenset({Effect.TRANSFER, Effect.HOST_READ, Effect.VALUE})
"""The methods whose results are not where the receiver is."""
_FLAT = frozenset({"torch.arange", "torch.linspace", "torch.logspace", "torch.randperm"})
_SIZED = frozenset(f"torch.{name}" for name in ("empty", "ones", "rand", "randn", "zeros"))
_SMALL_FLOATS = frozenset({"bfloat16", "float16", "float32"})


def make_tensor(frame: Frame, tree: ast.expr, row: Factory, args: Arguments) -> Value:
    """The result of a factory call, where it says ``device=`` or on the host."""
    first = args.value(0, "data")
    if row.name.endswith("nested_tensor") and first is not None and tensors_in(first):
        return _from_tensors(frame, tree, args)
    if row.device_with and not args.listed(row.device_with):
        return _from_tensors(frame, tree, args)
    dtype = _dtype(frame, tree, row, args)
    if row.data and row.device_keyword and args.get(None, "dtype") is None:
        frame.seen.takes_dtype.add(tree)
    scalar = _is_scalar(row, args)
    device = args.value(None, "device")
    if device is None and row.device_keyword:
        device = frame.carried
    if device is None and row.device_keyword:
        device = _drawn_on(frame, tree, args)
    if device is not None and device != Const(None):
        if host_generator(args):
            made_on_host(frame, tree, args.value(None, "device"))
        known = as_device(device)
        constant, flat = not _learns(args), _flat(row, args)
        made = Tensor(frozenset(), dtype, scalar, tree, False, constant=constant, flat=flat)
        there = placed(frame, tree, made, known)
        return replace(there, leaf=True) if _is_leaf(args) else there
    if _is_anywhere(args):
        return Tensor(frozenset(), dtype, scalar, tree, False)
    if row.together and sum(isinstance(v, Tensor) for _, v in args.positional) > 1:
        return _from_tensors(frame, tree, args)
    if row.data and isinstance(first, Tensor):
        known_of = (dtype or first.dtype, first.scalar, tree, first.raw)
        constant = first.constant and not _learns(args)
        computed = first.computed or not row.shares_memory
        return Tensor(first.nodes, *known_of, constant=constant, computed=computed, flat=first.flat)
    out = args.value(None, "out")
    if isinstance(out, Tensor):
        return out
    keyword = row.device_keyword and not _pinned_to_host(args) and not _is_named(args)
    others = frame.analysis.callees.get(tree, set()) - {"factory"}
    keyword = keyword and not others
    lasting = _learns(args)
    if row.data and not lasting and dtype in (None, "float64") and _is_made_small(frame, tree):
        keyword = False
    if _is_callers_choice(frame, args) or "numpy" in others:
        node = frame.node("new", tree)
        frame.graph.fix(node, Label.HOST)
    else:
        node = new_node(frame, tree, keyword=keyword, dtype=dtype, lasting=lasting)
    if row.device_keyword:
        _keep_carried(frame, tree, node, draws=row.random)
    share(frame, node, first if row.shares_memory else None)
    leaf = _is_leaf(args)
    known_of = (dtype, scalar, tree, row.data)
    constant, flat = not lasting, _flat(row, args)
    return Tensor(frozenset((node,)), *known_of, leaf=leaf, constant=constant, flat=flat)


def _flat(row: Factory, args: Arguments) -> Flat:
    """Whether what is made has one dimension: ``torch.arange(n)``, ``torch.zeros(5)``."""
    first = args.value(0, "data")
    if row.data:
        return flat_data(first)
    if row.name in _FLAT:
        return Flat.SURE
    sized = row.name in _SIZED and len(args.positional) == 1
    return Flat.SURE if sized and first is not None and is_number(first) else Flat.NO


def _is_leaf(args: Arguments) -> bool:
    """``requires_grad=True``, surely."""
    return args.value(None, "requires_grad") == Const(True)


def _learns(args: Arguments) -> bool:
    """``requires_grad=True``, or what may be that."""
    asked = args.value(None, "requires_grad")
    return asked is not None and asked != Const(False)


def _drawn_on(frame: Frame, tree: ast.expr, args: Arguments) -> Value | None:
    """A generator of an accelerator draws nothing on the host: ``device=`` is missing."""
    expr, value = args.get(None, "generator") or (None, None)
    if not isinstance(value, Generator) or value.device.label is not Label.TARGET:
        return None
    if isinstance(tree, ast.Call) and isinstance(expr, (ast.Name, ast.Attribute)):
        frame.seen.drawn[tree] = expr
    return value.device


def _from_tensors(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    """``torch.normal(mean, std)`` lives where the tensors do that it is made of, which are
    together."""
    if host_generator(args):
        return draw_on_host(frame, tree, args.positional)
    result = combine(frame, tree, args.all(), evidence=True)
    return result if result is not None else Unknown("a result computed from tensors")


def make_typed(frame: Frame, tree: ast.expr, row: LegacyConstructor, args: Arguments) -> Value:
    """``torch.FloatTensor(...)`` and the like: no ``device=``, so a transfer has to follow."""
    given = [value for _, value in args.all()]
    takes_no_tensor = len(args.positional) > 1 or all(map(_holds_no_tensor, given))
    # of the tensors in a list the numbers are read, wherever they are
    typed = takes_no_tensor or all(isinstance(v, (Listing, Tuple)) for v in given)
    frame.seen.typed[tree] = typed and frame.seen.typed.get(tree, True)
    again = _typed_again(args) if row.device == "cuda" else None
    frame.seen.typed_again[tree] = again is not None and frame.seen.typed_again.get(tree, True)
    made = again or _make_typed(frame, tree, row, takes_no_tensor=takes_no_tensor)
    return replace(made, flat=_flat_of_list(args)) if isinstance(made, Tensor) else made


def make_sparse(frame: Frame, tree: ast.expr, dtype: str, args: Arguments) -> Tensor:
    """``torch.sparse.FloatTensor(indices, values)``: of what is on the CPU, and there."""
    for expr, value in args.all():
        frame.need_host(expr, value)
    node = new_node(frame, tree, keyword=False, dtype=dtype)
    return Tensor(frozenset((node,)), dtype, False, tree, True)


def _flat_of_list(args: Arguments) -> Flat:
    """Whether a list of numbers is what a tensor is made of; what else it gets may be sizes."""
    match args.positional:
        case [(ast.List(), value)] if not args.keywords:
            return flat_data(value)
    return Flat.NO


def _holds_no_tensor(value: Value) -> bool:
    """Sizes, numbers, lists of them, arrays: a tensor would have to be of the same type."""
    known = (Array, Const, Flag, Listing, Plain, Stream, Tuple)
    return isinstance(value, known) and not any(
        isinstance(part, (Opaque, Tensor, Unknown)) for part in parts_in(value)
    )


def _typed_again(args: Arguments) -> Tensor | None:
    """``torch.cuda.FloatTensor(torch.zeros(3).cuda())``: a type takes tensors of its own only, and
    gives the same memory back; the tensor, where nothing else holds it, and it has no gradient."""
    if len(args.positional) != 1 or args.keywords:
        return None
    expr, value = args.positional[0]
    if not (isinstance(expr, ast.Call) and isinstance(value, Tensor) and value.constant):
        return None
    return value if value.certain and not (value.maybe or value.doubt) else None


def _make_typed(
    frame: Frame, tree: ast.expr, row: LegacyConstructor, *, takes_no_tensor: bool
) -> Value:
    """``takes_no_tensor``: it is surely given none."""
    dtype = "float32" if row.dtype == "default" else row.dtype
    note_purpose(frame, tree)
    if row.device == "cuda":
        on_device = Device(Label.TARGET, agnostic=False)
        made = Tensor(frozenset(), dtype, False, tree, False, constant=takes_no_tensor)
        return placed(frame, tree, made, on_device)
    if row.dtype == "default" and frame.process_default.typed and frame.carried is not None:
        there = as_device(frame.carried)
        made = Tensor(frozenset(), dtype, False, tree, False, constant=takes_no_tensor)
        return placed(frame, tree, made, there)
    node = new_node(frame, tree, keyword=False)
    if row.dtype == "default":
        _keep_carried(frame, tree, node)
    return Tensor(frozenset((node,)), dtype, False, tree, True, constant=takes_no_tensor)


def _keep_carried(frame: Frame, tree: ast.expr, node: int, *, draws: bool = False) -> None:
    """What the default that is taken away has made on the accelerator is made there as before, but
    for what is moved or read at once. ``draws``: it is drawn from the generator of its device."""
    if not frame.process_default.lifted or frame.host or frame.building:
        return
    read = frame.analysis.parents.get(chain_end(frame, tree))
    row = method(read.attr) if isinstance(read, ast.Attribute) else None
    if draws or row is None or row.effect not in _LEAVES:
        frame.graph.connect(TARGET_NODE, node, 0.0, HEAVY)


def _is_anywhere(args: Arguments) -> bool:
    """``**options`` that nobody has seen may hold a device."""
    return any(key is None and not isinstance(value, Mapping) for key, (_, value) in args.keywords)


def _pinned_to_host(args: Arguments) -> bool:
    """``device=`` cannot stand beside a CPU generator, ``out=``, pinning or spread keywords."""
    names = {k for k, _ in args.keywords}
    return bool(names & {"generator", "out", "pin_memory", None})


def _is_named(args: Arguments) -> bool:
    """``device=device``, which is None: another one cannot be written beside it."""
    expr, _ = args.get(None, "device") or (None, None)
    return expr is not None and not isinstance(expr, ast.Constant)


def _is_callers_choice(frame: Frame, args: Arguments) -> bool:
    """``device=device``, a parameter that this call does not fill: it asks for the host."""
    expr, _ = args.get(None, "device") or (None, None)
    if not isinstance(expr, ast.Name) or frame.function is None:
        return False
    spec = frame.function.args
    return expr.id in [a.arg for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]


def new_node(
    frame: Frame,
    tree: ast.expr,
    *,
    keyword: bool,
    dtype: str | None = None,
    lasting: bool = False,
) -> int:
    """A tensor made on the host at ``tree``, and what it costs to have it on the target instead.

    ``lasting``: it gathers gradients; what a transfer behind it gives is no leaf and has none.
    """
    node = frame.node("new", tree)
    if isinstance(tree, ast.Call):
        frame.analysis.created[node] = tree
    lost = lasting and not keyword
    end = chain_end(frame, tree)
    sent = sent_on(frame.analysis.parents, end) is not None and not frame.process_default.lifted
    if frame.host or frame.building or frame.evaluates_once(tree) or lost or sent:
        # worker processes cannot touch the device; what a module's __init__ makes moves with it
        frame.graph.fix(node, Label.HOST)
    elif keyword:
        site = frame.site(SiteKind.CREATE, tree)
        frame.graph.connect(HOST_NODE, node, CREATE_COST, HARD, site, frame.context)
    else:
        site = frame.site(SiteKind.ORIGIN, end)
        # half the bytes travel once float64 has been cast, and some devices have no float64
        wide = WIDE_COST if dtype == "float64" and end is tree else 0.0
        cost = ORIGIN_COST + wide + LOOP_COST * frame.depth
        frame.graph.connect(HOST_NODE, node, cost, HARD, site, frame.context)
    return node


def chain_end(frame: Frame, tree: ast.expr) -> ast.expr:
    """The outermost ``tree.float().view(...)`` that is still the same host data."""
    current = tree
    while True:
        call = method_call(frame.analysis.parents, current)
        if call is None:
            return current
        name = getattr(call.func, "attr", "")
        row = method(name)
        stays = row is not None and row.effect in (Effect.VIEW, Effect.CAST, Effect.COPY)
        if not stays or (row is not None and row.same_device and call.args):
            return current
        if name in ("to", "type", "type_as") and not _is_cast(call):
            return current
        current = call


def _is_made_small(frame: Frame, tree: ast.expr) -> bool:
    """``torch.tensor(data).float()``: the data may be float64, which not all devices have.

    https://docs.pytorch.org/docs/stable/notes/mps.html
    """
    end = chain_end(frame, tree)
    while isinstance(end, ast.Call) and end is not tree and isinstance(end.func, ast.Attribute):
        row = method(end.func.attr)
        asked = frame.evaluate(end.args[0]) if end.func.attr == "type" else None
        dtype = asked.name if isinstance(asked, Dtype) else row and row.dtype
        if dtype in _SMALL_FLOATS:
            return True
        end = end.func.value
    return False


def _is_cast(call: ast.Call) -> bool:
    """``.to(torch.float32)``: a dtype and nothing else."""
    first = call.args[0] if len(call.args) == 1 and not call.keywords else None
    return (
        isinstance(first, ast.Attribute)
        and isinstance(first.value, ast.Name)
        and not first.attr.endswith("Tensor")
        and first.attr != "device"
    )


def _dtype(frame: Frame, tree: ast.expr, row: Factory, args: Arguments) -> str | None:
    given = args.value(None, "dtype")
    if isinstance(given, Dtype):
        note_purpose(frame, tree)
        return given.name
    if given is not None and given != Const(None):
        return None
    if row.name == "torch.full":
        fill = args.value(1, "fill_value")
        return dtype_of_data(fill) if isinstance(fill, Const) else None
    if row.name == "torch.arange":
        return _range_dtype(args)
    if row.dtype == "data":
        first = args.value(0, "data")
        return dtype_of_data(first) if first is not None else None
    if row.dtype == "default":
        return "float64" if frame.analysis.default_float64 else "float32"
    return row.dtype


def _range_dtype(args: Arguments) -> str | None:
    named = (args.value(None, name) for name in ("start", "end", "step"))
    values = [*(v for _, v in args.positional), *(v for v in named if v is not None)]
    if any(isinstance(v, Const) and isinstance(v.value, float) for v in values):
        return "float32"
    if all(isinstance(v, Const) and isinstance(v.value, int) for v in values):
        return "int64"
    return None


def _is_scalar(row: Factory, args: Arguments) -> bool:
    first = args.value(0, "data" if row.data else "size")
    if row.data:
        return first is not None and is_number(first)
    sizes = [v for _, v in args.positional]
    return any(v == Tuple(()) for v in sizes)


def make_generator(frame: Frame, args: Arguments) -> Value:
    """``torch.Generator(device)``; without one it is on the host."""
    given = args.get(0, "device")
    if given is None or given[1] == Const(None):
        return Generator(Device(Label.HOST))
    note_literal(frame, *given)
    known = as_device(given[1])
    return Generator(replace(known, typed=True)) if known is not None else Unknown("a generator")


def make_device(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    """``torch.device(...)``."""
    operand = args.get(0, "device") or args.get(None, "type")
    if operand is None:
        return Device(Label.TARGET)
    expr, value = operand
    note_computed(frame, tree, [given for given, _ in args.all()])
    if len(args.all()) == 1:
        note_literal(frame, expr, value)
    known, index = as_device(value), args.get(1, "index")
    if known is not None:
        gpu = gpu_of(index[1]) if index is not None else known.gpu
        return replace(known, typed=True, gpu=gpu)
    # a string that we cannot see names the device that the program runs on
    frame.seen.open_devices.add(tree)
    return Device(Label.TARGET, origins=frozenset((tree,)))
