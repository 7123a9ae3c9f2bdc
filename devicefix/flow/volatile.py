"""Where a program of before torch 0.4 computes without gradients: ``Variable(x, volatile=True)``.

In those days all that was computed of a volatile variable was volatile, too. Today what matters is
where such a value meets something that learns: a module, or code that may hold one. These
statements have to stand below ``torch.no_grad()``; what they give has no gradient, and neither has
what torch's own functions make of it. Where a function returns such a value, those that call it
compute with it, if all of its calls are seen.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from devicefix.flow.facts import Belief, Sort, Ungraded, Wrapping
from devicefix.flow.scopes import FUNCTIONS, block_of
from devicefix.flow.volatile_calls import UncertainError, Volatile, volatile_calls
from devicefix.torch_api import World, method, world

if TYPE_CHECKING:
    from devicefix.flow.analysis import Analysis

_SCOPES = (*FUNCTIONS, ast.Lambda, ast.ClassDef, ast.Module)
_DEPTH = 4
"""Functions of the program that are looked through."""
_LEAVES = frozenset(
    {"data", "detach", "dim", "dtype", "is_cuda", "item", "ndim", "numpy", "shape", "size"}
)
_WITHOUT = frozenset({"torch.no_grad", "torch.inference_mode"})
_GRADIENTS = frozenset({"backward", "step"})


class _Decision(NamedTuple):
    """The volatile values of one function that are so under one condition."""

    scope: ast.AST
    flag: str


def ungraded(
    analysis: Analysis, beliefs: Mapping[ast.AST, Belief], found: Sequence[Wrapping]
) -> tuple[Ungraded, ...]:
    """What is computed of volatile values in a file, one decision each."""
    decisions: dict[_Decision, list[Wrapping]] = {}
    for wrapping in found:
        if wrapping.volatile is not None:
            scope = _scope(analysis, wrapping.call)
            key = _Decision(scope, ast.unparse(wrapping.volatile))
            decisions.setdefault(key, []).append(wrapping)
    return tuple(
        _decided(analysis, beliefs, key.scope, tuple(wrappings))
        for key, wrappings in decisions.items()
    )


def _decided(
    analysis: Analysis,
    beliefs: Mapping[ast.AST, Belief],
    scope: ast.AST,
    wrappings: tuple[Wrapping, ...],
) -> Ungraded:
    flag = wrappings[0].volatile
    assert flag is not None
    taint = _Taint(analysis, beliefs, scope, [Volatile(w.call) for w in wrappings])
    found = replace(taint.decided(flag), wrappings=wrappings)
    if found.blocked or not taint.returned:
        return found
    try:
        callers = _callers(analysis, beliefs, scope, flag, taint)
    except UncertainError as error:
        line = taint.returned[0].lineno
        why = f"line {line}: it is returned: whoever computes with it decides ({error})"
        return replace(found, runs=(), blocked=why)
    return replace(found, callers=callers)


def _callers(
    analysis: Analysis,
    beliefs: Mapping[ast.AST, Belief],
    scope: ast.AST,
    flag: ast.expr,
    taint: _Taint,
) -> tuple[Ungraded, ...]:
    """What the functions compute that get such a value of ``scope``; raises ``UncertainError``."""
    places = taint.returned_places()
    inside: dict[ast.AST, list[Volatile]] = {}
    for call in volatile_calls(analysis, scope, flag):
        inside.setdefault(_scope(analysis, call), []).append(Volatile(call, places))
    callers = []
    for caller, calls in inside.items():
        further = _Taint(analysis, beliefs, caller, calls)
        found = further.decided(ast.copy_location(ast.Constant(True), calls[0].call))
        if further.returned or found.blocked:
            raise UncertainError(found.blocked or "it is returned again")
        callers.append(found)
    return tuple(callers)


def _scope(analysis: Analysis, tree: ast.AST) -> ast.AST:
    found: ast.AST | None = analysis.parents.get(tree)
    while found is not None and not isinstance(found, _SCOPES):
        found = analysis.parents.get(found)
    return found or tree


class _Taint:
    """Follows volatile values through one function by the names that they get."""

    def __init__(
        self,
        analysis: Analysis,
        beliefs: Mapping[ast.AST, Belief],
        scope: ast.AST,
        seeds: Sequence[Volatile],
    ) -> None:
        self._analysis = analysis
        self._beliefs = beliefs
        self._scope = scope
        self._seeds: dict[ast.AST, Volatile] = {seed.call: seed for seed in seeds}
        self.returned: list[ast.expr] = []
        self._names: set[str] = set()
        """Those that may hold such a value, at the statement that is looked at."""
        self._ever: set[str] = set()
        self._bound: set[str] = set()
        """Those that hold anything."""
        self._doubtful: set[str] = set()
        """Those that hold such a value on some ways to here only."""
        self._computing: dict[ast.stmt, None] = {}
        self._blocked = ""

    def decided(self, flag: ast.expr) -> Ungraded:
        if isinstance(self._scope, (ast.Lambda, ast.ClassDef)):
            return Ungraded((), flag, blocked="it is no statement of a function")
        for seed in self._seeds.values():
            if seed.places and not _is_unpacked(self._analysis.parents.get(seed.call)):
                self._block("only a part of it is volatile", seed.call)
        self._block_of(getattr(self._scope, "body", []))
        if self._is_without() and not self.returned:
            return Ungraded((), flag)
        self._functions()
        runs = tuple(map(tuple, self._runs())) if not self._blocked else ()
        return Ungraded((), flag, runs, self._blocked)

    def returned_places(self) -> frozenset[int]:
        """Which items of the tuple that the function returns are volatile; empty: all of it."""
        if not all(isinstance(value, ast.Tuple) for value in self.returned):
            return frozenset()
        places: set[int] = set()
        for value in self.returned:
            assert isinstance(value, ast.Tuple)
            own = {i for i, item in enumerate(value.elts) if self._is_raw(item)}
            if len(own) == len(value.elts):
                return frozenset()
            places |= own
        return frozenset(places)

    # -- statements, in the order in which they run ------------------------------------------------

    def _block_of(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            self._statement(statement)

    def _inside(self, statement: ast.stmt) -> None:
        """The blocks of a statement: what holds such a value behind any of them may hold one."""
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            self._block_of(statement.body)
        elif isinstance(statement, ast.If):
            entered, bound = set(self._names), set(self._bound)
            self._block_of(statement.body)
            (after_body, self._names), (bound_there, self._bound) = (
                (self._names, entered),
                (self._bound, bound),
            )
            self._block_of(statement.orelse)
            self._doubtful |= (after_body - self._names) & self._bound
            self._doubtful |= (self._names - after_body) & bound_there
            self._names |= after_body
            self._bound |= bound_there
        else:
            self._again_and_again(statement)

    def _again_and_again(self, statement: ast.stmt) -> None:
        """A loop; ``try`` and ``match``, whose blocks may begin wherever another one ends."""
        others = [*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]
        blocks = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
        before: set[str] | None = None
        while before != self._names:
            before = set(self._names)
            for block in (*blocks, *(other.body for other in others)):
                entered = set(self._names)
                self._bind(statement)
                bound = set(self._bound)
                self._block_of(block)
                self._doubtful |= (entered ^ self._names) & bound
                self._names |= entered

    def _statement(self, statement: ast.stmt) -> None:
        if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            return
        nested = [s for s in ast.iter_child_nodes(statement) if isinstance(s, ast.stmt)]
        handlers = [h for h in ast.iter_child_nodes(statement) if hasattr(h, "body")]
        headed = bool(nested or handlers)
        parts = [e for child in ast.iter_child_nodes(statement) for e in _expressions(child)]
        hidden = self._names & self._hidden(parts)
        self._names -= hidden
        computes = any(map(self._computes, parts))
        if computes and headed:
            self._block("the head of a statement computes with it", statement)
        elif computes and not all(self._is_sure(g) for p in parts for g in self._meeting(p)):
            self._block("it is volatile only on some ways to here", statement)
        elif computes:
            self._computing[statement] = None
        if headed:
            self._names |= hidden
            self._inside(statement)
        else:
            self._bind(statement)
            self._names |= hidden - _targets(statement)

    def _functions(self) -> None:
        """Functions inside this one run whenever they are called."""
        for node in ast.walk(self._scope):
            if isinstance(node, (*FUNCTIONS, ast.Lambda)) and node is not self._scope:
                names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
                own = {n.id for n in names if isinstance(n.ctx, ast.Store)}
                own |= {a.arg for a in ast.walk(node) if isinstance(a, ast.arg)}
                if ({n.id for n in names} - own) & self._ever:
                    self._block("a function inside this one uses it", node)

    def _bind(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._assign(target, value)
            case ast.AugAssign(target=target, value=value):
                self._assign(target, value, adds=True)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(target, value)
            case ast.For(target=target, iter=value):
                self._assign(target, value)
            case ast.Return(value=ast.expr() as value):
                if self._is_raw(value):
                    self.returned.append(value)
            case ast.Expr(value=ast.Yield() | ast.YieldFrom()):
                self._block("a generator is left and entered again", statement)

    def _assign(self, target: ast.expr, value: ast.expr, adds: bool = False) -> None:
        """``adds``: what the target was before is still in it."""
        if isinstance(target, (ast.Tuple, ast.List)):
            parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
            if len(parts) != len(target.elts):
                parts = self._unpacked(value, len(target.elts))
            for one, part in zip(target.elts, parts, strict=True):
                self._assign(one, part, adds)
        elif isinstance(target, ast.Name):
            self._bound.add(target.id)
            doubtful = not (self._doubtful.isdisjoint(_names(value)) or self._is_sure(value))
            if self._is_tainted(value):
                self._names.add(target.id)
                self._ever.add(target.id)
            elif not adds:
                self._names.discard(target.id)
            if not (doubtful or adds):
                self._doubtful.discard(target.id)
            elif doubtful:
                self._doubtful.add(target.id)
        elif self._is_raw(value):
            self._block("it is kept: whoever computes with it decides", target)

    def _unpacked(self, value: ast.expr, count: int) -> list[ast.expr]:
        seed = self._seeds.get(value)
        places = seed.places if seed is not None else frozenset()
        nothing = ast.Constant(None)
        return [value if not places or i in places else nothing for i in range(count)]

    def _block(self, why: str, tree: ast.AST) -> None:
        self._blocked = self._blocked or f"line {getattr(tree, 'lineno', 0)}: {why}"

    def _hidden(self, parts: Sequence[ast.expr]) -> set[str]:
        """Names that mean something else inside: those of comprehensions over other things."""
        return {
            name.id
            for part in parts
            for node in ast.walk(part)
            if isinstance(node, ast.comprehension) and not self._is_tainted(node.iter)
            for name in ast.walk(node.target)
            if isinstance(name, ast.Name)
        }

    # -- expressions -------------------------------------------------------------------------------

    def _is_tainted(self, tree: ast.expr) -> bool:
        """Whether something of a volatile value is in what ``tree`` gives."""
        if tree in self._seeds:
            return True
        match tree:
            case ast.Name(id=name):
                return name in self._names
            case ast.Attribute(attr=attr, value=value):
                return attr not in _LEAVES and self._is_tainted(value)
            case ast.Call(func=ast.Attribute(attr=attr)) if attr in _LEAVES:
                return False
            case ast.Call(func=ast.Name(id="int" | "float" | "len" | "str" | "print")):
                return False
            case ast.Call() if self._is_variable(tree):
                return False
            case ast.Call(func=ast.Name(id="map"), args=[ast.Lambda() as each, *given]):
                return any(map(self._is_tainted, given)) and self._gives_tainted(each)
            case ast.Lambda():
                return False
        return any(map(self._is_tainted, _parts(tree)))

    def _gives_tainted(self, each: ast.Lambda) -> bool:
        """What a function makes of volatile values: numbers and arrays have nothing of them."""
        names = self._names
        self._names = names | {a.arg for a in ast.walk(each.args) if isinstance(a, ast.arg)}
        try:
            return self._is_tainted(each.body)
        finally:
            self._names = names

    def _is_raw(self, tree: ast.expr) -> bool:
        """Whether ``tree`` may be a volatile value itself, and no result of a module."""
        if isinstance(tree, ast.Call) and tree not in self._seeds and not self._is_quiet(tree):
            return False
        if isinstance(tree, ast.Name) and self._is_tainted(tree):
            return tree.id in self._raw_names()
        if not self._is_tainted(tree):
            return False
        return tree in self._seeds or any(map(self._is_raw, _parts(tree)))

    def _raw_names(self) -> set[str]:
        """The names that are bound to a volatile value as it is."""
        found: set[str] = set()
        for node in ast.walk(self._scope):
            if not isinstance(node, ast.Assign):
                continue
            for target in node.targets:
                values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
                names = target.elts if isinstance(target, ast.Tuple) else [target]
                if len(names) != len(values):
                    values = [node.value] * len(names)
                for name, value in zip(names, values, strict=True):
                    direct = any(n in self._seeds for n in ast.walk(value))
                    kept = not isinstance(value, ast.Call) or self._is_quiet(value)
                    if direct and isinstance(name, ast.Name) and (kept or value in self._seeds):
                        found.add(name.id)
        return found

    def _is_sure(self, tree: ast.expr) -> bool:
        """Whether something of a value that is volatile on all ways to here is in ``tree``."""
        names = self._names
        self._names = names - self._doubtful
        try:
            return self._is_tainted(tree)
        finally:
            self._names = names

    def _computes(self, tree: ast.expr) -> bool:
        """Whether a volatile value meets something that may learn."""
        return any(True for _ in self._meeting(tree))

    def _meeting(self, tree: ast.expr) -> Iterator[ast.expr]:
        """The calls in ``tree``, without what is called, where it does."""
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or node in self._seeds or self._is_quiet(node):
                continue
            given = [*node.args, *(k.value for k in node.keywords)]
            if any(self._is_tainted(g) for g in given):
                yield ast.Tuple(given)

    def _is_quiet(self, call: ast.Call, depth: int = 0) -> bool:
        """Whether the call surely has no parameters of its own that learn."""
        names = self._analysis.seen.calls.get(call)
        if names:
            return all(_is_quiet_name(name) for name in names)
        belief = self._beliefs.get(call.func, Belief())
        if belief.name or (belief.sort is Sort.MODULE and belief.stateless):
            return True
        func, reached = call.func, self._analysis.seen.reached.get(call)
        if reached and call not in self._analysis.seen.module_calls and depth < _DEPTH:
            calls = [n for tree, _ in reached for n in ast.walk(tree) if isinstance(n, ast.Call)]
            return all(self._is_quiet(inner, depth + 1) for inner in calls)
        if isinstance(func, ast.Name):
            return False
        known = isinstance(func, ast.Attribute) and (
            method(func.attr) is not None or func.attr in ("append", "extend", "update", "format")
        )
        return known and call not in self._analysis.seen.reached

    def _is_variable(self, call: ast.Call) -> bool:
        name = self._beliefs.get(call.func, Belief()).name
        return name == "torch.autograd.Variable" and call not in self._seeds

    # -- the scope ---------------------------------------------------------------------------------

    def _is_without(self) -> bool:
        """Whether all of it stands below ``torch.no_grad()`` already."""
        return all(self._stands_below(call) for call in self._seeds)

    def _stands_below(self, tree: ast.AST) -> bool:
        above = self._analysis.parents.get(tree)
        while above is not None:
            calls: list[ast.expr] = []
            if isinstance(above, ast.With):
                calls = [item.context_expr for item in above.items]
            elif isinstance(above, FUNCTIONS):
                calls = above.decorator_list
            seen = self._analysis.seen
            for call in calls:
                names = seen.calls.get(call, set()) if isinstance(call, ast.Call) else set()
                if names & _WITHOUT:
                    return True
            if isinstance(above, FUNCTIONS):
                return bool(seen.decorators.get(above, frozenset()) & _WITHOUT)
            above = self._analysis.parents.get(above)
        return False

    def _runs(self) -> Iterator[list[ast.stmt]]:
        """The statements that compute, those of a block together with what stands between them."""
        blocks: dict[int, list[ast.stmt]] = {}
        of: dict[int, list[int]] = {}
        for statement in self._computing:
            if self._stands_below(statement):
                continue
            block = block_of(self._analysis.parents.get(statement), statement)
            blocks[id(block)] = block
            of.setdefault(id(block), []).append(block.index(statement))
        for key, places in of.items():
            block = blocks[key]
            run = [places[0]]
            for place in places[1:]:
                if all(self._is_harmless(s) for s in block[run[-1] + 1 : place]):
                    run = [*run, *range(run[-1] + 1, place + 1)]
                else:
                    yield [block[i] for i in run]
                    run = [place]
            yield [block[i] for i in run]

    def _is_harmless(self, statement: ast.stmt) -> bool:
        """Whether a statement between two others may stand below ``torch.no_grad()``, too."""
        calls = [n for n in ast.walk(statement) if isinstance(n, ast.Call)]
        learns = any(isinstance(c.func, ast.Attribute) and c.func.attr in _GRADIENTS for c in calls)
        simple = isinstance(statement, (ast.Assign, ast.AugAssign, ast.Expr))
        return simple and not learns and all(self._is_quiet(c) for c in calls)


def _is_unpacked(above: ast.AST | None) -> bool:
    """``data, target = batch()``."""
    single = isinstance(above, ast.Assign) and len(above.targets) == 1
    target = above.targets[0] if isinstance(above, ast.Assign) and single else None
    plain = isinstance(target, ast.Tuple)
    return plain and not any(isinstance(n, ast.Starred) for n in ast.walk(target or ast.Pass()))


def _targets(statement: ast.stmt) -> set[str]:
    """The names that an assignment binds."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}


def _names(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _is_quiet_name(name: str) -> bool:
    """A function of a library that has no parameters of its own."""
    torch = name.startswith("torch.") and not name.startswith(("torch.nn.Module", "torch.hub."))
    return torch or world(name) in (World.NUMPY, World.ANYWHERE)


def _parts(tree: ast.expr) -> list[ast.expr]:
    """The expressions right inside another one."""
    keywords: list[ast.keyword] = getattr(tree, "keywords", [])
    children = [e for e in ast.iter_child_nodes(tree) if isinstance(e, ast.expr)]
    return [*children, *(k.value for k in keywords)]


def _expressions(tree: ast.AST) -> list[ast.expr]:
    """The expressions of a part of a statement that is no statement."""
    if isinstance(tree, ast.expr):
        return [tree]
    if isinstance(tree, ast.withitem):
        return [tree.context_expr]
    return []
