"""Assignment: names, attributes, items and unpacking; where a transfer may be written after it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from devicefix.flow.arrivals import ANY_KEY
from devicefix.flow.brought import is_brought
from devicefix.flow.buffers import keep, note_store
from devicefix.flow.construction import is_transferred
from devicefix.flow.costs import BIND_COST, INSIDE_COST, LOOP_COST, RETREAT_COST
from devicefix.flow.descriptors import defines, is_stored_by_class, store_by_class
from devicefix.flow.dicts import join_item, join_rest
from devicefix.flow.encodings import is_encoding, store_into
from devicefix.flow.escapes import hand_over
from devicefix.flow.frame import Frame
from devicefix.flow.graph import HARD, Site, SiteKind
from devicefix.flow.imported import dotted, origins
from devicefix.flow.items import loop_over_keys
from devicefix.flow.iteration import exact_list
from devicefix.flow.joins import element, exact_items, is_update, join, join_all
from devicefix.flow.memory import rename, write_array, write_tensor
from devicefix.flow.modules import put_in, set_weight, tree_of
from devicefix.flow.operands import as_tensor, is_constant, is_there_in_part, is_transfer
from devicefix.flow.optimizers import note_replacement
from devicefix.flow.outputs import is_output
from devicefix.flow.renewal import renewed_by
from devicefix.flow.sent import is_sent
from devicefix.flow.storing import stored
from devicefix.flow.unfollowed import assign_to_class, change_library, exchange_class
from devicefix.flow.values import (
    Array,
    Class,
    Const,
    External,
    Function,
    Instance,
    Listing,
    ListRecord,
    Mapping,
    ObjectRecord,
    Opaque,
    Plain,
    Tensor,
    Tuple,
    Unknown,
    Value,
)
from devicefix.torch_api import canonical


def assign(
    frame: Frame, statement: ast.stmt, target: ast.expr, expr: ast.expr, value: Value
) -> None:
    """``target = expr``: one name may be transferred as a whole, unpacked names one by one."""
    if isinstance(target, ast.Attribute):
        note_store(frame, target, value)
        if frame.analysis.trace is not None:
            frame.analysis.trace.note_store(frame, target, value)
        if not _becomes_parameter(frame, target, value) and keep(frame, statement, target, value):
            return
    if isinstance(target, (ast.Name, ast.Attribute)):
        _note_modules(frame, expr, value)
        bind_target(frame, target, _transferable(frame, expr, value))
    elif isinstance(target, ast.Subscript) and _moves_item(target, expr):
        _exchange_item(frame, target, value)
    elif isinstance(target, ast.Subscript):
        _bind_item(frame, target, value, expr)
    else:
        bind_target(frame, target, value, statement)


def _note_modules(frame: Frame, expr: ast.expr, value: Value) -> None:
    """``model = build(config)``: what another function has made can be moved here."""
    if not isinstance(expr, ast.Call) or not isinstance(value, Instance):
        return
    callees = frame.seen.callees.get(expr)
    if not callees or None in callees:
        return  # what a library gives back may be a copy
    for record in value.modules:
        site = frame.site(SiteKind.MODULE, expr) if record.tree is not expr else None
        sites = frame.analysis.bound_modules.setdefault(record, {})
        if site is not None and site not in sites:
            sites[site] = frame.context
            if any(part.called for part in tree_of(record)):
                frame.analysis.used_before.add(record)


def _moves_item(target: ast.Subscript, expr: ast.expr) -> bool:
    """``xs[i] = xs[i].cuda()``."""
    return (
        isinstance(expr, ast.Call)
        and isinstance(expr.func, ast.Attribute)
        and expr.func.attr in ("cuda", "to", "cpu")
        and ast.unparse(expr.func.value) == ast.unparse(target)
    )


def _exchange_item(frame: Frame, target: ast.Subscript, value: Value) -> None:
    """Every item of a list is moved in turn: what was there before is gone."""
    holder = frame.evaluate(target.value)
    if not isinstance(holder, Listing):
        bind_target(frame, target, value)
        return
    for record in holder.records:
        record.items, record.element = None, value


def _transferable(frame: Frame, expr: ast.expr, value: Value) -> Value:
    """A node between the right-hand side and the name, unless the name is a mere alias."""
    if not isinstance(value, Tensor) or value.parameter or frame.building:
        return value
    if not _is_sure(value) or is_output(frame, value):
        return value
    if value.leaf:
        return value  # what is behind a transfer is no leaf, and gathers no gradient
    if is_transfer(frame, expr, value) or is_sent(expr):
        return value
    if isinstance(expr, (ast.Name, ast.Attribute)) or _is_born_here(frame, expr, value):
        return value
    site = frame.site(SiteKind.BIND, expr)
    if site is None:
        return value
    return _through(frame, value, frame.node("bind", expr), site, BIND_COST)


def returned(frame: Frame, statement: ast.Return, value: Value) -> Value:
    """What a function of the program gives may be transferred where it is passed on."""
    expr = statement.value
    items = value.items if isinstance(value, Tuple) else ()
    if isinstance(expr, ast.Tuple) and len(expr.elts) == len(items):
        pairs = zip(expr.elts, items, strict=True)
        return Tuple(tuple(_passed_on(frame, e, v) for e, v in pairs))
    return _passed_on(frame, expr, value) if expr is not None else value


def _passed_on(frame: Frame, expr: ast.expr, value: Value) -> Value:
    """Only calls of the program's functions: elsewhere a transfer belongs to what is inside."""
    if not isinstance(expr, ast.Call) or None in frame.seen.callees.get(expr, {None}):
        return value
    return _transferable(frame, expr, value)


