"""How values flow into operations: who lives beside whom, and where transfers may be written."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from devicefix.flow.already_there import is_computed_there
from devicefix.flow.costs import (
    CALL_COST,
    INSIDE_COST,
    LOOP_COST,
    RETREAT_COST,
    STATE_COST,
    USE_COST,
)
from devicefix.flow.graph import HARD, HOST_NODE, TARGET_NODE, SiteKind
from devicefix.flow.joins import (
    alternatives,
    flat_of,
    parts_in,
    tensor_parts,
)
from devicefix.flow.memory import read_tensor
from devicefix.flow.sent import is_sent
from devicefix.flow.values import (
    LOST,
    OWN_NAME,
    Bound,
    Const,
    Either,
    External,
    Flat,
    Listing,
    Opaque,
    Plain,
    Stream,
    Tensor,
    Tuple,
    Unknown,
    Value,
    is_none,
)
from devicefix.torch_api import World, world

if TYPE_CHECKING:
    from devicefix.flow.frame import Frame

Operand = tuple[ast.expr | None, Value]
INTEGERS = frozenset(("int64", "int32", "int16", "int8", "uint8", "bool"))
"""Tensors of these have no gradient."""
_PROMOTION = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64")


def as_tensor(value: Value, *, evidence: bool = False, shown_by: ast.expr | None = None) -> Value:
    """An opaque parameter as the tensor that it would be; ``evidence``: it surely is one, as the
    expression shows.

    Until something shows that it is a tensor it may be a number: no place, and no edit, is its.
    """
    if isinstance(value, Opaque):
        parameter = value.parameter
        if evidence and not value.part:
            parameter.tensor = True
            parameter.declared = parameter.declared or shown_by is None
            parameter.shown.update([shown_by] if shown_by is not None else [])
        known = parameter.tensor or parameter.optional
        return Tensor(frozenset((parameter.node,)) if known else frozenset(), raw=False)
    return value


def as_input(tree: ast.expr | None, value: Value, *, required: bool) -> Value:
    """What a layer is called with, as the tensor that it is if it is ``required``, and may be
    else: then it has a place, but nothing may ask it for its device."""
    if isinstance(value, Opaque) and not required and not value.part:
        value.parameter.optional = True
    return as_tensor(value, evidence=required, shown_by=tree)


def optional(operands: Iterable[Operand]) -> list[Operand]:
    """Arguments that may be numbers or containers as well as tensors."""
    return [(tree, as_input(tree, value, required=False)) for tree, value in operands]


def of_either(frame: Frame, tensor: Tensor, made: Tensor) -> Tensor:
    """What is ``made`` of a tensor, or of what was not seen in its place, as only tensors have it:
    where that is known, it is a tensor there, too."""
    places = tensor.elsewhere
    if places and all(map(frame.graph.sources, places)):
        return replace(made, nodes=made.nodes | places)
    return replace(made, beside=replace(tensor.doubted, vague=not made.certain)) if places else made


def in_arithmetic(value: Value) -> Value:
    """An operand beside a tensor, or beside its like: what has a ``size()`` is surely a tensor, and
    so is what was sent to a device."""
    if not isinstance(value, Opaque) or value.part:
        return value
    sure = value.parameter.sized or value.parameter.arrived
    return as_tensor(value, evidence=True) if sure else value


def operand(frame: Frame, own: Operand, other: Value) -> Operand:
    """An operand of arithmetic, where ``other`` is the other one.

    Beside a tensor on the accelerator, what has a dimension is a tensor, and there: an array cannot
    be combined with that, nor can a tensor of the CPU, unless it has none.
    """
    tree, value = own
    if not isinstance(value, Opaque) or value.part or not value.parameter.ranked:
        return tree, in_arithmetic(value)
    sure = isinstance(other, Tensor) and other.certain and not other.maybe
    nodes = other.nodes if isinstance(other, Tensor) and sure else frozenset[int]()
    if nodes and is_computed_there(frame.analysis, nodes):
        return tree, as_tensor(value, evidence=True, shown_by=tree)
    return tree, in_arithmetic(value)


def flow_into(
    frame: Frame,
    expression: ast.expr | None,
    value: Value,
    sink: int,
    to_target: float,
    to_host: float,
) -> None:
    """Let the tensors of ``value`` flow into ``sink``, those in containers, too."""
    if isinstance(expression, ast.Starred):
        expression = expression.value
    if isinstance(value, Opaque):
        value = as_tensor(value)
    match value:
        case Tensor():
            _flow_tensor(frame, expression, value, sink, to_target, to_host)
        case Tuple(items=items):
            written = _written_elements(expression, len(items))
            for part, item in zip(written, items, strict=True):
                flow_into(frame, part, item, sink, to_target, to_host)
        case Listing(records=records):
            exact = [r.items for r in records]
            if len(exact) == 1 and exact[0] is not None:
                written = _written_elements(expression, len(exact[0]))
                for part, item in zip(written, exact[0], strict=True):
                    flow_into(frame, part, item, sink, to_target, to_host)
                return
            _flow_parts(frame, value, sink)
        case _:
            _flow_parts(frame, value, sink)


def flow_state(frame: Frame, expression: ast.expr | None, value: Value, sink: int) -> bool:
    """Let the state of a recurrent layer flow into it, if it is a tuple that can be moved item by
    item: ``tuple(h.to(device) for h in state)``; whether it is.
    """
    if expression is None or isinstance(expression, (ast.Tuple, ast.List)):
        return False
    items = value.items if isinstance(value, Tuple) else ()
    exact = bool(items) and all(isinstance(i, Tensor) and i.certain for i in items)
    if not isinstance(value, Opaque) and not is_unseen(value):
        frame.seen.states.setdefault(expression, set()).add(exact)
    for item in items if exact else ():
        flow_into(frame, expression, item, sink, USE_COST + STATE_COST, 0.0)
    return exact


def _written_elements(expression: ast.expr | None, count: int) -> Sequence[ast.expr | None]:
    if isinstance(expression, (ast.Tuple, ast.List)) and len(expression.elts) == count:
        return expression.elts
    return [None] * count


def _flow_parts(frame: Frame, value: Value, sink: int) -> None:
    """Elements have no expression of their own here: they must already live in the right place."""
    for part in parts_in(value):
        if isinstance(part, Tensor):
            _flow_tensor(frame, None, part, sink, HARD, HARD)


def _flow_tensor(
    frame: Frame,
    expression: ast.expr | None,
    tensor: Tensor,
    sink: int,
    to_target: float,
    to_host: float,
) -> None:
    if frame.host:
        return
    read_tensor(frame, tensor, named=expression is None)
    plain = tensor.certain and not (tensor.maybe or tensor.doubt)
    asked = "" if plain else _attribute_of(frame, expression)
    read = asked == "numpy"  # which arrays do not have, and None does not
    sure = read or (not tensor.doubt and (not tensor.maybe or (tensor.maybe == "none" and asked)))
    writable = expression is not None and sure and is_writable(frame, expression)
    site = frame.site(SiteKind.USE, expression) if expression is not None and writable else None
    if site is None:
        to_target = HARD if to_target else 0.0
        to_host = HARD if to_host else 0.0
    else:
        # a caller knows better than a helper where its tensors should be
        weight = LOOP_COST * frame.depth + CALL_COST * frame.calls
        weight += INSIDE_COST * frame.inside
        to_target = to_target + weight if to_target else 0.0
        reading = sink == HOST_NODE
        to_host = to_host + (0.05 * frame.depth if reading else weight) if to_host else 0.0
        if to_host and not (tensor.certain or read):
            to_host = HARD  # an array has no `.cpu()`
        if to_target and is_retrieved(frame, expression, tensor):
            to_target = HARD
    if tensor.elsewhere and expression is not None:
        frame.seen.loaded.setdefault(expression, {})[sink] = tensor.nodes
    known = tensor.nodes or (tensor.near if sink == HOST_NODE else ())
    for node in tensor.nodes if tensor.doubt else ():
        frame.meet(node, expression or frame.tree, tensor.doubt, tensor.elsewhere)
    for node in known:
        frame.graph.connect(node, sink, to_target, to_host, site, frame.context)


def _attribute_of(frame: Frame, expression: ast.expr | None) -> str:
    """``numpy`` of ``x.numpy()``: who comes to that has something with such an attribute, and with
    anything else it raises anyway."""
    above = frame.analysis.parents.get(expression) if expression is not None else None
    return above.attr if isinstance(above, ast.Attribute) else ""


def is_retrieved(frame: Frame, expression: ast.expr | None, tensor: Tensor) -> bool:
    """``x.cpu()``: the program wants it on the CPU here, so nothing is written behind it.

    ``x.type(torch.FloatTensor)`` is a cast that only happens to move, ``x.to(torch.float32)`` none.
    """
    if not (isinstance(expression, ast.Call) and isinstance(expression.func, ast.Attribute)):
        return False
    if expression.func.attr in ("cpu", "type"):
        return expression.func.attr == "cpu"
    return _is_moved(frame, expression, tensor, HOST_NODE)


def is_transfer(frame: Frame, expression: ast.expr | None, tensor: Tensor) -> bool:
    """``x.cpu()``, ``x.to(device)``, ``torch.zeros(3, device=device)``: the program has just said
    where the result is to be."""
    if is_retrieved(frame, expression, tensor):
        return True
    if not isinstance(expression, ast.Call):
        return False
    if any(keyword.arg == "device" for keyword in expression.keywords):
        return True
    return _is_moved(frame, expression, tensor, TARGET_NODE)


def is_there_in_part(frame: Frame, value: Tensor) -> bool:
    """Some of what it may be the program has moved itself: ``for x in [a, b.to(device)]:``.

    That is needed by no name: the places that need it there move it.
    """
    moved = [TARGET_NODE in frame.graph.sources(node) for node in value.nodes]
    return any(moved) and not all(moved)


def _is_moved(frame: Frame, call: ast.Call, tensor: Tensor, place: int) -> bool:
    """Whether the call moves it, and to nowhere but ``place``."""
    moved = any(
        isinstance(receiver, Tensor)
        and isinstance(result, Tensor)
        and receiver.nodes != result.nodes
        for receiver, result, _ in frame.seen.transfers.get(call, ())
    )
    return moved and all(place in frame.graph.sources(node) for node in tensor.nodes)


_CLOSED = frozenset((
    ast.Constant, ast.Dict, ast.DictComp, ast.GeneratorExp, ast.JoinedStr, ast.List, ast.ListComp,
    ast.Set, ast.SetComp, ast.Slice, ast.Starred, ast.Tuple,
))  # fmt: skip
"""Behind these no method call can be written, or none that makes sense."""


def is_writable(frame: Frame, expression: ast.expr) -> bool:
    """Whether a method call can be written behind ``expression``; in a file that is only read, if
    its kind allows it: nothing is written there."""
    file = frame.file
    editable = not file.owned or file.source.is_editable(expression)
    return editable and type(expression) not in _CLOSED and not is_sent(expression)


def combine(
    frame: Frame,
    tree: ast.AST,
    operands: Iterable[Operand],
    *,
    pointwise: bool = False,
    evidence: bool = False,
    strict: bool = False,
) -> Tensor | None:
    """The result of an operation whose tensor operands have to live together.

    None when no operand is a tensor. A single operand needs no node of its own: the result lives
    where it lives. A 0-dim host operand may stand beside device tensors in a pointwise operation.
    ``strict``: another dtype is refused, so nothing is made of it.
    """
    flat = [(expr, shown(expr, value, evidence=evidence)) for expr, value in operands]
    tensors = [(e, v) for e, v in flat if _holds_tensor(v)]
    if not tensors:
        return None
    unknown = [(e, v) for e, v in flat if is_unseen(v)]
    unknown += [(e, part) for e, v in tensors for part in _unseen_items(v)]
    leaves = [p for _, v in tensors for p in tensor_parts(v)]
    if not strict:
        for _, value in tensors:
            note_dtype_use(frame, tree, value)
    born = tree if isinstance(tree, ast.expr) else None
    if frame.host:
        return _on_host(frame, tree, leaves)
    constant = all(is_constant(v) for _, v in flat)
    dtype = beside_numbers(promote(leaves), (v for _, v in flat))
    scalar = all(p.scalar for p in leaves)
    nodes = frozenset().union(*(p.nodes for p in leaves))
    lost = [p for p in leaves if not p.nodes]
    # what one tensor may be need not be together, the elements of a container have to
    alone = len(leaves) == 1 and (len(nodes) <= 1 or isinstance(tensors[0][1], Tensor))
    if not nodes or (alone and not unknown):  # of what nobody knows the place of has none either
        near = frozenset[int]().union(*(p.near for p in leaves if not nodes))
        near = near.union(*(v.near for _, v in unknown if isinstance(v, Unknown)))
        for operand in (e for e, v in tensors if e is not None and tensor_parts(v)[0].elsewhere):
            frame.seen.unpaired.setdefault(operand, set()).add(tree)
        known = (dtype, scalar, born, False)
        beside = max((leaf.doubted for leaf in leaves), key=lambda b: (b.doubt, not b.unseen))
        found = Tensor(nodes, *known, near=near, constant=constant, computed=True, beside=beside)
        return replace(found, flat=_flat(flat)) if pointwise else found
    op = frame.node("op", tree)
    if lost:
        frame.meet(op, tree, LOST)
    for expr, value in tensors:
        if pointwise and isinstance(value, Tensor) and value.scalar and not scalar:
            frame.use(expr, value, op, to_target=0.0, to_host=RETREAT_COST)
        else:
            frame.use(expr, value, op, to_target=USE_COST, to_host=RETREAT_COST)
    note_sure(frame, op, (v for _, v in tensors) if unknown else ())
    for expr, value in unknown:
        meet_unseen(frame, op, expr or tree, value)
    together = _flat(flat) if pointwise else Flat.NO
    return Tensor(
        frozenset((op,)), dtype, scalar, born, raw=False, constant=constant, flat=together
    )


def _unseen_items(value: Value) -> Iterator[Value]:
    """What a container holds beside tensors, or in their place, without anybody knowing where."""
    for part in parts_in(value) if isinstance(value, (Listing, Stream, Tuple)) else ():
        if is_unseen(part):
            yield part
        elif isinstance(part, Tensor) and part.doubt:
            yield part.beside.unseen or Unknown(part.doubt)


def meet_unseen(frame: Frame, node: int, tree: ast.AST, value: Value) -> None:
    """What nobody knows the place of stands beside ``node``; a function of the program gives what
    belongs beside what it was given."""
    brought = isinstance(value, Unknown) and value.near
    if unseen_reason(value) != OWN_NAME or not brought:
        frame.meet(node, tree, unseen_reason(value))


def note_sure(frame: Frame, operation: int, operands: Iterable[Value]) -> None:
    """Remember the operands that surely are tensors, beside some that nobody knows."""
    for value in operands:
        plain = isinstance(value, Tensor) and value.certain and not (value.maybe or value.scalar)
        if isinstance(value, Tensor) and plain and not value.doubt:
            frame.seen.sure_operands.setdefault(operation, set()).add(value.nodes)


def _flat(operands: Iterable[Operand]) -> Flat:
    """Of what is computed element by element: numbers, and tensors of none, take no part."""
    found: Flat | None = None
    for _, value in operands:
        if isinstance(value, (Const, Plain)) or (isinstance(value, Tensor) and value.scalar):
            continue
        own = Flat.OPEN if isinstance(value, (Opaque, Unknown)) else Flat.NO
        own = value.flat if isinstance(value, Tensor) else own
        found = own if found is None else flat_of(found, own)
    return found or Flat.NO


def note_dtype_use(frame: Frame, tree: ast.AST, value: Value) -> None:
    """``tree`` lets the program see the dtype of ``value`` (it is printed, read or promoted)."""
    for part in tensor_parts(value):
        if part.born is not None:
            frame.seen.dtype_uses.setdefault(part.born, set()).add(tree)


def _on_host(frame: Frame, tree: ast.AST, leaves: Sequence[Tensor]) -> Tensor:
    """Code of datasets and workers computes on the CPU: what it reads has to be there."""
    for node in (n for leaf in leaves for n in leaf.nodes):
        frame.graph.connect(node, HOST_NODE, 0.0, HARD)
    facts = frame.host_tensor(tree)
    return Tensor(facts.nodes, promote(leaves), all(p.scalar for p in leaves), raw=False)


def _holds_tensor(value: Value) -> bool:
    return bool(tensor_parts(value))


def shown(tree: ast.expr | None, value: Value, *, evidence: bool) -> Value:
    """``value`` with opaque parameters as tensors; ``torch.cat([x, y])`` shows what x is, too."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, Tuple) and any(isinstance(i, Opaque) for i in value.items):
        return Tuple(tuple(as_tensor(i, evidence=evidence, shown_by=tree) for i in value.items))
    if evidence and isinstance(value, Listing):
        for record in value.records:
            if any(isinstance(i, Opaque) for i in record.items or ()):
                items = (as_tensor(i, evidence=True, shown_by=tree) for i in record.items or ())
                return Tuple(tuple(items))
    if isinstance(value, Opaque) and not (
        evidence or value.parameter.tensor or value.parameter.optional
    ):
        return value
    return as_tensor(value, evidence=evidence, shown_by=tree)


