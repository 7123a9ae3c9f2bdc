"""The definitions and reads of a function that may hold a volatile value: a forward slice."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from devicefix.flow.ir import Bodies, Kind, Op
from devicefix.flow.ir.names import names_of
from devicefix.flow.queries.liveness import reads_after
from devicefix.source.walking import walk

if TYPE_CHECKING:
    from devicefix.flow.analysis import Analysis
    from devicefix.flow.volatile_values import Values


class _Given(NamedTuple):
    """What a definition gives its name."""

    value: ast.expr
    part: int | None = None
    """One item of it."""
    before: Op | None = None
    """``x += y``: what the name was before is still in it."""


class Slice:
    """The definitions and reads of one body that may hold a volatile value.

    ``flag``: only the ways count on which it is true. What ``below`` binds has no gradient any
    more, so it is as good as volatile.
    """

    def __init__(
        self, analysis: Analysis, scope: ast.AST, flag: ast.expr, below: frozenset[ast.stmt]
    ) -> None:
        self.body = analysis.home(scope).source.once(Bodies).of(scope)
        self._parents = analysis.parents
        self._ends = frozenset(op for name in _ended(analysis, scope) for op in self.body.of(name))
        self._ended = frozenset(op.name for op in self._ends)
        self._below = below
        self._dead = self._contradicted(flag)
        self.live = self._reached()
        self.tainted: set[Op] = set()
        """Definitions and reads that hold such a value on some way."""
        self.doubtful: set[Op] = set()
        """Those of them that hold something else on another way."""
        self.raw: set[Op] = set()
        """Those that hold a volatile value as it is, and no result of a module."""

    # -- what `Values` asks ------------------------------------------------------------------------

    def holds(self, name: ast.Name) -> bool:
        """Whether a name holds such a value where it is read, on some way."""
        ops = self.body.of(name)
        return any(self._is_read(self.tainted, op) for op in ops) if ops else self._is_inside(name)

    def surely_holds(self, name: ast.Name) -> bool:
        """Whether it does on all ways to there."""
        if not self.body.of(name):
            return self._is_inside(name) and name.id not in {op.name for op in self.doubtful}
        reads = [op for op in self.body.of(name) if self._is_read(self.tainted, op)]
        return bool(reads) and not any(self._is_in(self.doubtful, op) for op in reads)

    def is_raw(self, name: ast.Name) -> bool:
        """Whether it may be a volatile value as it is."""
        return any(self._is_read(self.raw, op) for op in self.body.of(name))

    def _is_inside(self, name: ast.Name) -> bool:
        """Whether the generator expression or lambda around a name uses such a value: these have
        bodies of their own."""
        nested, tree = None, self._parents.get(name)
        while tree is not None and not isinstance(tree, ast.stmt):
            nested = tree if isinstance(tree, (ast.GeneratorExp, ast.Lambda)) else nested
            tree = self._parents.get(tree)
        if nested is None:
            return False
        first = nested.generators[0].iter if isinstance(nested, ast.GeneratorExp) else None
        names = {n.id for n in walk(first) if isinstance(n, ast.Name)} if first else set()
        names |= names_of(nested).free
        return any(op.name in names for op in self.tainted)

    def _is_read(self, found: set[Op], op: Op) -> bool:
        """Whether a read is in it; where a name stops being volatile, each is there by itself."""
        return op in found if op.name in self._ended else self._is_in(found, op)

    @staticmethod
    def _is_in(found: set[Op], op: Op) -> bool:
        bound = op.operands[0] if op.kind is Kind.LOAD and op.operands else None
        return op in found or bound in found

    # -- ways --------------------------------------------------------------------------------------

    def _contradicted(self, flag: ast.expr) -> set[tuple[int, int]]:
        """The edges that are not taken where ``flag`` is true, if nothing binds it anew."""
        asked, wanted = _positive(flag)
        if not isinstance(asked, ast.Name):
            return set()
        stores = (op for op in self.body.ops if op.kind in (Kind.STORE, Kind.STORE_OUTER))
        if any(op.name == asked.id for op in stores):
            return set()
        return {
            (block.number, block.successors[1 if wanted else 0])
            for block in self.body.blocks
            if block.ops
            and block.ops[-1].kind is Kind.BRANCH
            and block.ops[-1].operands[0].kind in (Kind.LOAD, Kind.OUTER)
            and block.ops[-1].operands[0].name == asked.id
        }

    def _reached(self) -> frozenset[int]:
        found, queue = {0}, [0]
        while queue:
            number = queue.pop()
            for successor in self.body.blocks[number].successors:
                if successor not in found and (number, successor) not in self._dead:
                    found.add(successor)
                    queue.append(successor)
        return frozenset(found)

    # -- fixpoint ----------------------------------------------------------------------------------

    def solve(self, values: Values, mutations: Sequence[tuple[ast.Name, ast.expr, bool]]) -> None:
        """Find all of it: what may hold such a value grows, then what surely does shrinks.

        ``mutations`` are names whose objects get a value at a moment, with whether that makes
        anything of it: ``outputs.append(y)``.
        """
        ops = [op for n in sorted(self.live) for op in self.body.blocks[n].ops]
        named = [op for op in ops if op.name and op.kind in (Kind.STORE, Kind.PHI)]
        size = -1
        while size < (size := len(self.tainted) + len(self.raw)):
            for op in named:
                self._taint(op, values)
            for holder, value, loses in mutations:
                if values.is_given(value, loses=loses):
                    self._mutated(holder, raw=False)
        doubted = True
        while doubted:
            held = [op for op in named if op in self.tainted - self.doubtful]
            doubted = bool([op for op in held if self._is_doubted(op, values)])

    def mark(self, target: ast.Attribute) -> None:
        """``x.volatile = True``."""
        for name in (n for n in walk(target) if isinstance(n, ast.Name)):
            self._mutated(name, raw=True)

    def _mutated(self, holder: ast.Name, *, raw: bool) -> None:
        for op in self.body.of(holder):
            behind = self._reads_after(op)
            self.tainted.update(behind)
            self.raw.update(behind if raw else ())

    def _reads_after(self, op: Op) -> tuple[Op, ...]:
        return reads_after(self.body, op.name, (op.block, op.at + 1), self._ends)

    def _taint(self, op: Op, values: Values) -> None:
        if op.kind is Kind.PHI:
            ways = self._ways(op)
            self.tainted.update([op] if not self.tainted.isdisjoint(ways) else [])
            self.raw.update([op] if not self.raw.isdisjoint(ways) else [])
            return
        given = _given(op)
        if given is None or (given.part is not None and values.lacks(given.value, given.part)):
            return
        kept = given.before is not None and self._is_in(self.tainted, given.before)
        if kept or values.is_given(given.value, loses=self._loses(op)):
            held = (op, *(self._reads_after(op) if op.name in self._ended else ()))
            self.tainted.update(held)
            self.raw.update(held if values.is_raw(given.value) else [])

    def _is_doubted(self, op: Op, values: Values) -> bool:
        """Whether a definition turns out to hold such a value on some ways only."""
        given = _given(op) if op.kind is Kind.STORE else None
        if op.kind is Kind.PHI:
            sure = all(w in self.tainted and w not in self.doubtful for w in self._ways(op))
        elif given is None or self._loses(op):
            sure = True
        else:
            kept = given.before is not None and not self._is_in(self.doubtful, given.before)
            sure = kept or values.is_sure(given.value) or not values.is_tainted(given.value)
        if not sure:
            self.doubtful.add(op)
        return not sure

    def _ways(self, phi: Op) -> list[Op]:
        """What a phi may be on the ways that count, where it is anything."""
        above = zip(self.body.blocks[phi.block].predecessors, phi.operands, strict=True)
        taken = [op for n, op in above if n in self.live and (n, phi.block) not in self._dead]
        return [op for op in taken if op.kind not in (Kind.UNBOUND, Kind.DELETE)]

    def _loses(self, op: Op) -> bool:
        tree: ast.AST | None = op.node
        while tree is not None and not isinstance(tree, ast.stmt):
            tree = self._parents.get(tree)
        return tree in self._below and not isinstance(tree, (ast.For, ast.AsyncFor))


def _ended(analysis: Analysis, scope: ast.AST) -> Iterator[ast.Name]:
    """``x`` of ``x.volatile = False``, from where on it is a leaf as any other: that counts in a
    program that the torch of today has never run."""
    source = analysis.home(scope).source
    if source.path not in analysis.program.revived or "volatile" not in source.attributes:
        return
    for node in source.of_type(ast.Assign):
        match node:
            case ast.Assign(
                targets=[ast.Attribute(attr="volatile", value=ast.Name() as name)],
                value=ast.Constant(value=False),
            ):
                yield name


def _given(store: Op) -> _Given | None:
    """What is assigned, as it is written; None for functions, imports and exceptions."""
    op, part = store.operands[0], None
    while op.kind is Kind.UNPACK:
        part, op = int(op.name), op.operands[0]
        if op.kind is Kind.UNPACK:
            part = None
    if op.kind in (Kind.NEXT, Kind.ENTER):
        return _given_by(op.operands[0], None)
    if isinstance(op.node, ast.AugAssign) and op.kind is Kind.COMPUTE:
        return _Given(op.node.value, before=op.operands[0])
    return _given_by(op, part)


def _given_by(op: Op, part: int | None) -> _Given | None:
    return _Given(op.node, part) if isinstance(op.node, ast.expr) else None


def _positive(tree: ast.expr) -> tuple[ast.expr, bool]:
    """``not x`` -> ``x``, False."""
    wanted = True
    while isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not):
        tree, wanted = tree.operand, not wanted
    return tree, wanted