def _is_born_here(frame: Frame, expr: ast.expr, value: Tensor) -> bool:
    """The value is made by a factory inside ``expr``: a transfer belongs there, not behind it."""
    births = [frame.analysis.created.get(n) for n in value.nodes]
    if any(b is None for b in births):
        return False
    return all(b is not None and _is_inside(frame, b, expr) for b in births)


def _is_inside(frame: Frame, tree: ast.AST, outer: ast.AST) -> bool:
    current: ast.AST | None = tree
    while isinstance(current, (ast.expr, ast.keyword)) and current is not outer:
        current = frame.analysis.parents.get(current)
    return current is outer


def _through(frame: Frame, value: Tensor, node: int, site: Site, cost: float) -> Tensor:
    # what the program has put somewhere, and not computed with, it wants there
    back = site.kind is SiteKind.BIND and value.certain and not value.raw
    to_host = RETREAT_COST if back else 3.0 * HARD
    # a batch is not there before its loop: nothing can be gained outside of it
    batch = site.kind is SiteKind.REBIND and value.nodes <= frame.analysis.batches
    weight = LOOP_COST * frame.depth * (not batch) + INSIDE_COST * frame.inside
    for source in value.nodes:
        frame.graph.connect(source, node, cost + weight, to_host + weight, site, frame.context)
    frame.analysis.arrivals.pass_on(value, node)
    return rename(frame, value, node)


def bind_target(
    frame: Frame, target: ast.expr, value: Value, statement: ast.stmt | None = None
) -> None:
    """Bind ``value`` to a target; ``statement`` is where ``x = x.to(device)`` could follow."""
    match target:
        case ast.Name():
            if frame.analysis.sightings is not None:
                value = frame.analysis.sightings.take(frame, target, value)
            if not isinstance(value, (Tensor, Opaque, Unknown)) and statement is not None:
                frame.seen.other_values.add((statement, target.id))
            if isinstance(value, Tensor) and _rebinds(frame, value, statement):
                assert statement is not None
                value = _rebound(frame, statement, target, value)
            frame.bind(target.id, value, target)
        case ast.Attribute():
            _bind_attribute(frame, target, value)
        case ast.Subscript():
            _bind_item(frame, target, value)
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            _unpack(frame, elts, value, statement)
        case ast.Starred(value=inner):
            bind_target(frame, inner, value)


