"""Classes of the program whose ``cuda()`` only moves what their objects hold.

Such a method becomes ``to(self, device)``, and all its calls say where. So each of them has to be
known, and has to have a name for the device; no object may have a ``to`` already.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from msgspec.structs import replace

from devicefix.flow.analysis import Analysis
from devicefix.flow.definitions import spine
from devicefix.flow.escapes import objects_handed
from devicefix.flow.facts import DeviceName, Guard, Kind, OwnMove, TransferCall
from devicefix.flow.functions import is_module
from devicefix.flow.imported import origins
from devicefix.flow.moving import is_move_statement
from devicefix.flow.references import References
from devicefix.flow.values import (
    Class,
    External,
    FileRecord,
    Function,
    Instance,
    ObjectRecord,
    Tensor,
)
from devicefix.source.walking import walk

_Calls: TypeAlias = Mapping[ast.Call, TransferCall]

PARAMETER: Final = "device"
_METHOD: Final = "to"
_TOP: Final = "builtins.object"
_CAUGHT: Final = ("__getattr__", "__getattribute__")
_BY_NAME: Final = ("getattr", "hasattr", "setattr", "delattr", "attrgetter", "methodcaller")


def with_own_moves(
    analysis: Analysis, references: References, found: _Calls
) -> dict[ast.Call, TransferCall]:
    """``found``, where the calls of such methods, and those in them, say so."""
    called: dict[ast.AST, tuple[Function, set[ast.Call]]] = {}
    for call in found:
        method = _called(analysis, call)
        if method is not None:
            called.setdefault(method.tree, (method, set()))[1].add(call)
    changed = dict(found)
    for function, (method, calls) in called.items():
        moves = _moves(function, found)
        if not (moves and all(map(_says_nothing, calls)) and _are_all(analysis, found, calls)):
            continue
        if isinstance(function, ast.FunctionDef) and _may_be_renamed(analysis, references, method):
            source = analysis.home(function).source
            own = OwnMove(source, function, frozenset(moves), frozenset(calls))
            changed |= {move: replace(found[move], own=own) for move in moves}
            changed |= {call: replace(found[call], kind=Kind.OWN, own=own) for call in calls}
    return changed


def settled(calls: _Calls, guards: Iterable[Guard]) -> dict[ast.Call, TransferCall] | None:
    """``calls`` of the program, with the parameter in each such method; None where some call has
    no name for what to pass, or stays below its condition."""
    below = {move for guard in guards for move in guard.moves}
    for seen in calls.values():
        if seen.kind is Kind.OWN and (seen.device is None or seen.asked or _is_left(seen, below)):
            return None
    return {
        call: replace(seen, device=DeviceName(PARAMETER)) if _is_inside(seen) else seen
        for call, seen in calls.items()
    }


def as_before(calls: _Calls) -> dict[ast.Call, TransferCall]:
    """The same where nothing is renamed."""
    return {
        call: replace(seen, own=None, kind=Kind.OTHER if seen.kind is Kind.OWN else seen.kind)
        for call, seen in calls.items()
    }


def _is_inside(seen: TransferCall) -> bool:
    return seen.own is not None and seen.call in seen.own.moves


def _is_left(seen: TransferCall, below: set[ast.Call]) -> bool:
    """It stays below a condition that only moves."""
    return bool(seen.condition) and seen.call not in below


def _called(analysis: Analysis, call: ast.Call) -> Function | None:
    """The one ``cuda`` of the program that is called there, on objects that surely have it."""
    methods = {
        _own_cuda(receiver.records) if isinstance(receiver, Instance) else None
        for receiver, _, _ in analysis.seen.transfers[call]
        if isinstance(call.func, ast.Attribute) and call.func.attr == "cuda"
    }
    return methods.pop() if len(methods) == 1 else None


def _own_cuda(records: Iterable[ObjectRecord]) -> Function | None:
    """The method that all of these objects have, of classes that are no modules."""
    classes = {record.cls for record in records}
    found = {
        cls.lookup("cuda") if cls is not None and not is_module(cls) else None for cls in classes
    }
    method = found.pop() if len(found) == 1 else None
    return method if isinstance(method, Function) else None


def _moves(function: ast.AST, found: _Calls) -> list[ast.Call]:
    """The moves in ``cuda(self)``, which does nothing else; none where it does."""
    if not isinstance(function, ast.FunctionDef) or function.decorator_list:
        return []
    spec, body = function.args, spine(function)[ast.get_docstring(function) is not None :]
    others = (spec.vararg, spec.kwarg, *spec.posonlyargs, *spec.kwonlyargs, *spec.defaults)
    if len(spec.args) != 1 or any(others) or getattr(function, "type_params", None):
        return []
    if body and _gives_itself(body[-1], spec.args[0].arg):
        body = body[:-1]
    calls = [n for part in body for n in walk(part) if isinstance(n, ast.Call)]
    plain = all(map(is_move_statement, body)) and all(
        c in found and _is_cuda(c) and found[c].kind is Kind.TORCH and _says_nothing(c)
        for c in calls
    )
    return calls if plain else []


def _gives_itself(statement: ast.stmt, name: str) -> bool:
    match statement:
        case ast.Return(ast.Name(id=given)):
            return given == name
    return False


def _may_be_renamed(analysis: Analysis, references: References, method: Function) -> bool:
    """Whether nobody else can call it, and no object has a ``to``, or a ``cuda`` of its own."""
    owner = method.owner
    if owner is None or not references.is_hidden(method.tree, owner):
        return False
    family = {*owner.ancestry(), *analysis.heirs(owner)}
    bases = [base for record in family for base in record.bases]
    if not all(isinstance(b, Class) or (isinstance(b, External) and b.name == _TOP) for b in bases):
        return False
    if any(record.cls in family for record in objects_handed(analysis)):
        return False
    made = [record.attributes for cls in family for record in analysis.instances.get(cls, ())]
    held = [cls.attributes for cls in family]
    return not any("cuda" in part for part in made) and not any(
        name in part for part in (*held, *made) for name in (_METHOD, *_CAUGHT)
    )


def _are_all(analysis: Analysis, found: _Calls, calls: set[ast.Call]) -> bool:
    """Whether nothing else that reads ``cuda`` of something may read it of such an object."""
    return not any(map(_looks_up, _all_calls(analysis))) and all(
        _is_cuda_of_torch(file, node)
        or not isinstance(node.ctx, ast.Load)
        or analysis.seen.options_named_cuda.get(node, False)
        or analysis.parents.get(node) in calls
        or _is_of_other(analysis, found, node)
        for file in analysis.owned
        for node in file.source.of_type(ast.Attribute)
        if isinstance(node, ast.Attribute) and node.attr == "cuda"
    )


def _is_of_other(analysis: Analysis, found: _Calls, node: ast.Attribute) -> bool:
    """It is called, and surely of what is no such object."""
    call = analysis.parents.get(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return False
    if call in found:
        return found[call].kind in (Kind.TORCH, Kind.OVERRIDDEN, Kind.STORAGE)
    receivers = [receiver for receiver, _, _ in analysis.seen.transfers.get(call, ())]
    return bool(receivers) and all(isinstance(receiver, Tensor) for receiver in receivers)


def _is_cuda_of_torch(file: FileRecord, node: ast.Attribute) -> bool:
    """``torch.cuda``."""
    return isinstance(node.value, ast.Name) and node.value.id in file.source.once(origins)


def _all_calls(analysis: Analysis) -> Iterator[ast.Call]:
    for file in analysis.owned:
        yield from file.source.of_type(ast.Call)


def _looks_up(call: ast.Call) -> bool:
    """``getattr(x, "cuda")``, ``methodcaller("cuda")``."""
    name = getattr(call.func, "attr", None) or getattr(call.func, "id", None)
    return name in _BY_NAME and any(
        isinstance(given, ast.Constant) and given.value == "cuda" for given in call.args
    )


def _is_cuda(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "cuda"


def _says_nothing(call: ast.Call) -> bool:
    return not (call.args or call.keywords)
