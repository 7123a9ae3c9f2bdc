"""What ``holder[index]`` is, for every kind of holder."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from devicefix.flow.construction import part_of
from devicefix.flow.costs import GATHER_COST, USE_COST
from devicefix.flow.dimensions import item_dimensions, item_flat
from devicefix.flow.encodings import is_encoding
from devicefix.flow.encodings import part_of as part_of_encoding
from devicefix.flow.frame import Frame
from devicefix.flow.graph import HARD
from devicefix.flow.iteration import exact_list, new_list
from devicefix.flow.joins import join_all, unsure
from devicefix.flow.memory import fresh
from devicefix.flow.names_by_text import module_called
from devicefix.flow.operands import as_tensor, in_arithmetic, note_dtype_use, of_either
from devicefix.flow.outputs import is_output, item_of_output, something_of
from devicefix.flow.values import (
    NUMBER,
    PLAIN,
    Array,
    Beside,
    Bound,
    Const,
    Dataset,
    Either,
    External,
    Flat,
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
)

_INDEX_TRICKS = frozenset(("numpy.mgrid", "numpy.ogrid", "numpy.r_", "numpy.c_"))


def item_of(frame: Frame, tree: ast.Subscript, holder: Value, index: Value) -> Value:
    """``holder[index]``."""
    match holder:
        case External(name="sys.modules"):
            return module_called(frame, tree, index)
        case Tensor() | Opaque():
            return _tensor_item(frame, tree, holder, index)
        case Tuple(items=items):
            return _sequence_item(items, index, join_all(items) if items else Unknown(), tree)
        case Listing(records=records):
            exact = [r.items for r in records]
            joined = join_all(r.element for r in records)
            if isinstance(tree.slice, ast.Slice):
                return _part_of_list(frame, tree, exact, holder)
            if len(exact) == 1 and exact[0] is not None:
                return _sequence_item(exact[0], index, joined, tree)
            return joined
        case Mapping(records=records):
            return _mapping_item(frame, records, index)
        case Array():
            parts = index.items if isinstance(index, Tuple) else (index,)
            for expr, part in zip(_written(tree.slice), parts, strict=False):
                if isinstance(part, Tensor) and part.nodes and not part.scalar:
                    # NumPy reads it through __array__ on the host; one number gives __index__
                    frame.need_host(expr, part)
            slices = any(isinstance(part, ast.Slice) for part in _written(tree.slice))
            least = item_dimensions(holder, index, slices)
            if isinstance(index, (Array, Tensor, Listing)):
                return fresh(frame, tree, holder.dtype, least)
            whole = isinstance(tree.slice, ast.Slice)
            return replace(holder, least=least, flat=holder.flat if whole else Flat.OPEN)
        case Bound(receiver=Array()):
            return Array(None)
        case Dataset(element=inner):
            return inner
        case Stream(element=inner):
            return Stream(inner) if isinstance(tree.slice, ast.Slice) else inner
        case Instance():
            return _instance_item(frame, tree, holder, index)
        case Either():
            return join_all(item_of(frame, tree, part, index) for part in unsure(holder))
        case Plain(reads=True):
            return holder
        case Plain(sizes=True):
            return holder if isinstance(tree.slice, ast.Slice) else NUMBER
        case External() | Plain() | Const():
            if isinstance(holder, External):
                return Array(None) if holder.name in _INDEX_TRICKS else holder
            return PLAIN
        case _:
            return holder if isinstance(holder, Unknown) else Unknown("an item")


def _written(tree: ast.expr) -> list[ast.expr]:
    """The parts of an index as they are written."""
    return tree.elts if isinstance(tree, ast.Tuple) else [tree]


def is_key(frame: Frame, tree: ast.Subscript) -> bool:
    """``for k in batch: batch[k]``: what it gives one by one and takes as an index is a key."""
    return loop_over_keys(frame, tree) is not None


def loop_over_keys(frame: Frame, tree: ast.Subscript) -> ast.For | None:
    """The loop that gives the key of ``batch[k]``, one by one."""
    if not isinstance(tree.slice, ast.Name):
        return None
    parents, holder = frame.analysis.parents, ast.dump(tree.value)
    above = parents.get(tree)
    while above is not None and not isinstance(above, (ast.FunctionDef, ast.Lambda, ast.Module)):
        keys = keys_of(above) if isinstance(above, ast.For) else None
        if keys is not None and isinstance(above, ast.For) and ast.dump(keys[0]) == holder:
            return above if keys[1] == tree.slice.id else None
        above = parents.get(above)
    return None


def keys_of(loop: ast.For) -> tuple[ast.expr, str] | None:
    """The dict whose keys a loop may go through, and the name that it gives them.

    ``for k in batch``, ``for k in batch.keys()``, ``for k, v in batch.items()``.
    """
    match loop.target, loop.iter:
        case (
            ast.Tuple(elts=[ast.Name(id=key), _]),
            ast.Call(func=ast.Attribute(value=holder, attr="items"), args=[]),
        ):
            return holder, key
        case ast.Name(id=key), ast.Call(func=ast.Attribute(value=holder, attr="keys"), args=[]):
            return holder, key
        case ast.Name(id=key), holder:
            return holder, key
    return None


def _tensor_item(frame: Frame, tree: ast.Subscript, holder: Value, index: Value) -> Value:
    if isinstance(holder, Opaque):
        given = index.items if isinstance(index, Tuple) else (index,)
        if any(isinstance(part, Tensor) for part in given):
            holder = as_tensor(in_arithmetic(holder))
        elif _slices(tree):
            holder.parameter.ranked |= isinstance(tree.slice, ast.Tuple)
            return holder  # of tensors and arrays alone, and of the same kind
        else:
            return Opaque(holder.parameter, part=True)
    assert isinstance(holder, Tensor)
    if is_output(frame, holder):
        part = item_of_output(frame, tree, holder, index)
        if part is not None:
            return part
        holder = something_of(frame, tree, holder)
    whole = holder
    if (isinstance(index, Const) and isinstance(index.value, str)) or is_key(frame, tree):
        frame.seen.mappings.update(holder.nodes)
        if is_encoding(frame, holder):
            return part_of_encoding(frame, tree, holder)
    elif holder.parts and isinstance(index, (Const, Plain)):
        if isinstance(tree.slice, ast.Slice):
            return holder
        holder = replace(holder, nodes=holder.parts[0], parts=holder.parts[1:])
    parts = index.items if isinstance(index, Tuple) else (index,)
    trees = tree.slice.elts if isinstance(tree.slice, ast.Tuple) else [tree.slice]
    indices = [
        (expr, as_tensor(part)) if isinstance(part, Opaque) else (expr, part)
        for expr, part in zip(trees, parts, strict=False)
    ]
    for _, part in indices:
        note_dtype_use(frame, tree, part)
    tensors = [(expr, part) for expr, part in indices if isinstance(part, Tensor) and part.nodes]
    if tensors and holder.nodes:
        holder = _gathered(frame, tree, holder, tensors)
    single = item_flat(holder, tree.slice, index)
    facts = (holder.dtype, single is Flat.SURE, holder.born, holder.raw)
    beside = Beside(other=holder.maybe == "other", vague=not holder.certain)  # None has no items
    if single is Flat.LIKELY and frame.root_context:
        return Unknown("an item that may be 0-dim")
    item = Tensor(
        holder.nodes,
        *facts,
        beside=beside,
        near=holder.near,
        constant=holder.constant,
        computed=holder.computed or any(isinstance(p, (Tensor, Listing, Array)) for p in parts),
        flat=min(holder.flat, Flat.SURE) if isinstance(tree.slice, ast.Slice) else Flat.NO,
    )
    return of_either(frame, whole, item)


def _gathered(
    frame: Frame, tree: ast.Subscript, holder: Tensor, indices: Sequence[tuple[ast.expr, Tensor]]
) -> Tensor:
    """``x[index]``: a host index into a device tensor is fine, the reverse is not.

    Then all of ``x`` is moved; what is picked is a copy.
    """
    meeting, gathered = frame.node("index", tree), frame.node("gathered", tree)
    frame.use(tree.value, holder, gathered, to_target=USE_COST + GATHER_COST)
    frame.graph.connect(meeting, gathered, 0.0, HARD)
    for expr, index in indices:
        frame.use(expr, index, meeting, to_target=0.0)
    return holder.at(gathered)


def _slices(tree: ast.Subscript) -> bool:
    """``x[0, :, 1:]``."""
    parts = tree.slice.elts if isinstance(tree.slice, ast.Tuple) else []
    return any(isinstance(part, ast.Slice) for part in parts)


def _item_at(items: Sequence[Value], index: Value) -> Value | None:
    """The item that a constant index surely means."""
    if (
        isinstance(index, Const)
        and isinstance(index.value, int)
        and -len(items) <= index.value < len(items)
    ):
        return items[index.value]
    return None


def _sequence_item(
    items: tuple[Value, ...], index: Value, joined: Value, tree: ast.Subscript
) -> Value:
    if isinstance(tree.slice, ast.Slice):
        return _sliced(items, tree.slice)
    return _item_at(items, index) or joined


def _part_of_list(
    frame: Frame, tree: ast.Subscript, exact: list[tuple[Value, ...] | None], holder: Listing
) -> Value:
    """``layers[1:]``: another list, whose first element is the second of ``layers``."""
    assert isinstance(tree.slice, ast.Slice)
    if all(items is None for items in exact):
        return holder  # of each element nothing is known but that it is one of all
    part = _sliced(exact[0], tree.slice) if len(exact) == 1 and exact[0] is not None else None
    if isinstance(part, Tuple):
        return exact_list(frame, tree, part.items)
    return new_list(frame, tree, join_all(r.element for r in holder.records))


def _sliced(items: tuple[Value, ...], tree: ast.Slice) -> Value:
    def bound(part: ast.expr | None) -> Any:
        if part is None:
            return None
        try:
            return ast.literal_eval(part)
        except (ValueError, TypeError):
            raise LookupError from None

    try:
        return Tuple(items[bound(tree.lower) : bound(tree.upper) : bound(tree.step)])
    except LookupError:
        return Stream(join_all(items))


def _mapping_item(frame: Frame, records: frozenset[Any], index: Value) -> Value:
    found: list[Value | None] = []
    for record in records:
        if isinstance(index, Const) and index.value in record.items:
            held = record.items[index.value]
            found.append(frame.analysis.arrivals.now(frame, record, index.value, held))
        elif isinstance(index, Const) and record.items:
            found.append(record.element)  # what is under other names is not under this one
        else:
            found += [*record.items.values(), record.element]
    return join_all(found) if any(f is not None for f in found) else Unknown("an item of a dict")


def _instance_item(frame: Frame, tree: ast.Subscript, holder: Instance, index: Value) -> Value:
    found: list[Value] = []
    for record in holder.records:
        if record.cls is not None and record.cls.lookup("__getitem__") is not None:
            found.append(
                frame.call_method(tree, Instance(frozenset((record,))), "__getitem__", index)
            )
        elif record.children:
            item = _named(record, index) or _item_at(record.children, index)
            found.append(part_of(frame, record, item or join_all(record.children)))
    return join_all(found) if found else Unknown("an item of an object")


def _named(record: ObjectRecord, index: Value) -> Value | None:
    """``layers["fc"]`` of a ``ModuleDict``."""
    if isinstance(index, Const) and isinstance(index.value, str):
        return record.attributes.get(index.value)
    return None