def _rebound(frame: Frame, statement: ast.stmt, target: ast.Name, value: Tensor) -> Tensor:
    """The node that ``name = name.to(device)`` below ``statement`` would move."""
    site = frame.site(SiteKind.REBIND, statement, target.id)
    if site is None:
        return value
    node = frame.node("rebind", statement, target.id)
    if not is_brought(frame, target):
        return _through(frame, value, node, site, BIND_COST)
    for source in value.nodes:
        frame.graph.connect(source, node, HARD, 0.0, None, frame.context)
    frame.seen.brought.add(node)
    frame.analysis.arrivals.pass_on(value, node)
    return rename(frame, value, node)


def _is_sure(value: Tensor) -> bool:
    """A tensor of which we know where it comes from, and surely nothing else."""
    return bool(value.nodes) and not value.maybe and not value.doubt


def _rebinds(frame: Frame, value: Tensor, statement: ast.stmt | None) -> bool:
    if is_output(frame, value):
        return False  # it has no `.to`
    sure = _is_sure(value) and not value.leaf and not is_there_in_part(frame, value)
    return sure and _takes_statement(frame, statement) and not _is_of_module(frame, value)


def _is_of_module(frame: Frame, value: Tensor) -> bool:
    """A parameter or buffer, as ``state_dict()`` gives it: a copy would be none."""
    keys = [frame.graph.key(node) for node in value.nodes]
    return any(isinstance(k, tuple) and isinstance(k[-1], ObjectRecord) for k in keys)


def _takes_statement(frame: Frame, statement: ast.stmt | None) -> bool:
    """Whether ``x = x.to(device)`` can be written after ``statement`` (in a loop: inside it)."""
    if statement is None or frame.building:
        return False
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        return (
            statement.body[0].lineno > statement.iter.end_lineno
            if statement.iter.end_lineno
            else False
        )
    return True


def _unpack(
    frame: Frame, targets: list[ast.expr], value: Value, statement: ast.stmt | None
) -> None:
    starred = next((i for i, t in enumerate(targets) if isinstance(t, ast.Starred)), None)
    items: tuple[Value, ...] | None = exact_items(value)
    if isinstance(value, Instance) and len(value.records) == 1:
        children = next(iter(value.records)).children
        items = tuple(children) if len(children) == len(targets) else None
    if items and starred is not None and len(items) >= len(targets) - 1:
        end = len(items) - (len(targets) - starred - 1)
        middle = exact_list(frame, targets[starred], items[starred:end])
        items = (*items[:starred], middle, *items[end:])
    if items is not None and len(items) == len(targets):
        for number, (target, item) in enumerate(zip(targets, items, strict=True)):
            bound = _is_bound_again(target, targets[number + 1 :])
            bind_target(frame, target, item, None if bound else statement)
        return
    part = element(value)
    for target in targets:
        inner = part if part is not None else _part_of(value)
        bind_target(frame, target, inner, statement)


def _is_bound_again(target: ast.expr, later: Iterable[ast.expr]) -> bool:
    """``_, _ = pair``: whoever reads the name below the statement gets the last one."""
    if not isinstance(target, ast.Name):
        return False
    return any(isinstance(each, ast.Name) and each.id == target.id for each in later)


def _part_of(value: Value) -> Value:
    return value if isinstance(value, Unknown) else Unknown("a part of an unknown value")


