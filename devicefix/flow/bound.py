"""Whether what a new expression names is surely there where it is written.

Evaluation joins what the branches bind, and a function that nobody calls is evaluated when the
whole file is. A name that one branch binds, or the main block, or a line below the first call, may
be missing at run time; so may an attribute that some other method sets. What the code around the
place needs itself is there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct, field

from devicefix.flow.analysis import Analysis
from devicefix.flow.first_use import uses
from devicefix.flow.frame import Frame
from devicefix.flow.ir import Bodies, Body, Point
from devicefix.flow.observations import Occurrence
from devicefix.flow.origins import Origins
from devicefix.flow.partners import Partners
from devicefix.flow.proof import held
from devicefix.flow.queries.access import parsed
from devicefix.flow.queries.settled import Settled
from devicefix.flow.references import References
from devicefix.flow.scripts import bound_names
from devicefix.flow.values import Function, Instance, Mapping, ObjectRecord
from devicefix.source.walking import walk

_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_OWN_TIME: Final = (*_FUNCTIONS, ast.Lambda, ast.Module)
"""What runs at another time than what is around it. Comprehensions, bodies of classes, and calls
that stand for the workers of a loader, do not."""
_DEFINITIONS: Final = (*_FUNCTIONS, ast.ClassDef)


class Bindings(Struct, frozen=True):
    """What is bound where; answers are kept: they do not depend on the cut."""

    analysis: Analysis
    references: References
    partners: Partners
    origins: Origins
    new_names: dict[ast.AST, str] = field(default_factory=dict)
    """What a new parameter of a function may be called; see ``passing``."""
    weights: dict[ObjectRecord, bool] = field(default_factory=dict)
    """Whether modules have parameters; see ``proof``."""
    _answers: dict[tuple[str, ast.AST, int, ast.AST], bool] = field(default_factory=dict)
    _needed: dict[tuple[str, ast.AST, ast.AST], bool] = field(default_factory=dict)
    _there: dict[tuple[str, int], tuple[Occurrence, bool]] = field(default_factory=dict)
    _emptied: dict[ast.AST, frozenset[str]] = field(default_factory=dict)
    _filled: dict[tuple[str, ast.AST, ast.AST], bool] = field(default_factory=dict)
    _paths: dict[str, Settled | None] = field(default_factory=dict)
    """What is known of each path in all bodies."""
    _assumed: set[tuple[str, ast.AST]] = field(default_factory=set)
    """Functions that are taken not to bind a path while that is found out: they may call each
    other in a circle. What is found meanwhile holds no longer than that."""

    def has(self, text: str, seen: Occurrence) -> bool:
        """Whether ``text``, a name or what hangs on one, is there at this place."""
        key = (text, id(seen))  # kept, so nothing else has its number meanwhile
        if key not in self._there:
            self._there[key] = seen, self._has(text, seen)
        return self._there[key][1]

    def is_there_anyway(self, text: str, tree: ast.If, seen: Occurrence) -> bool:
        """Whether the program has ``text`` at ``tree`` whatever the condition says.

        It does, too, where it reads it afterwards in any case. ``seen`` is a place below ``tree``.
        """
        name = text.partition(".")[0]
        scope = _scope(name, seen)
        if scope is None:
            return False
        if scope.tree is seen.frame.tree:
            bound = self._is_filled(scope.tree, tree, name)
        else:
            bound = self._is_bound(name, scope, seen.frame, tree)
        return bound and all(
            self._sets_somewhere(holder, attribute, seen, tree)
            for holder, attribute in _attributes(text)
        )

    def _is_filled(self, scope: ast.AST, place: ast.AST, name: str) -> bool:
        """Whether a name of ``scope`` is bound at ``place``, and not to None."""
        given = name in _parameters(scope)
        if name not in self._emptied_in(scope):
            return given or self._needs(scope, place, name)
        key = (name, scope, place)
        if key not in self._filled:
            settled = Settled((name,), filled=True)
            self._filled[key] = self._is_settled_at(settled, scope, place, given=given)
        return self._filled[key]

    def _emptied_in(self, scope: ast.AST) -> frozenset[str]:
        """The names that are somewhere bound to None."""
        if scope not in self._emptied:
            self._emptied[scope] = frozenset(
                target.id
                for node in walk(scope)
                if isinstance(node, ast.Assign) and _is_none(node.value)
                for target in node.targets
                if isinstance(target, ast.Name)
            )
        return self._emptied[scope]

    def _sets_somewhere(
        self, holder: str, attribute: str, seen: Occurrence, place: ast.AST
    ) -> bool:
        """Whether an object has the attribute, or some method sets it without asking anything."""
        value, path = held(seen.names, holder), f"{holder}.{attribute}"
        if not isinstance(value, Instance):
            return True
        function = seen.frame.function
        if function is not None and self._needs(function, place, path):
            return True
        return all(self._is_set_by_any(record, attribute) for record in value.records)

    def _is_set_by_any(self, record: ObjectRecord, attribute: str) -> bool:
        methods = [
            found.tree
            for cls in (record.cls.ancestry() if record.cls is not None else ())
            for found in cls.attributes.values()
            if isinstance(found, Function) and isinstance(found.tree, _FUNCTIONS)
        ]
        setting = [tree for tree in methods if _may_set(tree, attribute)]
        return not setting or any(
            self._at_end(tree, f"{next(iter(_parameters(tree)), '')}.{attribute}")
            for tree in setting
        )

    def _has(self, text: str, seen: Occurrence) -> bool:
        path = text.removeprefix("next(").partition(".parameters()")[0].removesuffix("()")
        name = path.partition(".")[0].partition("[")[0]
        scope = _scope(name, seen)
        if scope is None or seen.place is None:
            return True
        if not self._is_bound(name, scope, seen.frame, seen.place):
            return False
        holder, bracket, _ = path.partition("[")
        if bracket and not self._has_item(holder, path, seen, seen.place):
            return False
        if not all(self._has_attribute(*step, seen, seen.place) for step in _attributes(holder)):
            return False
        asked = [outer for outer, _ in _attributes(path)]
        asked += [path] if path != text else []
        return all(self._is_something(outer, seen, seen.place) for outer in asked)

    def _is_something(self, path: str, seen: Occurrence, place: ast.AST) -> bool:
        """Whether an attribute that is asked for its device is more than None by now.

        For one that is None somewhere the function itself has to tell: it has set it, or does what
        needs it.
        """
        value = held(seen.names, path) if "." in path else None
        if value is None or not value.beside.none:
            return True
        function, steps = seen.frame.function, parsed(path)
        if function is None or steps is None:
            return False
        key = (path, function, place)
        if key not in self._filled:
            settled, (body, points) = Settled(steps, filled=True), self._moments(function, place)
            self._filled[key] = bool(points) and all(settled.needed(body, p) for p in points)
        return self._filled[key]

    # -- names ---------------------------------------------------------------------------------

    def _is_bound(self, name: str, scope: Frame, frame: Frame, place: ast.AST) -> bool:
        """Whether ``name`` of ``scope`` has a value whenever ``place`` is reached in ``frame``."""
        while not isinstance(frame.tree, _OWN_TIME) and frame.tree is not scope.tree:
            assert frame.parent is not None
            place, frame = frame.tree, frame.parent
        key = (name, scope.tree, frame.context, place)
        if key not in self._answers:
            self._answers[key] = True  # calls in a circle: the first of them decides
            self._answers[key] = self._is_settled(name, scope, frame, place)
        return self._answers[key]

    def _is_settled(self, name: str, scope: Frame, frame: Frame, place: ast.AST) -> bool:
        tree = frame.tree
        if tree is scope.tree:
            return not hasattr(tree, "body") or self._before(tree, place, name)
        if isinstance(tree, ast.Module):
            return self._at_end(scope.tree, name)
        if self._needs(tree, place, name):
            return True
        if isinstance(scope.tree, ast.Module) and not self._survives_import(
            name, scope, tree, place
        ):
            return False
        entries = frame.seen.entries.get(frame.context)
        if not entries:
            return self._before_first_use(name, scope, tree)
        return all(
            self._is_bound(name, scope, seen.frame, call) for (_, call), seen in entries.items()
        )

    def _needs(self, tree: ast.AST, place: ast.AST, name: str) -> bool:
        """Whether the function uses it anyway."""
        if isinstance(tree, ast.Lambda):
            return False
        key = (name, tree, place)
        if key not in self._needed:
            settled, (body, points) = self._settled(name), self._moments(tree, place)
            needed = settled is not None and all(settled.needed(body, p) for p in points)
            self._needed[key] = needed and bool(points)
        return self._needed[key]

    def _survives_import(self, name: str, scope: Frame, tree: ast.AST, place: ast.AST) -> bool:
        """It is there for those who import the file, or the function is for the main block only."""
        if self._at_end(scope.tree, name):
            return True
        own = {n for n in (scope.env or {}) if n.isidentifier()}
        used = {n.id for n in walk(tree) if isinstance(n, ast.Name)} - {name}
        read = (used & own) - bound_names(tree)
        missing = (other for other in read if not self._at_end(scope.tree, other))
        return any(self._needs(tree, place, other) for other in missing)

    def _before_first_use(self, name: str, scope: Frame, tree: ast.AST) -> bool:
        """A function that nobody calls may run once the scope has named it, or what holds it."""
        bodies = self.analysis.home(tree).source.once(Bodies)
        body, settled = bodies.of(scope.tree), self._settled(name)
        definition = self._definition(scope.tree, tree)
        points = uses(bodies, body, definition, self.analysis.seen.decorators)
        if not points:
            return self._at_end(scope.tree, name)
        given = name in _parameters(scope.tree)
        return settled is not None and all(
            settled.before(body, point, given=given) for point in points
        )

    def _definition(self, scope: ast.AST, tree: ast.AST) -> ast.AST:
        """The statement or lambda of ``scope`` that holds ``tree``."""
        found = tree
        for node in self._around(tree):
            if node is scope:
                break
            if isinstance(node, (*_DEFINITIONS, ast.Lambda)):
                found = node
        return found

    def _before(self, scope: ast.AST, place: ast.AST, name: str) -> bool:
        if isinstance(scope, ast.Lambda):
            return True
        settled, given = self._settled(name), name in _parameters(scope)
        return settled is not None and self._is_settled_at(settled, scope, place, given=given)

    def _at_end(self, scope: ast.AST, name: str) -> bool:
        return self._before(scope, scope, name)

    def _settled(self, path: str) -> Settled | None:
        if self._assumed:
            return self._unsolved(path)
        if path not in self._paths:
            self._paths[path] = self._unsolved(path)
        return self._paths[path]

    def _unsolved(self, path: str) -> Settled | None:
        steps = parsed(path)
        return Settled(steps, lambda call: self._called(call, path)) if steps else None

    def _is_settled_at(
        self, settled: Settled, scope: ast.AST, place: ast.AST, *, given: bool
    ) -> bool:
        """Whether it has a value whenever the place is reached; the scope stands for its end."""
        body, points = self._moments(scope, place)
        if not points:
            return settled.at_return(body, given=given)
        return all(settled.before(body, point, given=given) for point in points)

    def _moments(self, scope: ast.AST, place: ast.AST) -> tuple[Body, Sequence[Point]]:
        """When a scope comes to a place, or makes the function that holds it."""
        body = self.analysis.home(scope).source.once(Bodies).of(scope)
        held: ast.AST | None = place
        while held is not None and held is not scope:
            points = body.points(held)
            if points:
                return body, points
            held = self.analysis.parents.get(held)
        return body, ()

    def _called(self, call: ast.Call, name: str) -> bool:
        """Whether a call of the program's own function binds a global, or an attribute."""
        callees = self.analysis.seen.callees.get(call, set())
        return bool(callees) and all(self._sets(callee, call, name) for callee in callees)

    def _sets(self, callee: ast.AST | None, call: ast.Call, name: str) -> bool:
        if not isinstance(callee, _FUNCTIONS):
            return False
        holder, _, attribute = name.rpartition(".")
        if holder:
            own = next(iter(_parameters(callee)), "")
            if not isinstance(call.func, ast.Attribute) or not own:
                return False
            if ast.unparse(call.func.value) not in (holder, "super()"):
                return False
            name = f"{own}.{attribute}"
        elif not any(isinstance(n, ast.Global) and name in n.names for n in callee.body):
            return False
        key = (name, callee, -1, callee)
        if key not in self._answers:
            self._answers[key] = False
            self._assumed.add((name, callee))
            self._answers[key] = self._before(callee, callee, name)
            self._assumed.remove((name, callee))
        return self._answers[key]

    def _around(self, place: ast.AST) -> list[ast.AST]:
        """The place and all that holds it, from the inside."""
        found = [place]
        while (above := self.analysis.parents.get(found[-1])) is not None:
            found.append(above)
        return found

    # -- attributes ----------------------------------------------------------------------------

    def _has_attribute(self, holder: str, attribute: str, seen: Occurrence, place: ast.AST) -> bool:
        """Whether every object that ``holder`` may be has the attribute by now."""
        value, path = held(seen.names, holder), f"{holder}.{attribute}"
        if not isinstance(value, Instance):
            return True
        function = seen.frame.function
        if function is not None and self._needs(function, place, path):
            return True
        if function is None and self._bound_before(seen.frame, place, path):
            return True
        if any(self.analysis.is_renamed(record, attribute) for record in value.records):
            return False
        since = self.analysis.since
        if any(since.get((record, attribute), 0) > seen.time for record in value.records):
            return False
        made = all(self._is_made_with(record, attribute) for record in value.records)
        set_by_then = not seen.frame.root_context and all(
            self._is_set_by_any(record, attribute) for record in value.records
        )
        return made or set_by_then

    def _bound_before(self, frame: Frame, place: ast.AST, path: str) -> bool:
        """Outside of functions, on the way to the place; an expression binds nothing itself."""
        while isinstance(frame.tree, ast.expr) and not isinstance(frame.tree, ast.Lambda):
            assert frame.parent is not None
            place, frame = frame.tree, frame.parent
        return self._before(frame.tree, place, path)

    def _has_item(self, holder: str, path: str, seen: Occurrence, place: ast.AST) -> bool:
        """The same for ``config["device"]``."""
        value, function = held(seen.names, holder), seen.frame.function
        if not isinstance(value, Mapping):
            return True
        if function is not None and self._needs(function, place, path):
            return True
        key = ast.literal_eval(path.removeprefix(f"{holder}[").removesuffix("]"))
        since = [self.analysis.since.get((record, key), 0) for record in value.records]
        return all(not at or (at <= seen.time and not seen.frame.root_context) for at in since)

    def _is_made_with(self, record: ObjectRecord, attribute: str) -> bool:
        """The class has it, or its constructor sets it on every path."""
        if record.cls is None or record.namespace or attribute not in record.attributes:
            return True
        if record.cls.lookup(attribute) is not None:
            return True
        for cls in record.cls.ancestry():
            init = cls.attributes.get("__init__")
            if isinstance(init, Function) and isinstance(init.tree, _FUNCTIONS):
                own = next(iter(_parameters(init.tree)), "")
                if self._at_end(init.tree, f"{own}.{attribute}"):
                    return True
        return not any("__init__" in cls.attributes for cls in record.cls.ancestry())


