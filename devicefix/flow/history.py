"""By which way a value came to a place: followed backwards through the text, file by file.

The graph says which nodes a value has, not through which names and calls it went. Here the names,
attributes and calls are followed, each in its own context, as long as the nodes fit.
"""

from __future__ import annotations

import ast
import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from devicefix.flow.analysis import Analysis
from devicefix.flow.graph import TARGET_NODE
from devicefix.flow.joins import parts_in
from devicefix.flow.trace import FullTrace, Noted
from devicefix.flow.values import (
    Array,
    Dataset,
    Device,
    File,
    Instance,
    Loader,
    Opaque,
    Optimizer,
    Tensor,
    Value,
)
from devicefix.source.walking import walk

MAX_STEPS = 24
"""Steps that are told; who reads more has lost the thread."""

_MOVED = "moved here"
_GIVES_BACK = (ast.Return, ast.Yield, ast.YieldFrom, ast.Lambda)
_MADE = frozenset(("new", "host", "object", "buffer"))
_COMPUTED = frozenset(("op", "layer", "index", "inplace", "setitem"))


def nodes_in(value: Value) -> frozenset[int]:
    """The nodes of all that lives somewhere in ``value``."""
    found: set[int] = set()
    for part in parts_in(value):
        match part:
            case Tensor(nodes=nodes) | Optimizer(nodes=nodes) | Device(nodes=nodes):
                found |= nodes
            case Instance():
                found |= {record.node for record in part.modules}
            case Opaque(parameter=parameter):
                found.add(parameter.node)
            case Loader(element=inner) | Dataset(element=inner):
                found |= nodes_in(inner)
            case Array(views=views):
                found |= views
    return frozenset(found)


class Step(Struct, frozen=True):
    """One place on the way of a value, and what happens to it there."""

    tree: ast.AST
    what: str
    node: int | None = None
    """Where it lives from here on, if something decides that here."""
    module: int | None = None
    """The node of the module that is created here, which lives where it is moved in the end."""
    moves: bool = False
    """Whether it is brought there."""


class _At(NamedTuple):
    """An expression in a context, and the part of its value that is followed."""

    context: int
    tree: ast.AST
    nodes: frozenset[int]
    value: Value | None
    """The value itself, where it has no nodes: an array, a device."""


_Before = tuple[Step | None, _At | None]
_END: _Before = (None, None)