def _bind_attribute(frame: Frame, target: ast.Attribute, value: Value) -> None:
    note_store(frame, target, value)
    if frame.analysis.trace is not None:
        frame.analysis.trace.note_store(frame, target, value)
    holder = frame.evaluate(target.value)
    if isinstance(holder, Instance) and target.attr == "__class__":
        exchange_class(frame, target, holder)
        return
    if isinstance(holder, Instance) and is_stored_by_class(holder, target.attr):
        store_by_class(frame, target, holder, target.attr, value)
        return
    for record in holder.modules if isinstance(holder, Instance) else ():
        if isinstance(value, Tensor):
            set_weight(frame, record, target.attr, value)
        if record.layer == "torch.nn.Sequential" and record.cls is None:
            put_in(frame, record, value)  # it runs what it has by name, too
        note_replacement(frame, target, record, value)
    if isinstance(holder, Class):
        assign_to_class(frame, target, holder.record, target.attr, value)
    if isinstance(holder, External):
        change_library(frame, target, holder, target.attr, value)
    if isinstance(holder, Function):
        frame.analysis.join_result(("attribute", holder.tree, target.attr), frame.bounded(value))
    memory = target.attr in ("_grad", "data", "grad")
    if memory and isinstance(holder, Tensor) and isinstance(value, Tensor):
        _exchange_memory(frame, holder, value)
    if isinstance(target.value, ast.Name) and frame.env is not None:
        if _is_weight(holder, value):
            frame.forget(f"{target.value.id}.{target.attr}")
        else:
            frame.bind_part(target.value.id, f".{target.attr}", value)
        if isinstance(holder, Instance):
            for record in holder.records:
                frame.analysis.note_set(record, target.attr)
                if record.module and not _becomes_parameter(frame, target, value):
                    frame.store(record, target.attr, value)
        return
    if isinstance(holder, Instance):
        for record in holder.records:
            frame.store(record, target.attr, value)


def _exchange_memory(frame: Frame, tensor: Tensor, value: Tensor) -> None:
    """``layer.weight.data = w``: the weight is where ``w`` is from then on; a gradient has to be
    where its tensor is. What the program moves it may move on purpose, one after the other."""
    if not all(is_transferred(frame, node) for node in value.nodes):
        for node in tensor.nodes:
            frame.use(None, value, node)


def _is_weight(holder: Value, value: Value) -> bool:
    """A parameter of a module, which is where that is."""
    modules = isinstance(holder, Instance) and all(r.module for r in holder.records)
    return modules and isinstance(value, Tensor) and value.parameter


def _is_same(target: ast.Attribute, other: ast.expr) -> bool:
    """Both are the same attribute of the same name."""
    match target.value, other:
        case ast.Name(id=name), ast.Attribute(value=ast.Name(id=holder), attr=attribute):
            return (holder, attribute) == (name, target.attr)
    return False


def _becomes_parameter(frame: Frame, target: ast.Attribute, value: Value) -> bool:
    """``self.w = torch.randn(3)`` above ``self.w = Parameter(self.w)``: nobody else will see it."""
    plain = isinstance(value, Tensor) and not value.parameter
    if not plain or not frame.building:
        return False
    statement = frame.analysis.parents.get(target)
    block = frame.analysis.parents.get(statement) if statement is not None else None
    blocks: list[list[ast.stmt]] = [getattr(block, name, []) for name in ("body", "orelse")]
    body = next((b for b in blocks if isinstance(b, list) and statement in b), None)
    if body is None or not isinstance(statement, ast.stmt):
        return False
    known = frame.file.source.once(origins)
    for later in body[body.index(statement) + 1 :]:
        if isinstance(later, ast.Assign) and any(_is_same(target, t) for t in later.targets):
            made = later.value.func if isinstance(later.value, ast.Call) else later.value
            return canonical(dotted(made, known)) == "torch.nn.Parameter"
    return False


