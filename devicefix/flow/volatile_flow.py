"""Follows volatile values through one function, by the names that they get."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from devicefix.flow.facts import Belief
from devicefix.flow.scopes import FUNCTIONS, block_of
from devicefix.flow.volatile_values import Values

if TYPE_CHECKING:
    from devicefix.flow.analysis import Analysis
    from devicefix.flow.volatile_calls import Volatile

_WITHOUT = frozenset({"torch.no_grad", "torch.inference_mode"})


class Flow:
    """What happens to volatile values in ``scope``, where ``flag`` is true.

    ``below``: statements that are to stand below ``torch.no_grad()``. Nothing that they bind has a
    gradient any more, so all of it has to be as good as volatile.
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
        self._flag = flag
        self._below = below
        self._values = Values(analysis, beliefs, {seed.call: seed for seed in seeds})
        self.blocked = ""
        """Why it is not known which statements compute with such a value."""
        self.asked = ""
        """Why what they compute may need its gradient."""
        self.computing: dict[ast.stmt, None] = {}
        self.returned: list[ast.expr] = []
        self.returned_raw = False
        """One of them is a volatile value itself, and no result of a module."""
        self._ever: set[str] = set()
        self._bound: set[str] = set()
        """The names that hold anything."""
        self._doubtful: set[str] = set()
        """Those that hold such a value on some ways to here only."""
        nodes = list(ast.walk(scope))
        self._outer = {
            name for n in nodes if isinstance(n, (ast.Global, ast.Nonlocal)) for name in n.names
        }
        self._rebound = {
            n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
        }

    def follow(self) -> Flow:
        """Look at all statements, in the order in which they run."""
        if isinstance(self._scope, (ast.Lambda, ast.ClassDef)):
            self.blocked = "it is no statement of a function"
            return self
        for seed in self._values.seeds.values():
            if seed.places and not is_unpacked(self._analysis.parents.get(seed.call)):
                self._block("only a part of it is volatile", seed.call)
        self._block_of(getattr(self._scope, "body", []))
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

    def _block_of(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            self._statement(statement)

    def _inside(self, statement: ast.stmt) -> None:
        """The blocks of a statement: what holds such a value behind any of them may hold one."""
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            self._block_of(statement.body)
        elif isinstance(statement, ast.If):
            self._choice(statement)
        else:
            self._again_and_again(statement)

    def _choice(self, statement: ast.If) -> None:
        taken = self._answer(statement.test)
        if taken is not None:
            self._block_of(statement.body if taken else statement.orelse)
            return
        values = self._values
        entered, bound = set(values.names), set(self._bound)
        self._block_of(statement.body)
        (after_body, values.names), (bound_there, self._bound) = (
            (values.names, entered),
            (self._bound, bound),
        )
        self._block_of(statement.orelse)
        self._doubtful |= (after_body - values.names) & self._bound
        self._doubtful |= (values.names - after_body) & bound_there
        values.names |= after_body
        self._bound |= bound_there

    def _answer(self, test: ast.expr) -> bool | None:
        """What a condition gives where ``flag`` is true: ``volatile=not train``, ``if train:``."""
        flag, wanted = _positive(self._flag)
        asked, answer = _positive(test)
        if not (isinstance(flag, ast.Name) and isinstance(asked, ast.Name)):
            return None
        same = flag.id == asked.id and flag.id not in self._rebound
        return answer is wanted if same else None

    def _again_and_again(self, statement: ast.stmt) -> None:
        """A loop; ``try`` and ``match``, whose blocks may begin wherever another one ends."""
        others = [*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]
        blocks = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
        values, before = self._values, None
        while before != values.names:
            before = set(values.names)
            for block in (*blocks, *(other.body for other in others)):
                entered = set(values.names)
                self._bind(statement)
                bound = set(self._bound)
                self._block_of(block)
                self._doubtful |= (entered ^ values.names) & bound
                values.names |= entered

    def _statement(self, statement: ast.stmt) -> None:
        if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            return
        nested = [s for s in ast.iter_child_nodes(statement) if isinstance(s, ast.stmt)]
        handlers = [h for h in ast.iter_child_nodes(statement) if hasattr(h, "body")]
        headed = bool(nested or handlers)
        parts = [e for child in ast.iter_child_nodes(statement) for e in _expressions(child)]
        for part in parts:
            if why := self._values.asks(statement, part):
                self._ask(why, part)
        hidden = self._values.names & self._hidden(parts)
        self._values.names -= hidden
        self._compute(statement, parts, headed)
        if headed:
            self._values.names |= hidden
            self._inside(statement)
        else:
            self._bind(statement)
            self._values.names |= hidden - _targets(statement)

    def _compute(self, statement: ast.stmt, parts: Sequence[ast.expr], headed: bool) -> None:
        given = [g for part in parts for g in self._values.meeting(part)]
        if given and headed:
            self._block("the head of a statement computes with it", statement)
        elif not all(self._values.is_sure(g, self._doubtful) for g in given):
            self._block("it is volatile only on some ways to here", statement)
        elif given:
            self.computing[statement] = None

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
        loses = statement in self._below
        match statement:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._assign(target, value, loses=loses)
            case ast.AugAssign(target=target, value=value):
                self._assign(target, value, adds=True, loses=loses)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(target, value, loses=loses)
            case ast.For(target=target, iter=value):
                self._assign(target, value)
            case ast.Return(value=ast.expr() as value):
                if self._values.escapes(value) or (loses and not self._values.is_free(value)):
                    self.returned.append(value)
                    self.returned_raw |= self._values.is_raw(value)
            case ast.Expr(value=ast.Yield() | ast.YieldFrom()):
                self._block("a generator is left and entered again", statement)
            case ast.Expr():
                self._collect(statement)

    def _collect(self, statement: ast.Expr) -> None:
        found = self._values.collected(statement)
        if found is not None:
            for value in found[1]:
                self._store(found[0], value, loses=statement in self._below)

    def _assign(
        self, target: ast.expr, value: ast.expr, *, adds: bool = False, loses: bool = False
    ) -> None:
        """``adds``: what the target was before is still in it."""
        if isinstance(target, (ast.Tuple, ast.List)):
            values = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
            if len(values) != len(target.elts):
                values = self._unpacked(value, len(target.elts))
            for one, part in zip(target.elts, values, strict=True):
                self._assign(one, part, adds=adds, loses=loses)
        elif isinstance(target, ast.Name):
            self._name(target.id, value, adds, loses)
            if target.id in self._outer:
                self._keep(target, value, loses)
        elif isinstance(target, ast.Subscript):
            self._store(target.value, value, loses)
        elif target in self._values.seeds:  # `x.volatile = True`
            self._values.names |= _names(target)
            self._values.raw |= _names(target)
            self._ever |= _names(target)
        else:
            self._keep(target, value, loses)

    def _name(self, name: str, value: ast.expr, adds: bool, loses: bool) -> None:
        values = self._values
        self._bound.add(name)
        doubtful = not self._doubtful.isdisjoint(_names(value))
        doubtful = doubtful and not values.is_sure(value, self._doubtful)
        tainted = values.is_tainted(value)
        raw = values.is_raw(value)
        if (tainted and (raw or not values.is_free(value))) or (
            loses and not values.is_free(value)
        ):
            values.names.add(name)
            self._ever.add(name)
            if raw:
                values.raw.add(name)
        elif not adds:
            values.names.discard(name)
        if not (doubtful or adds):
            self._doubtful.discard(name)
        elif doubtful:
            self._doubtful.add(name)

    def _store(self, holder: ast.expr, value: ast.expr, loses: bool) -> None:
        """``outputs[i] = y``, ``outputs.append(y)``: the list is as good as ``y``."""
        local = isinstance(holder, ast.Name) and holder.id in self._bound - self._outer
        if not (local and isinstance(holder, ast.Name)):
            self._keep(holder, value, loses)
        elif self._values.escapes(value) or (loses and not self._values.is_free(value)):
            self._values.names.add(holder.id)
            self._ever.add(holder.id)

    def _keep(self, target: ast.expr, value: ast.expr, loses: bool) -> None:
        if self._values.is_raw(value):
            self._block("it is kept: whoever computes with it decides", target)
        elif self._values.escapes(value) or (loses and not self._values.is_free(value)):
            self._ask("what is computed of it is kept", target)

    def _unpacked(self, value: ast.expr, count: int) -> list[ast.expr]:
        seed = self._values.seeds.get(value)
        places = seed.places if seed is not None else frozenset()
        nothing = ast.Constant(None)
        return [
            nothing
            if (places and i not in places) or self._values.part_is_free(value, i)
            else value
            for i in range(count)
        ]

    def _block(self, why: str, tree: ast.AST) -> None:
        self.blocked = self.blocked or f"line {getattr(tree, 'lineno', 0)}: {why}"

    def _ask(self, why: str, tree: ast.AST) -> None:
        self.asked = self.asked or f"line {getattr(tree, 'lineno', 0)}: {why}"

    def _hidden(self, parts: Sequence[ast.expr]) -> set[str]:
        """Names that mean something else inside: those of comprehensions over other things."""
        return {
            name.id
            for part in parts
            for node in ast.walk(part)
            if isinstance(node, ast.comprehension) and not self._values.is_tainted(node.iter)
            for name in ast.walk(node.target)
            if isinstance(name, ast.Name)
        }

    # -- what has to stand below `torch.no_grad()` -------------------------------------------------

    def is_without(self) -> bool:
        """Whether all of it stands below ``torch.no_grad()`` already."""
        return all(self._stands_below(call) for call in self._values.seeds)

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

    def runs(self, *, together: bool) -> Iterator[tuple[ast.stmt, ...]]:
        """The statements that compute, by block; ``together``: with what stands between them."""
        blocks: dict[int, list[ast.stmt]] = {}
        of: dict[int, list[int]] = {}
        for statement in self.computing:
            if self._stands_below(statement):
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
        calls = [n for n in ast.walk(statement) if isinstance(n, ast.Call)]
        simple = isinstance(statement, (ast.Assign, ast.AugAssign, ast.Expr))
        return simple and all(self._values.is_quiet(c) for c in calls)


def _positive(tree: ast.expr) -> tuple[ast.expr, bool]:
    """``not x`` -> ``x``, False."""
    wanted = True
    while isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not):
        tree, wanted = tree.operand, not wanted
    return tree, wanted


def is_unpacked(above: ast.AST | None) -> bool:
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


def _expressions(tree: ast.AST) -> list[ast.expr]:
    """The expressions of a part of a statement that is no statement."""
    if isinstance(tree, ast.expr):
        return [tree]
    if isinstance(tree, ast.withitem):
        return [tree.context_expr]
    return []
