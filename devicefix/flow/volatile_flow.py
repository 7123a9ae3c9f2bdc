"""What has to stand below ``torch.no_grad()`` in one function, and whether anybody can tell."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from devicefix.flow.gradients_off import switched_off
from devicefix.flow.ir import Kind
from devicefix.flow.legacy_facts import Belief
from devicefix.flow.queries.reaching import alternatives
from devicefix.flow.scopes import FUNCTIONS, block_of
from devicefix.flow.volatile_slice import Slice
from devicefix.flow.volatile_values import Values
from devicefix.source.walking import walk

if TYPE_CHECKING:
    from devicefix.flow.analysis import Analysis
    from devicefix.flow.volatile_calls import Volatile


class Flow:
    """What happens to volatile values in ``scope``, where ``flag`` is true.

    ``below``: statements that are to stand below ``torch.no_grad()``.
    """

    def __init__(
        self,
        analysis: Analysis,
        beliefs: Mapping[ast.AST, Belief],
        scope: ast.AST,
        seeds: Sequence[Volatile],
        flag: ast.expr,
        below: frozenset[ast.stmt] = frozenset(),
    ) -> None:
        self._analysis = analysis
        self._scope = scope
        self._below = below
        self._slice = Slice(analysis, scope, flag, below)
        self._values = Values(analysis, beliefs, {seed.call: seed for seed in seeds}, self._slice)
        self.blocked = ""
        """Why it is not known which statements compute with such a value."""
        self.asked = ""
        """Why what they compute may need its gradient."""
        self.computing: dict[ast.stmt, None] = {}
        self.returned: list[ast.expr] = []
        self.returned_raw = False
        """One of them is a volatile value itself, and no result of a module."""
        self.inside: dict[ast.AST, list[ast.Name]] = {}
        """Functions of the module that read a volatile value of it, and where they do."""

    def follow(self) -> Flow:
        """Find what holds such a value, and look at all statements."""
        if isinstance(self._scope, (ast.Lambda, ast.ClassDef)):
            self.blocked = "it is not a statement in a function"
            return self
        for seed in self._values.seeds.values():
            if seed.places and not is_unpacked(self._analysis.parents.get(seed.call)):
                self._block("only a part of it is volatile", seed.call)
        statements = self._statements()
        bound = [(s, pair) for s in statements for pair in self._bound(s)]
        for _, (target, _) in bound:
            if target in self._values.seeds and isinstance(target, ast.Attribute):
                self._slice.mark(target)
        mutations = [
            (holder, value, statement in self._below)
            for statement, (target, value) in bound
            if (holder := self._own_object(target)) is not None
        ]
        self._slice.solve(self._values, mutations)
        for statement in statements:
            self._look_at(statement)
        self._functions()
        return self

    def returned_places(self) -> frozenset[int]:
        """Which items of the tuple that the function returns are volatile; empty: all of it."""
        if not all(isinstance(value, ast.Tuple) for value in self.returned):
            return frozenset()
        places: set[int] = set()
        for value in self.returned:
            assert isinstance(value, ast.Tuple)
            own = {i for i, item in enumerate(value.elts) if self._values.escapes(item)}
            if len(own) == len(value.elts):
                return frozenset()
            places |= own
        return frozenset(places)

    # -- statements --------------------------------------------------------------------------------

    def _statements(self) -> list[ast.stmt]:
        """Those that run where the flag is true, in the order of the text."""
        starts, live = self._slice.body.starts, self._slice.live
        found = [s for s, points in starts.items() if any(n in live for n, _ in points)]
        return sorted(found, key=lambda s: (s.lineno, s.col_offset))

    def _look_at(self, statement: ast.stmt) -> None:
        if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            return
        parts = [e for child in ast.iter_child_nodes(statement) for e in _expressions(child)]
        for part in parts:
            if why := self._values.asks(statement, part):
                self._ask(why, part)
        self._compute(statement, parts)
        for target, value in self._bound(statement):
            kept = not isinstance(target, ast.Name) or target.id not in self._slice.body.names
            if kept and target not in self._values.seeds and self._own_object(target) is None:
                self._keep(target, value, statement in self._below)
        match statement:
            case ast.Return(value=ast.expr() as value):
                if self._values.is_given(value, loses=statement in self._below):
                    self.returned.append(value)
                    self.returned_raw |= self._values.is_raw(value)
            case ast.Expr(value=ast.Yield() | ast.YieldFrom()):
                self._block("a generator is suspended and resumed", statement)

    def _compute(self, statement: ast.stmt, parts: Sequence[ast.expr]) -> None:
        given = [g for part in parts for g in self._values.meeting(part)]
        if given and (hasattr(statement, "body") or isinstance(statement, ast.Match)):
            self._block("the header of a statement uses it", statement)
        elif not all(map(self._values.is_sure, given)):
            self._block("it is volatile on some paths only", statement)
        elif given:
            self.computing[statement] = None

    def _bound(self, statement: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
        """Targets with what they get; of ``outputs.append(y)`` it is ``outputs``' items."""
        match statement:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield from _pairs(target, value)
            case ast.AugAssign(target=target, value=value):
                yield from _pairs(target, value)
            case ast.For(target=target, iter=value):
                yield from _pairs(target, value)
            case ast.Expr():
                found = self._values.collected(statement)
                for value in found[1] if found is not None else ():
                    holder = found[0] if found is not None else value
                    item = ast.Subscript(holder, ast.Constant(None), ast.Store())
                    yield ast.copy_location(item, holder), value

    def _own_object(self, target: ast.expr) -> ast.Name | None:
        """``outputs`` of ``outputs[i] = y``, where the function has made that."""
        holder = target.value if isinstance(target, ast.Subscript) else None
        if not isinstance(holder, ast.Name):
            return None
        loads = [op for op in self._slice.body.of(holder) if op.kind is Kind.LOAD]
        made = [one for op in loads for bound in op.operands for one in alternatives(bound)]
        return holder if any(one.kind is Kind.STORE for one in made) else None

    def _keep(self, target: ast.expr, value: ast.expr, loses: bool) -> None:
        if self._values.is_raw(value):
            self._block("it is stored, and what is computed with it later is unknown", target)
        elif self._values.is_given(value, loses=loses):
            self._ask("a value computed from it is stored", target)

    def _functions(self) -> None:
        """Functions inside this one run whenever they are called."""
        ever = {op.name for op in self._slice.tainted}
        for node in walk(self._scope):
            if not isinstance(node, (*FUNCTIONS, ast.Lambda)) or node is self._scope:
                continue
            names = [n for n in walk(node) if isinstance(n, ast.Name)]
            own = {n.id for n in names if isinstance(n.ctx, ast.Store)}
            own |= {a.arg for a in walk(node) if isinstance(a, ast.arg)}
            reads = [n for n in names if n.id in ever - own]
            if not reads:
                continue
            if not all(self._is_set_before(node, name) for name in {n.id for n in reads}):
                self._block("a function inside this one uses it", node)
            self.inside[node] = reads

    def _is_set_before(self, function: ast.AST, name: str) -> bool:
        """Whether a name of the module is a volatile value from before ``function`` is defined on:
        whenever that is called, it reads the value as it is."""
        parents, body = self._analysis.parents, self._slice.body
        named = self._analysis.home(function).source.of_type(ast.Global)
        if parents.get(function) is not self._scope or any(name in g.names for g in named):
            return False
        stores = [op for op in body.ops if op.kind is Kind.STORE and op.name == name]
        last = max(stores, key=lambda op: getattr(op.node, "lineno", 0))
        before = all(self._runs_before(op.node, function) for op in stores)
        return before and last in self._slice.raw - self._slice.doubtful

    def _runs_before(self, tree: ast.AST | None, function: ast.AST) -> bool:
        """Whether ``tree`` is in a statement of the module's own, above ``function``."""
        parents, above = self._analysis.parents, tree
        while above is not None and not isinstance(above, ast.stmt):
            above = parents.get(above)
        defined = getattr(function, "lineno", 0)
        return above is not None and parents.get(above) is self._scope and above.lineno < defined

    def _block(self, why: str, tree: ast.AST) -> None:
        self.blocked = self.blocked or f"line {getattr(tree, 'lineno', 0)}: {why}"

    def _ask(self, why: str, tree: ast.AST) -> None:
        self.asked = self.asked or f"line {getattr(tree, 'lineno', 0)}: {why}"

    # -- what has to stand below `torch.no_grad()` -------------------------------------------------

    def is_without(self) -> bool:
        """Whether all of it stands below ``torch.no_grad()`` already."""
        return all(switched_off(self._analysis, call) for call in self._values.seeds)

    def runs(self, *, together: bool) -> Iterator[tuple[ast.stmt, ...]]:
        """The statements that compute, by block; ``together``: with what stands between them."""
        blocks: dict[int, list[ast.stmt]] = {}
        of: dict[int, list[int]] = {}
        for statement in self.computing:
            if switched_off(self._analysis, statement):
                continue
            block = block_of(self._analysis.parents.get(statement), statement)
            blocks[id(block)] = block
            of.setdefault(id(block), []).append(block.index(statement))
        for key, places in of.items():
            block = blocks[key]
            run = [places[0]]
            for place in places[1:]:
                between = block[run[-1] + 1 : place]
                if not between or (together and all(map(self._is_harmless, between))):
                    run = [*run, *range(run[-1] + 1, place + 1)]
                else:
                    yield tuple(block[i] for i in run)
                    run = [place]
            yield tuple(block[i] for i in run)

    def _is_harmless(self, statement: ast.stmt) -> bool:
        """Whether a statement between two others may stand below ``torch.no_grad()``, too."""
        calls = [n for n in walk(statement) if isinstance(n, ast.Call)]
        simple = isinstance(statement, (ast.Assign, ast.AugAssign, ast.Expr))
        return simple and all(self._values.is_quiet(c) for c in calls)


def is_unpacked(above: ast.AST | None) -> bool:
    """``data, target = batch()``."""
    single = isinstance(above, ast.Assign) and len(above.targets) == 1
    target = above.targets[0] if isinstance(above, ast.Assign) and single else None
    plain = isinstance(target, ast.Tuple)
    return plain and not any(isinstance(n, ast.Starred) for n in walk(target or ast.Pass()))


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """``a, b = x, y``: each target with its own value; else with all of it."""
    if not isinstance(target, (ast.Tuple, ast.List)):
        yield target, value
        return
    values = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
    if len(values) != len(target.elts):
        values = [value] * len(target.elts)
    for one, part in zip(target.elts, values, strict=True):
        yield from _pairs(one, part)


def _expressions(tree: ast.AST) -> list[ast.expr]:
    """The expressions of a part of a statement that is no statement."""
    if isinstance(tree, ast.expr):
        return [tree]
    if isinstance(tree, ast.withitem):
        return [tree.context_expr]
    return []