def is_unseen(value: Value) -> bool:
    """Whether nobody knows where it is: not what is a tensor or a container of such either way."""
    if isinstance(value, Either):
        return not all(tensor_parts(part) for part in alternatives(value))
    unseen = isinstance(value, External) and world(value.name) is World.UNKNOWN
    # what is computed with is no method: somebody has set an attribute, and nobody saw it
    attribute = isinstance(value, Bound) and value.function is None
    other = isinstance(value, (Const, Plain)) and bool(value.beside.doubt)
    return unseen or attribute or other or isinstance(value, Unknown)


def unseen_reason(value: Value) -> str:
    """Why nobody knows where it is."""
    if isinstance(value, External):
        return f"{value.name} was not analysed"
    if isinstance(value, Bound):
        return f"the attribute {value.name!r}"
    if isinstance(value, (Const, Plain)):
        return value.beside.doubt
    return value.reason if isinstance(value, Unknown) and value.reason else "an unknown value"


def promote(tensors: Sequence[Tensor]) -> str | None:
    """torch's type promotion, as far as dtypes are known (0-dim operands do not promote floats)."""
    dtypes = [t.dtype for t in tensors if not t.scalar] or [t.dtype for t in tensors]
    if any(d not in _PROMOTION for d in dtypes):
        return None
    known = [d for d in dtypes if d is not None]
    best = max(known, key=_PROMOTION.index, default=None)
    scalars = [t.dtype for t in tensors if t.scalar and t.dtype in _PROMOTION]
    if best is not None and not best.startswith("float"):
        floating = [d for d in scalars if d is not None and d.startswith("float")]
        if floating:
            return "float32"
    return best


def beside_numbers(dtype: str | None, values: Iterable[Value]) -> str | None:
    """The dtype of tensors in arithmetic with numbers of Python, as far as it is known.

    A number of a higher kind decides: ``2 * mask`` is no mask, ``0.5 * index`` no index
    (https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion).
    """
    if dtype is None or not dtype.startswith(("bool", "int", "uint")):
        return dtype
    numbers = [v for v in values if isinstance(v, (Const, Plain)) and not is_none(v)]
    kinds = {type(v.value) if isinstance(v, Const) else float for v in numbers}
    higher = {float, complex} if dtype != "bool" else {int, float, complex}
    return None if kinds & higher else dtype


def is_constant(value: Value) -> bool:
    """Whether nothing in ``value`` can have a gradient."""
    if isinstance(value, Tensor):
        return value.constant or value.dtype in INTEGERS
    return all(
        is_constant(part) if isinstance(part, Tensor) else not isinstance(part, (Opaque, Unknown))
        for part in parts_in(value)
    )
