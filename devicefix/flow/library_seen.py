"""Calls of the library that need CUDA, name it, or bring it back."""

from __future__ import annotations

import ast

from msgspec.structs import replace

from devicefix.flow.analysis import Analysis
from devicefix.flow.facts import LibraryCall, Use
from devicefix.flow.graph import Label
from devicefix.flow.naming import DeviceNames, Moved
from devicefix.flow.observations import Occurrence
from devicefix.flow.scopes import FUNCTIONS, block_of
from devicefix.flow.uses import uses_of
from devicefix.flow.values import Const, Flag, Instance, Mapping, Residence, is_accelerator_string
from devicefix.torch_api import ASKS_FOR_CUDA, MAP_LOCATION, NEEDS_CUDA, PUBLISHED

_GROUP = "torch.distributed.init_process_group"
_TAKES = frozenset({"torch.cuda.set_device"})
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def library_calls(analysis: Analysis, names: DeviceNames) -> tuple[LibraryCall, ...]:
    """Calls of the library that need CUDA or name it, in the order of the text."""
    found = [
        _library_call(analysis, names, call, seen)
        for call, seen in analysis.seen.cuda_calls.items()
        if not _is_published(call, seen)
    ]
    groups = {analysis.home(f.call) for f in found if _GROUP in f.names}
    found = [
        replace(f, spread=f.names == _TAKES and analysis.home(f.call) in groups) for f in found
    ]
    return tuple(sorted(found, key=lambda f: (f.call.lineno, f.call.col_offset)))


def _library_call(
    analysis: Analysis, names: DeviceNames, call: ast.Call, seen: list[Occurrence]
) -> LibraryCall:
    reached = frozenset(analysis.seen.calls[call])
    wanted = [(occurrence, Label.TARGET) for occurrence in seen]
    position = MAP_LOCATION.get(next(iter(reached))) if len(reached) == 1 else None
    if position is None:
        device = names.probe(wanted, Moved((ast.unparse(call),), already=True))
        needs = reached <= NEEDS_CUDA
        guarded = asks(analysis, call) or _named_where_asked(analysis, call)
        return LibraryCall(call, reached, device, needs_cuda=needs, guarded=guarded)
    device = names.at(wanted, Moved((ast.unparse(call),)))
    uses = uses_of(analysis, call, _own_objects(seen), script=names.is_script(analysis.home(call)))
    if any(occurrence.frame.host for occurrence in seen):
        uses.setdefault(Use.HOST, call)
    where, guarded = _argument(call, position, "map_location"), asks(analysis, call)
    return LibraryCall(call, reached, device, where, uses, guarded=guarded)


def asks(analysis: Analysis, tree: ast.AST) -> bool:
    """Whether ``tree`` is only reached where the program has asked for CUDA, or fails quietly."""
    child, parent = tree, analysis.parents.get(tree)
    while parent is not None and not isinstance(child, (*FUNCTIONS, ast.Lambda, ast.ClassDef)):
        if isinstance(parent, ast.Try) and child in parent.body and _catches(parent):
            return True
        if isinstance(parent, (ast.If, ast.IfExp)) and child is not parent.test:
            otherwise = child is parent.orelse or child in _statements(parent.orelse)
            if _means_cuda(analysis, parent, otherwise=otherwise):
                return True
        if isinstance(child, ast.stmt) and _was_asked(analysis, child):
            return True
        if isinstance(parent, ast.BoolOp) and _asked_before(analysis, parent, child):
            return True
        child, parent = parent, analysis.parents.get(parent)
    return is_move_to_cuda(child, parent)


def _asked_before(analysis: Analysis, parent: ast.BoolOp, child: ast.AST) -> bool:
    """``is_available() and …``, ``x.device.type != "cuda" or …``."""
    if isinstance(parent.op, ast.And):
        return _calls_for_cuda(analysis, parent)
    before = parent.values[: next(at for at, v in enumerate(parent.values) if v is child)]
    return any(_misses_cuda(analysis, value) for value in before)


def _misses_cuda(analysis: Analysis, tree: ast.expr) -> bool:
    """``not torch.cuda.is_available()``, ``x.device.type != "cuda"``."""
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not):
        return _calls_for_cuda(analysis, tree.operand)
    if not (isinstance(tree, ast.Compare) and isinstance(tree.ops[0], ast.NotEq)):
        return False
    right = tree.comparators[0]
    return isinstance(right, ast.Constant) and is_accelerator_string(right.value)


def is_move_to_cuda(tree: ast.AST, parent: ast.AST | None) -> bool:
    """``def cuda(self):`` that ends in ``super().cuda()``: whoever calls it has asked for CUDA."""
    if not (
        isinstance(tree, FUNCTIONS) and tree.name == "cuda" and isinstance(parent, ast.ClassDef)
    ):
        return False
    called = (n.func for n in ast.walk(tree) if isinstance(n, ast.Call))
    return any(ast.unparse(func) == "super().cuda" for func in called)


