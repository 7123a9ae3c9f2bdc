"""One local device for a function in which several places would ask the same question each."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator

from devicefix.flow.analysis import Analysis
from devicefix.flow.definitions import parameters
from devicefix.flow.facts import DeviceName
from devicefix.flow.gpu_choice import choices_in
from devicefix.flow.locals import of_function
from devicefix.flow.queries.access import Path, of_tree, parsed
from devicefix.flow.scopes import FUNCTIONS
from devicefix.source.walking import walk

_Function = ast.FunctionDef | ast.AsyncFunctionDef


class Shared:
    """The names that places get which are not alone in their function."""

    def __init__(self, analysis: Analysis, asked: Iterable[tuple[ast.AST, DeviceName | None]]):
        """``asked``: the places, with the names they have; none: a string that asks for itself."""
        self._analysis = analysis
        self._places: dict[tuple[_Function, str], set[ast.AST]] = defaultdict(set)
        self._own: dict[_Function, DeviceName] = {}
        self._kept: dict[_Function, DeviceName] = {}
        following = defaultdict[_Function, set[ast.AST]](set)
        for tree, device in asked:
            function = self._function(tree)
            if function is None:
                continue
            if device is None or device.text.startswith("next("):
                self._places[function, device.text if device else ""].add(tree)
            elif follows_own(device, function):
                following[function].add(tree)
            elif device.anchor is function and device.preamble.isidentifier():
                self._own[function] = device
            elif _is_kept(device):
                self._kept[function] = device
        self._joining = dict(self._beside(following))

    def _beside(
        self, following: dict[_Function, set[ast.AST]]
    ) -> Iterator[tuple[ast.AST, DeviceName]]:
        """Places that follow a tensor which their function made itself, where others share a name:
        they take it, too, for it is where the function has put the tensor."""
        for function, trees in following.items():
            shared = [
                t for (f, t), places in self._places.items() if f is function and len(places) > 1
            ]
            if len(shared) == 1 and shared[0] and function not in self._own:
                name = DeviceName(shared[0], follows=True)
                yield from ((tree, name) for tree in trees)
                self._places[function, shared[0]] |= trees

    def instead(self, tree: ast.AST, given: DeviceName | None) -> DeviceName | None:
        """The name at ``tree``; what it was where nothing else in the function is like it."""
        function, device = self._function(tree), self._joining.get(tree, given)
        text = device.text if device is not None else ""
        places = self._places.get((function, text), set()) if function is not None else set()
        if function is None or tree not in places:
            return given
        if device is None and (own := self._own.get(function) or self._kept.get(function)):
            return own
        if len(places) < 2 or function in self._own:
            return given
        anchor = self._anchor(function, text, places)
        new = of_function(function)
        if anchor is None or new is None:
            return given
        if device is None:
            return new
        return DeviceName(new.text, new.preamble, follows=True, anchor=anchor, value=text)

    def _anchor(
        self, function: _Function, text: str, places: Iterable[ast.AST]
    ) -> _Function | ast.stmt | None:
        """Behind what the question has the same answer as at the places: the top of the function,
        or a statement of its body."""
        source = self._analysis.home(function).source
        if choices_in(function, source):
            return None
        if not text:
            asks = not self._analysis.processes.why_not(function, source.path)
            return function if asks and not self._is_scripted(function) else None
        module = parsed(text.removeprefix("next(").removesuffix(".parameters()).device"))
        if module is None or self._moves(function, module):
            return None
        binds = [number for number, inner in enumerate(function.body) if _binds(inner, module)]
        if not binds:
            return function
        behind = (s for s in function.body[binds[-1] :] if not hasattr(s, "body"))
        if (found := next(behind, None)) is None:
            return None
        last = found.end_lineno or found.lineno
        return found if all(getattr(place, "lineno", 0) > last for place in places) else None

    def _is_scripted(self, tree: ast.AST | None) -> bool:
        while tree is not None and tree not in self._analysis.seen.scripted:
            tree = self._analysis.parents.get(tree)
        return tree is not None

    def _moves(self, function: _Function, module: Path) -> bool:
        """``self.to(…)``, in the function or in one that it calls: afterwards it is elsewhere."""
        run = functions_run(self._analysis, function) if len(module) > 1 else {function}
        calls = (c for tree in run for c in walk(tree) if isinstance(c, ast.Call))
        moving = [c.func for c in calls if c in self._analysis.seen.transfers]
        receivers = [of_tree(f.value) for f in moving if isinstance(f, ast.Attribute)]
        return any(path[-1:] == module[-1:] for path in receivers if path)

    def _function(self, tree: ast.AST) -> _Function | None:
        """The innermost function whose body holds ``tree``."""
        child, parent = tree, self._analysis.parents.get(tree)
        while parent is not None:
            if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return parent if child in parent.body else None
            if isinstance(parent, (ast.Lambda, ast.ClassDef)):
                return None
            child, parent = parent, self._analysis.parents.get(parent)
        return None


def _is_kept(device: DeviceName) -> bool:
    """``self.device``, which the object asks the machine for when it is made."""
    chosen = device.flag or device.index or device.value or device.passed or device.late
    return bool(device.preamble) and not device.preamble.isidentifier() and not chosen


def _binds(statement: ast.stmt, module: Path) -> bool:
    """Whether a statement, or what stands in it, binds a path, or what that begins with."""
    trees = (n for n in walk(statement) if isinstance(n, (ast.Attribute, ast.Name)))
    bound = (of_tree(n) for n in trees if not isinstance(n.ctx, ast.Load))
    return any(module[: len(path)] == path for path in bound if path)


def functions_run(analysis: Analysis, function: ast.AST) -> set[ast.AST]:
    """A function, those that it calls, and so on, as far as they were seen."""
    waiting, known = [function], {function}
    for tree in waiting:  # it grows meanwhile
        for call in walk(tree):
            callees = analysis.seen.callees.get(call, ())
            new = {callee for callee in callees if callee is not None} - known
            known |= new
            waiting += new
    return known


def follows_own(
    device: DeviceName | None, scope: ast.AST, put: Container[str] = frozenset()
) -> bool:
    """``x.device`` of a tensor that no caller has handed in, or that the function has ``put`` on
    the device itself."""
    path = parsed(device.text) if device is not None and device.follows else None
    own = path is not None and len(path) == 2 and path[1] == "device"
    given = path is not None and isinstance(scope, FUNCTIONS) and path[0] in parameters(scope)
    return own and not (given and path is not None and path[0] not in put)
