"""Calls of the library that need CUDA, name it, or bring it back."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from devicefix.flow.analysis import Analysis
from devicefix.flow.command_line import number_options
from devicefix.flow.cuda_guards import Guards, asks, catches
from devicefix.flow.facts import DeviceName, LibraryCall, Use
from devicefix.flow.graph import Label
from devicefix.flow.naming import DeviceNames, Moved
from devicefix.flow.observations import Occurrence
from devicefix.flow.proof import held
from devicefix.flow.saved_before import Written
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.uses import Holders, uses_of
from devicefix.flow.values import Const, Instance, Mapping, as_device
from devicefix.source import Source
from devicefix.source.walking import walk
from devicefix.torch_api import MAP_LOCATION, NEEDS_CUDA, PUBLISHED

_GROUP = "torch.distributed.init_process_group"
_TAKES = frozenset({"torch.cuda.set_device"})
_RAISED = frozenset({"Exception", "RuntimeError"})
"""By ``torch.load``, where the device is missing."""


def library_calls(analysis: Analysis, names: DeviceNames) -> tuple[LibraryCall, ...]:
    """Calls of the library that need CUDA or name it, in the order of the text."""
    written = Written(analysis)
    found = [
        _library_call(analysis, names, call, seen, written)
        for call, seen in analysis.seen.cuda_calls.items()
        if not _is_published(analysis, call, seen)
    ]
    groups = {analysis.home(f.call) for f in found if _GROUP in f.names}
    found = [
        replace(f, spread=f.names == _TAKES and analysis.home(f.call) in groups) for f in found
    ]
    return tuple(sorted(found, key=lambda f: (f.call.lineno, f.call.col_offset)))


def _library_call(
    analysis: Analysis,
    names: DeviceNames,
    call: ast.Call,
    seen: list[Occurrence],
    written: Written,
) -> LibraryCall:
    reached = frozenset(analysis.seen.calls[call])
    wanted = [(occurrence, Label.TARGET) for occurrence in seen]
    position = MAP_LOCATION.get(next(iter(reached))) if len(reached) == 1 else None
    if position is None:
        device = names.probe(wanted, Moved((ast.unparse(call),), already=True))
        needs = reached <= NEEDS_CUDA
        guarded = asks(analysis, call) or _named_where_asked(analysis, call)
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        missing = analysis.seen.missing.intersection(given)
        return LibraryCall(
            call, reached, device, needs_cuda=needs, guarded=guarded, missing=missing
        )
    device = names.at(wanted, Moved((ast.unparse(call),)))
    if device is not None and any(_may_be_number(analysis, device, o) for o in seen):
        device = None
    holders = Holders(_held(seen, _is_own), _held(seen, partial(_is_brought, analysis)))
    uses = uses_of(analysis, call, holders, script=names.is_script(analysis.home(call)))
    if any(occurrence.frame.host for occurrence in seen):
        uses.setdefault(Use.HOST, call)
    where = _argument(call, position, "map_location")
    # a failure that is caught is none to rely on: the program would go on without what it has saved
    guarded = Guards(analysis, analysis.home(call).source).have_asked(call)
    guarded = guarded or _is_tried_again(analysis, call, reached)
    own = written.is_own(call)
    return LibraryCall(call, reached, device, where, uses, guarded=guarded, own=own)


def _may_be_number(analysis: Analysis, device: DeviceName, seen: Occurrence) -> bool:
    """``device = args.gpu if args.gpu >= 0 else "cpu"``: ``map_location`` takes no number."""
    known = held(seen.names, device.text) if not device.typed else None
    found = as_device(known) if known is not None else None
    if found is None or found.number:
        return found is not None
    numbers = {n for file in analysis.owned for n in file.source.once(number_options)}
    return not numbers.isdisjoint(found.origins)


def _is_tried_again(analysis: Analysis, call: ast.Call, names: frozenset[str]) -> bool:
    """Below ``try:``, where what handles a ``RuntimeError`` loads as well, and says where to."""
    child: ast.AST = call
    while (above := analysis.parents.get(child)) is not None and not isinstance(above, FUNCTIONS):
        if isinstance(above, ast.Try) and child in above.body:
            handlers = (h for h in above.handlers if catches(h, _RAISED))
            handling = (n for handler in handlers for n in walk(handler))
            again = (n for n in handling if isinstance(n, ast.Call))
            if any(_says_where(n) for n in again if names & analysis.seen.calls.get(n, set())):
                return True
        child = above
    return False


def _says_where(call: ast.Call) -> bool:
    return any(keyword.arg == "map_location" for keyword in call.keywords)


def _named_where_asked(analysis: Analysis, call: ast.Call) -> bool:
    """``backend = torch.cuda`` below a condition, ``wait = torch.cuda.synchronize if cuda else …``:
    what is called by such a name needs no other.
    """
    root = call.func
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name):
        return False
    assigned = analysis.home(call).source.once(_Assigned)
    named = next(filter(None, (assigned.to(root.id, s) for s in _scopes(analysis, call))), ())
    meant = [n for value in named for n in walk(value) if _is_cuda(n)]
    return bool(meant) and all(asks(analysis, n) for n in meant)


def _scopes(analysis: Analysis, call: ast.expr) -> Iterator[ast.AST]:
    """The functions around ``call``, the nearest first, then its file."""
    around = analysis.parents.get(call)
    while around is not None:
        if isinstance(around, (*FUNCTIONS, ast.Module)):
            yield around
        around = analysis.parents.get(around)


class _Assigned:
    """What names are assigned, by the function or the file that this stands in."""

    def __init__(self, source: Source) -> None:
        self._known: dict[ast.AST, dict[str, list[ast.expr]]] = {}

    def to(self, name: str, scope: ast.AST) -> Sequence[ast.expr]:
        """What ``name`` is assigned anywhere in ``scope``."""
        if scope not in self._known:
            self._known[scope] = _assignments(scope)
        return self._known[scope].get(name, ())


def _assignments(scope: ast.AST) -> dict[str, list[ast.expr]]:
    found: dict[str, list[ast.expr]] = {}
    for node in walk(scope):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(node.value)
    return found


def _is_cuda(tree: ast.AST) -> bool:
    """``torch.cuda``, alone or with something of it."""
    return isinstance(tree, ast.Attribute) and tree.attr == "cuda"


def _held(seen: list[Occurrence], is_meant: Callable[[Instance], bool]) -> frozenset[str]:
    """The names of such objects, wherever the call is evaluated."""
    held = [
        frozenset(n for n, v in o.names.items() if isinstance(v, Instance) and is_meant(v))
        for o in seen
    ]
    return frozenset.intersection(*held)


def _is_own(value: Instance) -> bool:
    """No code but the program's reads its attributes, as a layer of torch reads its ``weight``."""
    return not any(record.layer for record in value.records)