def _bind_item(
    frame: Frame, target: ast.Subscript, value: Value, expr: ast.expr | None = None
) -> None:
    holder, index = frame.evaluate(target.value), frame.evaluate(target.slice)
    if isinstance(holder, (Mapping, Listing)):
        value = stored(frame, (expr, value), moves=False)
    match holder:
        case Mapping(records=records):
            for record in records:
                if isinstance(index, Const):
                    frame.analysis.note_set(record, index.value)
            if (
                isinstance(target.value, ast.Name)
                and isinstance(index, Const)
                and isinstance(index.value, (str, int))
                and frame.env is not None
            ):
                # strong until something else can see the dict: `batch["x"] = batch["x"].cuda()`
                frame.bind_part(target.value.id, f"[{index.value!r}]", value)
                return
            for record in records:
                arrivals = frame.analysis.arrivals
                if isinstance(index, Const):
                    old = record.items.get(index.value)
                    arrivals.note_store(record, index.value, old, value)
                    join_item(frame, record, index.value, value)
                else:
                    held = join_all([*record.items.values(), record.element])
                    arrivals.note_store(record, ANY_KEY, held, value)
                    join_rest(frame, record, value)
        case Listing(records=lists):
            for listed in lists:
                extend(frame, listed, value)
        case Array():
            write_array(frame, holder)
            if not takes_number(target, holder, index, value):
                frame.need_host(expr, value)
        case Tensor() if (loop := loop_over_keys(frame, target)) is not None:
            frame.seen.mappings.update(holder.nodes)
            renewed = renewed_by(frame.file.source, loop) is not None
            if isinstance(target.value, ast.Name) and not renewed:
                frame.bind(target.value.id, Unknown("a dict that is filled item by item"))
        case Tensor() if isinstance(index, Const) and isinstance(index.value, str):
            # a batch of an unseen dataset is a dict after all
            frame.seen.mappings.update(holder.nodes)
            if is_encoding(frame, holder):
                store_into(frame, target, holder, value)
            if isinstance(target.value, ast.Name):
                frame.bind_part(target.value.id, f"[{index.value!r}]", value)
        case Tensor() | Opaque():
            _write_into_tensor(frame, target, holder, index, value)
        case Instance():
            if defines(holder, "__setitem__"):
                frame.call_method(target, holder, "__setitem__", index, value)
            elif not holder.modules:
                hand_over(frame, target, value, "an item of an object")
            for module in holder.modules:
                module.reordered = True
                put_in(frame, module, value)


def takes_number(target: ast.Subscript, holder: Array, index: Value, value: Value) -> bool:
    """``out[i] = loss`` asks for one number by ``float()``; ``out[i] = row`` is ``__array__``.

    ``out[i] += loss`` adds the tensor to a NumPy scalar first, which gives a tensor.
    """
    indices = index.items if isinstance(index, Tuple) else (index,)
    written = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
    one = all(isinstance(i, (Const, Plain)) for i in indices)
    one = one and not any(isinstance(w, ast.Slice) for w in written)
    return (
        one
        and isinstance(value, Tensor)
        and value.scalar
        and (holder.least is None or holder.least <= len(indices))
    )


def forget_order(frame: Frame, value: Value) -> None:
    """Lists and dicts whose items come in another order from now on, or are fewer."""
    for record in value.records if isinstance(value, (Listing, Mapping)) else ():
        frame.analysis.changed |= not record.reordered
        record.reordered = True
        if isinstance(record, ListRecord):
            record.items = None


def extend(frame: Frame, record: ListRecord, value: Value) -> None:
    """``value`` becomes one of the elements of a list; its exact items are no longer known."""
    record.items = None
    new = frame.bounded(join(record.element, value))
    if new != record.element:
        frame.analysis.note_change(record, None, record.element)
    if is_update(record.element, new):
        record.element = new


def _write_into_tensor(
    frame: Frame, target: ast.Subscript, holder: Value, index: Value, value: Value
) -> None:
    """``x[i] = y`` copies across devices; with what is or becomes a tensor as index, it needs both
    in one place."""
    tensor = as_tensor(holder)
    assert isinstance(tensor, Tensor)
    write_tensor(frame, tensor)
    if not is_constant(value):
        frame.seen.mixed |= tensor.nodes
    indices = index.items if isinstance(index, Tuple) else (index,)
    if not any(isinstance(i, (Tensor, Array, Listing)) for i in indices):
        return
    meeting = frame.node("setitem", target)
    for node in tensor.nodes:
        frame.graph.tie(node, meeting)
    for part in indices:
        if isinstance(part, Tensor):
            # like reading: a host index is fine, a device index into a host tensor is not
            expr = target.slice if len(indices) == 1 else None
            frame.use(expr, part, meeting, to_target=0.0)
    if isinstance(value, Tensor) and not value.scalar:
        frame.use(None, value, meeting)