class History:
    """Goes from an expression back to where its value was made."""

    def __init__(self, analysis: Analysis, trace: FullTrace) -> None:
        self._analysis = analysis
        self._trace = trace
        self._sources: Mapping[int, frozenset[int]] = {
            node: frozenset(s for s in analysis.graph.sources(node) if s > TARGET_NODE)
            for node in range(len(analysis.graph))
        }
        self._callees: dict[tuple[int, ast.AST], list[int]] = defaultdict(list)
        for context, calls in analysis.seen.entries.items():
            for call in calls:
                self._callees[call].append(context)
        self._results: dict[int, dict[ast.AST, Noted]] = defaultdict(dict)
        for tree, contexts in trace.noted.items():
            if isinstance(analysis.parents.get(tree), _GIVES_BACK):
                for context, noted in contexts.items():
                    self._results[context][tree] = noted

    def steps(
        self, context: int, tree: ast.AST, value: Value, node: int | None
    ) -> tuple[Step, ...]:
        """The way of ``value``, or of one of its nodes, to ``tree``; its beginning first."""
        found: list[Step] = []
        at: _At | None = _at(context, tree, value, frozenset(() if node is None else (node,)))
        seen: set[tuple[int, ast.AST]] = set()
        while at is not None and (at.context, at.tree) not in seen and len(found) < MAX_STEPS:
            seen.add((at.context, at.tree))
            step, at = self._before(at)
            if step is not None:
                found.append(step)
        return self._with_moves(found[::-1])

    def _with_moves(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        """``steps`` of a module, and those that move it: it stays the same object, so none of them
        need be on the way."""
        made = steps[0].module if steps else None
        if made is None:
            return tuple(steps)
        born, moved = steps[0].tree, self._with_owners(made)
        told = {step.tree for step in steps}
        moves = [
            Step(call, _MOVED, made, moves=True)
            for call, times in self._analysis.seen.transfers.items()
            if call not in told and any(moved & _modules(receiver) for receiver, *_ in times)
        ]
        at_once = [move for move in moves if born in walk(move.tree)]
        later = [move for move in moves if move not in at_once]
        behind = sum(1 for _ in itertools.takewhile(lambda s: _line(s.tree) == _line(born), steps))
        return (steps[0], *at_once, *steps[1:behind], *later, *steps[behind:])

    def _with_owners(self, module: int) -> frozenset[int]:
        """The node of a module, and those of the modules that it is a part of."""
        waiting, found = [module], {module}
        while waiting:
            keys = {node: self._analysis.graph.key(node) for node in self._sources[waiting.pop()]}
            new = {n for n, key in keys.items() if isinstance(key, tuple) and key[0] == "object"}
            waiting += new - found
            found |= new
        return frozenset(found)

    # -- one step ------------------------------------------------------------------------------

    def _before(self, at: _At) -> _Before:
        born = self._birth(at)
        if born is not None:
            return born
        match at.tree:
            case ast.arg():
                return self._argument(at, at.tree)
            case ast.Name(ctx=ast.Load()):
                return self._binding(at, at.tree)
            case ast.Name() | ast.Starred():
                return self._bound(at)
            case ast.Attribute():
                return self._stored(at, at.tree) or self._inside(at)
            case ast.Call():
                return self._returned(at, at.tree) or self._inside(at)
            case _:
                return self._inside(at)

    def _birth(self, at: _At) -> _Before | None:
        """The step that ends the way, or changes where the value lives, if it is made here."""
        if (seen := self._seen_here(at)) is not None:
            return Step(at.tree, "seen here in a run", seen), None
        if isinstance(at.value, Instance) and any(r.tree is at.tree for r in at.value.records):
            return Step(at.tree, "created here"), None
        for node in sorted(at.nodes):
            key = self._analysis.graph.key(node)
            if not isinstance(key, tuple) or not isinstance(at.tree, ast.expr):
                continue
            name, made_at = key[0], getattr(key[1], "tree", None) or key[-1]
            if name in ("new", "host", "to", *_COMPUTED):
                made_at = key[2]
            if made_at is not at.tree:
                continue
            if name in _MADE:
                return self._created(at.tree, node, name), None
            operand = self._operand(at, at.tree)
            if name == "to":
                if operand is None:
                    return Step(at.tree, "created here", node), None
                return Step(at.tree, _MOVED, node, moves=True), operand
            if name in _COMPUTED:
                return Step(at.tree, "computed here"), operand
        return None

    def _seen_here(self, at: _At) -> int | None:
        """The node of a value of which only a run knows what it is, if that has seen it here."""
        sightings = self._analysis.sightings
        nodes = [*at.nodes, *(n for node in at.nodes for n in self._sources.get(node, ()))]
        used = sightings.used if sightings is not None else {}
        return next((node for node in sorted(nodes) if used.get(node) is at.tree), None)

    def _created(self, tree: ast.expr, node: int, name: str) -> Step:
        if name == "object":  # its node says where it is in the end, not where it is created
            return Step(tree, "created here", module=node)
        return Step(tree, self._birthplace(node), node)

    def _birthplace(self, node: int) -> str:
        return "batches come from here" if node in self._analysis.batches else "created here"

    def _operand(self, at: _At, tree: ast.expr) -> _At | None:
        """What a transfer or an operation at ``tree`` gets, where that is one thing."""
        called = tree.func if isinstance(tree, ast.Call) else None
        receiver = called.value if isinstance(called, ast.Attribute) else None
        for source in (called, receiver):  # a module computes where its parameters are
            found = self._noted(at, source) if source is not None else None
            nodes = nodes_in(found.value) if found is not None else None
            if source is not None and found is not None and nodes:
                return _at(at.context, source, found.value, nodes)
        fits = list(self._related(at, ast.iter_child_nodes(tree)))
        return fits[0] if len({fit.nodes for fit in fits}) == 1 else None

    def _argument(self, at: _At, tree: ast.arg) -> _Before:
        """What the call that leads to this context passes for a parameter."""
        function = self._analysis.parents.get(self._analysis.parents.get(tree, tree))
        name = getattr(function, "name", "a lambda")
        for caller, call in self._analysis.seen.entries.get(at.context, {}):
            given = list(self._related(at._replace(context=caller), _arguments(call)))
            if given and call in self._analysis.parents:
                step = Step(call, f"passed as `{tree.arg}` to `{name}`")
                return step, given[0]
        return Step(tree, f"the parameter `{tree.arg}` of `{name}`"), None

    def _binding(self, at: _At, tree: ast.Name) -> _Before:
        """The statement that last bound a name, before the place where it is read."""
        noted = self._noted(at, tree)
        frame = noted.frame if noted is not None else None
        while frame is not None:
            bound = self._trace.bound.get((frame.context, frame.tree, tree.id), {})
            targets = {target: value for target, value in bound.items() if target is not tree}
            if targets:
                fits = {t: v for t, v in targets.items() if self._fits(at, v)} or targets
                target = _last(fits, tree)
                return None, self._part(at, frame.context, target, fits[target])
            frame = frame.parent
        return self._imported(at, tree, tree.id)

    def _imported(self, at: _At, tree: ast.expr, name: str) -> _Before:
        """A name of another file: bound at the top of one of them, under the same name or not."""
        tops = ((k, v) for k, v in self._trace.bound.items() if isinstance(k[1], ast.Module))
        for (context, _, _), targets in sorted(tops, key=lambda item: item[0][2] != name):
            for target, value in targets.items():
                if self._fits(at, value):
                    step = Step(tree, f"imported as `{name}`")
                    return step, self._part(at, context, target, value)
        return _END

    def _bound(self, at: _At) -> _Before:
        """From a target to what is assigned, iterated or entered there."""
        tree, parents = at.tree, self._analysis.parents
        statement = parents.get(tree)
        while isinstance(statement, (ast.Tuple, ast.List, ast.Starred)):
            statement = parents.get(statement)
        name = ast.unparse(tree)
        match statement:
            case ast.AugAssign() if isinstance(tree, ast.Name):
                return Step(tree, "changed here"), self._binding(at, tree)[1]
            case ast.Assign() | ast.AugAssign() | ast.NamedExpr():
                source, what = statement.value, f"assigned to `{name}`"
            case ast.For() | ast.AsyncFor() | ast.comprehension():
                source, what = statement.iter, f"`{name}` of each iteration"
            case ast.withitem():
                source, what = statement.context_expr, f"entered as `{name}`"
            case _:
                return _END
        if source is None:
            return _END
        noted = self._noted(at, source)
        before = next(self._related(at, [source]), None)
        if before is None and noted is not None:
            before = _at(at.context, source, noted.value, nodes_in(noted.value))
        return Step(tree, what), before

    def _stored(self, at: _At, tree: ast.Attribute) -> _Before | None:
        """Where an attribute of an object was set."""
        if isinstance(tree.ctx, ast.Store):
            return self._bound(at)
        holder = self._noted(at, tree.value)
        if holder is None:
            return None
        if isinstance(holder.value, File):
            return self._imported(at, tree, tree.attr)
        for (context, target), value in self._trace.stored.get(tree.attr, {}).items():
            owner = self._trace.noted.get(target.value, {}).get(context)
            if owner is None or not _share(owner.value, holder.value):
                continue
            travels = any(self._travels(node, tree.attr) for node in at.nodes)
            if travels or self._fits(at, value):
                return None, self._part(at, context, target, value)
        return None

    def _travels(self, node: int, attribute: str) -> bool:
        """Parameters and what could be buffers have a node of their own inside their module."""
        key = self._analysis.graph.key(node)
        if not isinstance(key, tuple):
            return False
        return key[0] == "object" or (key[0] == "buffer" and bool(key[-1] == attribute))

    def _returned(self, at: _At, tree: ast.Call) -> _Before | None:
        """From a call of a function of the program to what it returns there."""
        for context in self._callees.get((at.context, tree), ()):
            for result, noted in self._results.get(context, {}).items():
                if self._fits(at, noted.value):
                    name = getattr(noted.frame.function, "name", "a lambda")
                    step = Step(result, f"returned by `{name}`")
                    return step, self._part(at, context, result, noted.value)
        return None

    def _inside(self, at: _At) -> _Before:
        """From an expression to the part of it that has the value."""
        call = isinstance(at.tree, ast.Call)
        parts = _arguments(at.tree) if call else ast.iter_child_nodes(at.tree)
        before = next(self._related(at, parts), None)
        return (Step(at.tree, "comes from here") if call and before is None else None), before

    # -- what belongs together -----------------------------------------------------------------

    def _noted(self, at: _At, tree: ast.AST) -> Noted | None:
        return self._trace.noted.get(tree, {}).get(at.context)

    def _related(self, at: _At, trees: Iterable[ast.AST]) -> Iterator[_At]:
        """Those of ``trees`` whose values have these nodes, or nodes that flow into them."""
        for tree in trees:
            noted = self._noted(at, tree)
            if noted is not None and self._fits(at, noted.value):
                yield self._part(at, at.context, tree, noted.value)

    def _fits(self, at: _At, value: Value) -> bool:
        """Whether ``value`` is what is followed, or flows into it."""
        return bool(self._narrowed(at.nodes, value)) if at.nodes else value == at.value

    def _part(self, at: _At, context: int, tree: ast.AST, value: Value) -> _At:
        return _at(context, tree, value, self._narrowed(at.nodes, value) or nodes_in(value))

    def _narrowed(self, nodes: frozenset[int], value: Value) -> frozenset[int]:
        """Those nodes of ``value`` that are ``nodes``, or else those that flow into them."""
        own = nodes_in(value)
        return own & nodes or own & nodes.union(*(self._sources.get(n, ()) for n in nodes))


def _modules(value: Value) -> frozenset[int]:
    """The nodes of the modules that ``value`` may be."""
    return frozenset(r.node for r in value.modules) if isinstance(value, Instance) else frozenset()


def _line(tree: ast.AST) -> int:
    return getattr(tree, "lineno", 0)


def _at(context: int, tree: ast.AST, value: Value, nodes: frozenset[int]) -> _At:
    return _At(context, tree, nodes, None if nodes else value)


def _arguments(call: ast.AST) -> Iterator[ast.AST]:
    """The arguments of a call, and the object whose method it calls."""
    if isinstance(call, ast.Call):
        yield from call.args
        yield from (keyword.value for keyword in call.keywords)
        yield call.func.value if isinstance(call.func, ast.Attribute) else call.func


def _last(targets: Iterable[ast.AST], before: ast.Name) -> ast.AST:
    """The last of ``targets`` above ``before``; where all are below (a loop), the last of all."""
    place = (before.lineno, before.col_offset)
    ordered = sorted(targets, key=_position)
    above = [target for target in ordered if _position(target) < place]
    return (above or ordered)[-1]


def _position(tree: ast.AST) -> tuple[int, int]:
    return getattr(tree, "lineno", 0), getattr(tree, "col_offset", 0)


def _share(one: Value, other: Value) -> bool:
    """Whether both may be the same object."""
    if isinstance(one, Instance) and isinstance(other, Instance):
        return not one.records.isdisjoint(other.records)
    return one == other
