"""What ``.cuda()`` and its like are called on, over all contexts."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TypeGuard

from msgspec.structs import replace

from devicefix.flow.already_there import is_sent_on
from devicefix.flow.analysis import Analysis
from devicefix.flow.cuda_guards import Guards, is_move_to_cuda
from devicefix.flow.deciding import moves_of
from devicefix.flow.defined import DEFINES_CUDA, defines_cuda
from devicefix.flow.definitions import enclosing
from devicefix.flow.evidence import must_be_torch
from devicefix.flow.facts import DeviceName, Kind, TransferCall
from devicefix.flow.flags import asked_around, obeys
from devicefix.flow.graph import Label
from devicefix.flow.indices import keeps_index, own_device
from devicefix.flow.ir import Bodies
from devicefix.flow.leaves import fresh_leaf
from devicefix.flow.modules import tree_of
from devicefix.flow.must_meet import is_home
from devicefix.flow.naming import UNSAID, DeviceNames, Moved
from devicefix.flow.observations import Occurrence
from devicefix.flow.own_moves import with_own_moves
from devicefix.flow.probes import is_probe
from devicefix.flow.replicas import is_method
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.sharing import follows_own
from devicefix.flow.spent import is_spent
from devicefix.flow.user_index import cuda_index, is_cuda
from devicefix.flow.values import (
    Class,
    Device,
    FileRecord,
    Function,
    Instance,
    ObjectRecord,
    Opaque,
    Plain,
    Residence,
    Tensor,
    Unknown,
    Value,
    is_open,
)
from devicefix.source.walking import walk


def transfer_calls(analysis: Analysis, names: DeviceNames) -> dict[ast.Call, TransferCall]:
    """Every transfer-like call of the program, with the kind of its receiver."""
    found = {}
    own = any(map(_has_cuda, analysis.files.values()))
    for call, seen in analysis.seen.transfers.items():
        if is_cuda(call) and _has_asked(analysis, call):
            continue
        kinds = {_kind(receiver, own) for receiver, _, _ in seen}
        kind = kinds.pop() if len(kinds) == 1 else Kind.UNKNOWN
        if Kind.STORAGE in kinds:
            kind = Kind.STORAGE
        elif Kind.OVERRIDDEN in kinds:
            kind = Kind.OVERRIDDEN
        if kinds == {Kind.TORCH, Kind.UNKNOWN}:
            kind = Kind.TORCH
        receivers = [receiver for receiver, _, _ in seen]
        if kind is Kind.UNKNOWN and not own and must_be_torch(analysis, call, receivers):
            kind = Kind.TORCH
        tensor = all(isinstance(r, Tensor) and r.certain for r in receivers)
        places = [o for _, _, o in seen]
        device, probes = None, is_probe(analysis, call)
        if not probes and is_cuda(call) and analysis.home(call).owned:
            texts = (_receiver(call), *assigned(analysis, call))
            arrives = any(_comes_open(analysis, receiver) for receiver, _, _ in seen)
            device = own_device(analysis, call, analysis.seen.indices.get(call, ()))
            device = device or _asked(analysis, call) or _changed(analysis, call, places)
            if device is None:
                beside = any(_residences(analysis, call))
                chosen = cuda_index(call) is not None
                held = frozenset(n for r in receivers if isinstance(r, Tensor) for n in r.nodes)
                moved = Moved(texts, True, arrives=arrives, beside=beside, chosen=chosen, held=held)
                device = _obedient(analysis, call, names, moved, places)
        only_moves = all(_only_moves(before, after) for before, after, _ in seen)
        bound = any(_is_bound_to_stay(analysis, before) for before, _, _ in seen)
        leaf = fresh_leaf(analysis, call) if only_moves or is_cuda(call) else None
        given = analysis.seen.indices.get(call, ())
        kept = keeps_index(analysis, call, given, device, places)
        if device is not None and device.follows and not kept:
            kept = names.meets(device, places)
        found[call] = TransferCall(
            call,
            kind,
            tensor,
            only_moves,
            bound,
            device,
            probes,
            leaf,
            leaf is not None and _joins_module(analysis, call, places),
            keeps_dtype=all(_keeps_dtype(before, after) for before, after, _ in seen),
            keeps_index=kept,
            spent=_is_spent(analysis, call),
            stateless=all(_is_stateless(receiver) for receiver, _, _ in seen),
            needless=is_cuda(call) and not given and _is_needless(analysis, names, call, seen),
        )
    found |= _by_one_name(analysis, names, found)
    return with_own_moves(analysis, names.bindings.references, found) if own else found


def _joins_module(analysis: Analysis, call: ast.Call, places: list[Occurrence]) -> bool:
    """``self.x = nn.Parameter(…).cuda()`` in a method that may run after the module was saved."""
    statement = analysis.parents.get(call)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if not any(isinstance(target, ast.Attribute) for target in targets):
        return False
    late = (o.frame for o in places if getattr(o.frame.function, "name", "") != "__init__")
    return any(is_method(frame) for frame in late)


def _is_needless(
    analysis: Analysis,
    names: DeviceNames,
    call: ast.Call,
    seen: list[tuple[Value, Value, Occurrence]],
) -> bool:
    """Whether the tensor is where it goes already."""
    if all(names.is_there(receiver, place) for receiver, _, place in seen):
        return True
    if is_sent_on(analysis, call):
        return True
    return is_home(analysis, names.bindings.partners, call, seen)


def _by_one_name(
    analysis: Analysis, names: DeviceNames, found: Mapping[ast.Call, TransferCall]
) -> dict[ast.Call, TransferCall]:
    """The calls of ``.cuda()`` that follow a tensor of the function's own, beside others that take
    a new device: they take that, too, for it is where the function has put the tensor."""
    scopes = defaultdict[ast.AST, list[TransferCall]](list)
    for call, transfer in found.items():
        if is_cuda(call) and cuda_index(call) is None and transfer.device is not None:
            scopes[enclosing(analysis, call)].append(transfer)
    changed = {}
    for scope, transfers in scopes.items():
        plain = [t for t in transfers if t.device is not None and _is_plain(t.device, scope)]
        new = {t.device for t in plain}
        rest = [t for t in transfers if t not in plain] if len(new) == 1 else []
        put = {text for t in plain for text in assigned(analysis, t.call)}
        while follow := [t for t in rest if follows_own(t.device, scope, put)]:
            rest = [t for t in rest if t not in follow]
            for transfer in follow:
                conditions = names.conditions(analysis.home(transfer.call))
                around = asked_around(analysis, transfer.call, conditions)
                if all(asked is not None and asked.machine for asked in around):
                    changed[transfer.call] = replace(transfer, device=next(iter(new)))
                    put.update(assigned(analysis, transfer.call))
    return changed


def _is_plain(device: DeviceName, scope: ast.AST) -> bool:
    """A new name, defined after the imports, first of all in the function or when its object is
    made, that no option has a part in."""
    chosen = device.flag or device.index or device.value or device.passed or device.late
    there = device.anchor in (None, scope) or not device.preamble.isidentifier()
    return bool(device.preamble) and not chosen and there


def _is_stateless(receiver: Value) -> bool:
    records = receiver.records if isinstance(receiver, Instance) else frozenset[ObjectRecord]()
    return bool(records) and all(
        r.module and r.layer and r.cls is None and not (r.stateful or r.children or r.tensors)
        for r in records
    )


def _obedient(
    analysis: Analysis,
    call: ast.Call,
    names: DeviceNames,
    moved: Moved,
    places: list[Occurrence],
) -> DeviceName | None:
    """A device that asks what the conditions around the move ask; without one the move stays.

    What always moves, by a constant of the program, does with any device: the condition is kept.
    """
    conditions = names.conditions(analysis.home(call))
    around = list(asked_around(analysis, call, conditions))
    if all(asked is not None and asked.machine for asked in around):
        return name_at(places, names, moved)
    found = names.probe([(occurrence, Label.TARGET) for occurrence in places], moved)
    if found is None or found.follows or all(obeys(analysis, found, call, a) for a in around):
        return name_at(places, names, moved)
    known = not (found.preamble or found.passed or found.flag)
    if known and not _is_only_moved(analysis, call) and names.asks_machine(found, call):
        return name_at(places, names, moved)  # the condition does more, and stays
    asked = around[0] if len(around) == 1 else None
    own = names.decided(asked, places) if asked is not None else None
    if own is None and all(a is not None and (a.machine or a.always) for a in around):
        return name_at(places, names, moved)
    return own


def _is_only_moved(analysis: Analysis, call: ast.Call) -> bool:
    """Whether a condition around it does nothing but move."""
    above = analysis.parents.get(call)
    while above is not None and not isinstance(above, FUNCTIONS):
        outer = analysis.parents.get(above)
        if isinstance(above, (ast.If, ast.IfExp)) and call in moves_of(above, outer):
            return True
        above = outer
    return False


def _has_asked(analysis: Analysis, call: ast.Call) -> bool:
    """Below ``on_gpu = x.is_cuda; x = None; if on_gpu:`` the program is right, and x is gone; in a
    ``cuda`` that ends in ``super().cuda()`` nothing else would come to another device, either."""
    asked = map(analysis.asked, _residences(analysis, call))
    if any(isinstance(tree, ast.Name) for tree in asked):
        return True
    return Guards(analysis, analysis.home(call).source).is_in_move(call)


def _residences(analysis: Analysis, call: ast.Call) -> Iterator[ast.If | ast.IfExp]:
    """The conditions around ``call`` that ask where a tensor is."""
    child: ast.AST = call
    parent = analysis.parents.get(call)
    while parent is not None and not isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
        if isinstance(parent, (ast.If, ast.IfExp)):
            body = parent.body if isinstance(parent, ast.If) else [parent.body]
            asked = isinstance(analysis.seen.tests.get(parent), Residence)
            if asked and any(child is part for part in body):
                yield parent
        child, parent = parent, analysis.parents.get(parent)


def _asked(analysis: Analysis, call: ast.Call) -> DeviceName | None:
    """``x.device`` below ``if x.is_cuda:``, where nothing has bound x anew."""
    for tree in _residences(analysis, call):
        test = analysis.asked(tree)
        itself = isinstance(test, ast.Attribute) and ast.unparse(test.value) == _receiver(call)
        if not isinstance(test, ast.Attribute) or test.attr != "is_cuda" or itself:
            continue
        names = {n.id for n in walk(test.value) if isinstance(n, ast.Name)}
        body = tree.body if isinstance(tree, ast.If) else []
        bound = {n.id for s in body for n in walk(s) if _is_store(n)}
        if not names & bound:
            return DeviceName(f"{ast.unparse(test.value)}.device", follows=True)
    return None


def _changed(analysis: Analysis, call: ast.Call, places: list[Occurrence]) -> DeviceName | None:
    """``x.device`` in ``x *= mask.cuda()``: where x is on the host, that raises."""
    tree: ast.AST = call
    while (above := analysis.parents.get(tree)) is not None and _wraps(analysis, above):
        tree = above
    if not isinstance(above, ast.AugAssign) or not isinstance(above.target, ast.Name):
        return None
    name = above.target.id
    if all(isinstance(seen.names.get(name), Tensor) for seen in places):
        return DeviceName(f"{name}.device", follows=True)
    return None


def _wraps(analysis: Analysis, tree: ast.AST) -> bool:
    """``Variable(x)`` is where x is."""
    names = analysis.seen.calls.get(tree, ()) if isinstance(tree, ast.Call) else ()
    return bool(names) and all(name == "torch.autograd.Variable" for name in names)


def _is_store(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _is_bound_to_stay(analysis: Analysis, value: Value) -> bool:
    """A leaf that is optimized, or a tensor that is written through another name."""
    if not isinstance(value, Tensor):
        return False
    return value.leaf or value.parameter or any(analysis.graph.is_sealed(n) for n in value.nodes)


def _is_spent(analysis: Analysis, call: ast.Call) -> bool:
    alone = isinstance(analysis.parents.get(call), ast.Expr)
    return (
        alone
        and isinstance(call.func, ast.Attribute)
        and is_spent(call.func.value, analysis.home(call).source.once(Bodies).around(call))
    )


def _only_moves(before: Value, after: Value) -> bool:
    return (
        isinstance(before, Tensor)
        and isinstance(after, Tensor)
        and before.nodes != after.nodes
        and before.born is after.born
    )


def _keeps_dtype(before: Value, after: Value) -> bool:
    if isinstance(before, Instance):
        records = [below for record in before.records for below in tree_of(record)]
        return all(record.module and not record.cast for record in records)
    if not (isinstance(before, Tensor) and isinstance(after, Tensor)):
        return False
    return before.dtype is not None and before.dtype == after.dtype


def _comes_open(analysis: Analysis, value: Value) -> bool:
    """It is a parameter of a function that nobody calls, or a part of one."""
    if is_open(value):
        return True
    nodes = {parameter.node for parameter in analysis.parameters.values()}
    return isinstance(value, Tensor) and bool(value.nodes & nodes)


def name_at(seen: list[Occurrence], names: DeviceNames, moved: Moved = UNSAID) -> DeviceName | None:
    """What names the accelerator in all these contexts."""
    return names.at([(occurrence, Label.TARGET) for occurrence in seen], moved)


def assigned(analysis: Analysis, tree: ast.AST) -> list[str]:
    """What ``tree`` is assigned to: it is not there before the statement has run."""
    parent = analysis.parents.get(tree)
    targets = parent.targets if isinstance(parent, ast.Assign) else []
    return [ast.unparse(target) for target in targets]


def moved_with(analysis: Analysis, device: ast.AST) -> tuple[str, ...]:
    """What a call is made on that is told ``device``, and what its result is assigned to."""
    call = analysis.parents.get(device)
    if isinstance(call, ast.keyword):
        call = analysis.parents.get(call)
    if not isinstance(call, ast.Call):
        return ()
    return (_receiver(call), *assigned(analysis, call))


def _receiver(call: ast.Call) -> str:
    return ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""


def _has_cuda(file: FileRecord) -> bool:
    """A class of the program defines ``cuda``: an unknown receiver may be one of its instances."""
    file.note(DEFINES_CUDA)
    return file.text is not None and file.text.once(defines_cuda)


def _kind(receiver: Value, own: bool) -> Kind:
    match receiver:
        case Tensor():
            return Kind.TORCH
        case Opaque() | Unknown(torch=True):
            return Kind.UNKNOWN if own else Kind.TORCH
        case Instance(records=records):
            if all(r.module and not _overrides(r) for r in records):
                return Kind.TORCH
            return Kind.OVERRIDDEN if any(map(_moves_module, records)) else Kind.OTHER
        case Device() | Class():
            return Kind.OTHER
        case Plain(storage=True):
            return Kind.STORAGE
        case _:
            return Kind.UNKNOWN


def _own_cuda(record: ObjectRecord) -> Value | None:
    """The ``cuda`` that a class of the program gives its objects."""
    return record.cls.lookup("cuda") if record.cls is not None else None


def _overrides(record: ObjectRecord) -> bool:
    """A module class with a ``cuda`` of its own does more than move."""
    return _own_cuda(record) is not None


def _moves_module(record: ObjectRecord) -> bool:
    """Whether ``record.cuda()`` comes to torch's own, at once or by ``super().cuda()``."""
    own = _own_cuda(record)
    if not isinstance(own, Function):
        return record.module and own is None
    return is_move_to_cuda(own.tree, own.owner.tree if own.owner is not None else None)