def _scope(name: str, seen: Occurrence) -> Frame | None:
    """The frame whose name it is; None where that is not known."""
    frame: Frame | None = seen.frame
    visible = []
    while frame is not None:
        if frame is seen.frame or not isinstance(frame.tree, ast.ClassDef):
            visible.append(frame)
        frame = frame.parent
    for frame, names in zip(visible, seen.scopes, strict=True):
        if name in names:
            return frame.elsewhere.get(name, frame)
    return None


def _attributes(path: str) -> Iterator[tuple[str, str]]:
    """What ``a.b.c`` asks: ``a`` for ``b``, and ``a.b`` for ``c``."""
    parts = path.split(".")
    for number, part in enumerate(parts[1:], 1):
        yield ".".join(parts[:number]), part


def _may_set(tree: ast.AST, attribute: str) -> bool:
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == attribute
        and isinstance(node.ctx, ast.Store)
        for node in walk(tree)
    )


def _is_none(tree: ast.expr) -> bool:
    return isinstance(tree, ast.Constant) and tree.value is None


def _parameters(function: ast.AST) -> list[str]:
    if not isinstance(function, _FUNCTIONS):
        return []
    spec = function.args
    more = [a for a in (spec.vararg, spec.kwarg) if a is not None]
    return [a.arg for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *more)]