def _named_where_asked(analysis: Analysis, call: ast.Call) -> bool:
    """``backend = torch.cuda`` below a condition: what is called by this name needs no other."""
    root = call.func
    while isinstance(root, ast.Attribute):
        root = root.value
    around: ast.AST | None = call
    while around is not None and not isinstance(around, FUNCTIONS):
        around = analysis.parents.get(around)
    if not isinstance(root, ast.Name) or around is None:
        return False
    assigned = (n for n in ast.walk(around) if isinstance(n, ast.Assign))
    named = [n.value for n in assigned if any(_is_name(t, root.id) for t in n.targets)]
    meant = [n for value in named for n in ast.walk(value) if _is_module(analysis, n)]
    return bool(meant) and all(asks(analysis, n) for n in meant)


def _is_name(tree: ast.AST, name: str) -> bool:
    return isinstance(tree, ast.Name) and tree.id == name


def _is_module(analysis: Analysis, tree: ast.AST) -> bool:
    """``torch.cuda`` itself, and nothing that is in it."""
    if not isinstance(tree, ast.Attribute) or tree.attr != "cuda":
        return False
    return not isinstance(analysis.parents.get(tree), ast.Attribute)


def _was_asked(analysis: Analysis, statement: ast.stmt) -> bool:
    """Whether an earlier statement of the block leaves it, or raises, where there is no CUDA."""
    block = block_of(analysis.parents.get(statement), statement)
    before = block[: block.index(statement)] if block else []
    return any(_stops(analysis, earlier) for earlier in before)


def _stops(analysis: Analysis, statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Assert):
        return _calls_for_cuda(analysis, statement.test)
    if not (isinstance(statement, ast.If) and isinstance(statement.body[-1], _LEAVES)):
        return False
    either = isinstance(statement.test, ast.BoolOp) and isinstance(statement.test.op, ast.Or)
    parts = statement.test.values if isinstance(statement.test, ast.BoolOp) and either else []
    return any(_misses_cuda(analysis, part) for part in (statement.test, *parts))


def _catches(tree: ast.Try) -> bool:
    """Whether a handler takes the errors of a missing CUDA, which are of several kinds."""
    if any(handler.type is None for handler in tree.handlers):
        return True
    types = [n for h in tree.handlers if h.type is not None for n in ast.walk(h.type)]
    return any(isinstance(t, ast.Name) and t.id in ("Exception", "BaseException") for t in types)


def _statements(block: object) -> list[ast.stmt]:
    return block if isinstance(block, list) else []


def _means_cuda(analysis: Analysis, tree: ast.If | ast.IfExp, *, otherwise: bool) -> bool:
    """Whether the branch runs only where there is CUDA."""
    test = analysis.seen.tests.get(tree)
    if isinstance(test, Flag):
        return test.holds is not otherwise
    if isinstance(test, Residence):
        return not otherwise
    return not otherwise and _calls_for_cuda(analysis, tree.test)


def _calls_for_cuda(analysis: Analysis, tree: ast.AST) -> bool:
    """``torch.cuda.device_count() > 1``, ``str(device) != "cpu"``."""
    inside = list(ast.walk(tree))
    if any(isinstance(n, ast.Constant) and _names_a_device(n.value) for n in inside):
        return True
    calls = [n for n in inside if isinstance(n, ast.Call)]
    return any(analysis.seen.calls.get(c, set()) & ASKS_FOR_CUDA for c in calls)


def _names_a_device(value: object) -> bool:
    return value == "cpu" or is_accelerator_string(value)


def _own_objects(seen: list[Occurrence]) -> frozenset[str]:
    """Names of objects of the program, and of its options: no code but its own reads them."""
    held = [frozenset(n for n, v in o.names.items() if isinstance(v, Instance)) for o in seen]
    return frozenset.intersection(*held)


def _is_published(call: ast.Call, seen: list[Occurrence]) -> bool:
    """Weights that torchvision publishes are tensors of the host: it loads them plainly."""
    url = call.args[0] if call.args else None
    if isinstance(url, ast.Constant):
        return str(url.value).startswith(PUBLISHED)
    if not (isinstance(url, ast.Subscript) and isinstance(url.value, ast.Name)):
        return False
    held = [occurrence.names.get(url.value.id) for occurrence in seen]
    return all(isinstance(h, Mapping) and _are_urls(h) for h in held)


def _are_urls(value: Mapping) -> bool:
    urls = [url for record in value.records for url in record.items.values()]
    known = not any(record.element for record in value.records)
    return known and all(isinstance(u, Const) and str(u.value).startswith(PUBLISHED) for u in urls)


def _argument(call: ast.Call, position: int, name: str) -> ast.expr | None:
    """What is given at ``position`` or as ``name``."""
    given = next((k.value for k in call.keywords if k.arg == name), None)
    return call.args[position] if given is None and position < len(call.args) else given