def _is_brought(analysis: Analysis, value: Instance) -> bool:
    """Another module, which the program itself has brought to the accelerator."""
    return not _is_own(value) and all(
        record.module and analysis.graph.is_made_on_target({record.root.node})
        for record in value.records
    )


def _is_published(analysis: Analysis, call: ast.Call, seen: list[Occurrence]) -> bool:
    """Weights that torchvision publishes are tensors of the host: it loads them plainly."""
    url = call.args[0] if call.args else None
    if isinstance(url, ast.Name):
        url = _once(analysis, url)
    if isinstance(url, ast.Constant):
        return str(url.value).startswith(PUBLISHED)
    if not (isinstance(url, ast.Subscript) and isinstance(url.value, ast.Name)):
        return False
    held = [occurrence.names.get(url.value.id) for occurrence in seen]
    return all(isinstance(h, Mapping) and _are_urls(h) for h in held)


def _once(analysis: Analysis, name: ast.Name) -> ast.expr:
    """What the only statement that binds a name binds it to."""
    assigned = analysis.home(name).source.once(_Assigned)
    scopes = (assigned.to(name.id, scope) for scope in _scopes(analysis, name))
    values = next(filter(None, scopes), ())
    return values[0] if len(values) == 1 else name


def _are_urls(value: Mapping) -> bool:
    urls = [url for record in value.records for url in record.items.values()]
    known = not any(record.element for record in value.records)
    return known and all(isinstance(u, Const) and str(u.value).startswith(PUBLISHED) for u in urls)


def _argument(call: ast.Call, position: int, name: str) -> ast.expr | None:
    """What is given at ``position`` or as ``name``."""
    given = next((k.value for k in call.keywords if k.arg == name), None)
    return call.args[position] if given is None and position < len(call.args) else given
