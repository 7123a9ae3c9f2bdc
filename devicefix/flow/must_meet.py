"""What is made to meet a tensor at hand belongs where that is, whatever else is unknown.

Where two operands of an operation are on different devices it raises. If, on every way on from
where something is made, such an operation combines it with what is computed of a tensor (a
must-analysis), or if nothing else uses it at all, then no run has the two apart: to make the one
where the other is changes no such run, in code that nobody calls and beside values that nobody has
seen.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from typing import Final

from msgspec.structs import replace

from devicefix.flow.analysis import Analysis
from devicefix.flow.annotations import says_tensor
from devicefix.flow.facts import DeviceName
from devicefix.flow.graph import Edge, Site, SiteKind
from devicefix.flow.ir import Bodies, Body, Kind, Op
from devicefix.flow.made_like import living_with, model_of
from devicefix.flow.observations import Occurrence
from devicefix.flow.operands import as_tensor
from devicefix.flow.partners import Partners
from devicefix.flow.queries.dataflow import Backward
from devicefix.flow.queries.reaching import definition
from devicefix.flow.queries.slicing import users
from devicefix.flow.shown import is_shown
from devicefix.flow.values import ALONE, Either, Opaque, Tensor, Unknown, Value, nodes_of

_MADE: Final = (SiteKind.CREATE, SiteKind.ORIGIN)
_CHOSEN: Final = frozenset({Kind.PHI, Kind.CLOSURE, Kind.SUSPEND})
"""The results of these need have nothing of one operand, or not now."""
_LIVING: Final = frozenset({"op", "layer", "bind", "rebind"})
"""The nodes of what lives where it comes from, as long as no transfer is written there."""
_Move = tuple[Value, Value, Occurrence]
"""What is moved, what that makes of it, and where."""
_NAMES: Final = frozenset({Kind.STORE, Kind.LOAD})


def is_home(analysis: Analysis, partners: Partners, call: ast.Call, moves: Iterable[_Move]) -> bool:
    """Whether a move is of what is made like a tensor that it then meets: it is there already."""
    made = [(seen, nodes_of(after)) for _, after, seen in moves]
    meetings = Meetings(analysis, partners, call, made)
    return meetings.are_certain(meetings.beside_model())


def must_meet(
    analysis: Analysis, partners: Partners, site: Site, edges: Iterable[Edge], device: DeviceName
) -> bool:
    """Whether what ``site`` makes meets, in all contexts, the tensor that ``device`` asks."""
    holder = device.text.removesuffix(".device")
    if site.kind not in _MADE or not device.follows:
        return False
    made: dict[int, set[int]] = {}
    for edge in edges:
        made.setdefault(edge.context, set()).add(edge.sink)
    seen = analysis.sites[site]
    if not made.keys() <= seen.keys():
        return False
    meetings = Meetings(analysis, partners, site.tree, [(seen[c], made[c]) for c in made])
    return meetings.are_certain(meetings.beside(holder))


class Meetings:
    """The operations that combine what an expression makes with what the names around it hold."""

    def __init__(
        self,
        analysis: Analysis,
        partners: Partners,
        tree: ast.AST,
        made: Sequence[tuple[Occurrence, Set[int]]],
    ) -> None:
        """``made``: the nodes of what ``tree`` makes, as each context sees the place."""
        self._analysis = analysis
        self._partners = partners
        self._made = made
        self._ambiguous = analysis.seen.ambiguous
        self._body = analysis.home(tree).source.once(Bodies).around(tree)
        ops = self._body.of(tree)
        self._start = ops[0] if len(ops) == 1 and not self._body.dynamic else None

    def beside(self, holder: str) -> Set[Op]:
        """Those with a local name that surely holds a tensor in all contexts; one of these has to
        show where that comes from, and so that the operation needs both in one place."""
        held = self._held(holder)
        if self._start is None or held is None:
            return frozenset()
        tied = set[Op]()
        for seen, made in self._made:
            found = seen.names.get(holder)
            if isinstance(found, Opaque) and not is_shown(found.parameter, seen):
                return frozenset()
            value = tensor_of(found)
            if not (_is_sure(value) or _is_annotated(seen, held, value)):
                return frozenset()
            if isinstance(value, Tensor):
                tied.update(self._tied(seen.context, made, value.nodes))
        return tied.intersection(self._combined(self._start, held))

    def beside_model(self) -> Set[Op]:
        """Those with the tensor that it is made like: ``x`` of ``torch.zeros_like(x).cuda()``."""
        model = model_of(self._analysis, self._start) if self._start is not None else None
        if self._start is None or model is None:
            return frozenset()
        ours = living_with(self._body, self._start)
        theirs = living_with(self._body, model)
        tied = [set(self._needed(seen.context, made)) for seen, made in self._made]
        found = tied[0].intersection(*tied) if tied else set()
        both = (op for op in found if not ours.isdisjoint(_operands(op)))
        return {op for op in both if not theirs.isdisjoint(_operands(op))}

    def _needed(self, context: int, made: Set[int]) -> Iterator[Op]:
        """The operations that need all that they get in the place of what is made."""
        graph = self._analysis.graph
        for node in self._living(context, made):
            for sink in self._partners.after(node):
                match graph.key(sink):
                    case ("op", int() as home, ast.AST() as tree, _) if home == context:
                        if graph.sources(sink).get(node, 0) > 0 and tree not in self._ambiguous:
                            yield from self._body.of(tree)

    def are_certain(self, meetings: Collection[Op]) -> bool:
        """Whether one of them is on every way on, or nothing but them uses what is made."""
        if self._start is None or not meetings:
            return False
        if self._are_only_uses(meetings):
            return True
        # what raises has no result that could be elsewhere
        met = Backward.of(
            self._body, lambda op: True if op in meetings or op.kind is Kind.RAISE else None
        )
        return met.after((self._start.block, self._start.at + 1))

    def _held(self, holder: str) -> Op | None:
        if self._start is None or holder not in self._body.names or holder in self._body.shared:
            return None
        return definition(self._body, holder, (self._start.block, self._start.at))

    def _are_only_uses(self, meetings: Collection[Op]) -> bool:
        following = users(self._body)
        queue = [self._start] if self._start is not None else []
        while queue:
            for user in following.get(queue.pop(), ()):
                named = user.kind in _NAMES and user.name not in self._body.shared
                if named or _is_with_constants(user):
                    queue.append(user)
                elif user not in meetings:
                    return False
        return True

    def _tied(self, context: int, made: Set[int], held: Set[int]) -> Iterator[Op]:
        """By places: the operations that need something of each in one place."""
        graph = self._analysis.graph
        ours, theirs = self._living(context, made), self._living(context, held)
        for node in ours & theirs:
            tied = {source for source, cost in graph.sources(node).items() if cost > 0}
            if tied & (ours - theirs) and tied & (theirs - ours):
                match graph.key(node):
                    case ("op", _, ast.AST() as tree, _) if tree not in self._ambiguous:
                        yield from self._body.of(tree)
        if self._partners.are_moved(frozenset(made)):
            yield from self._picked(context, ours - theirs, theirs - ours)

    def _picked(self, context: int, indices: Set[int], held: Set[int]) -> Iterator[Op]:
        """``x[index]``: what an index on an accelerator picks from has to be there, too."""
        for node in indices:
            for meeting in self._partners.after(node):
                match self._analysis.graph.key(meeting):
                    case ("index", int() as home, ast.AST() as tree, _) if home == context:
                        if tree not in self._ambiguous and held & self._partners.picked_from(
                            meeting
                        ):
                            yield from self._body.of(tree)

    def _living(self, context: int, nodes: Set[int]) -> Set[int]:
        """``nodes``, and what operations of the context compute of them where they are."""
        found, queue, graph = set(nodes), list(nodes), self._analysis.graph
        while queue:
            node = queue.pop()
            for sink in self._partners.after(node):
                match self._analysis.graph.key(sink):
                    case (str() as kind, int() as home, _, _) if home == context:
                        if kind not in _LIVING or sink in found:
                            continue
                        if graph.sources(sink).get(node, 0) > 0:  # else it may be anywhere
                            found.add(sink)
                            queue.append(sink)
        return found

    def _combined(self, made: Op, held: Op) -> Iterator[Op]:
        """By definitions and uses: the operations that get something of each, whatever branch was
        taken."""
        ours = _computed_of(self._body, made, held)
        theirs = _computed_of(self._body, held, made)
        for op in ours & theirs:
            operands = set(_operands(op))
            if operands & ours and operands & theirs and len(operands & (ours | theirs)) > 1:
                yield op


def tensor_of(value: Value | None) -> Value | None:
    """A parameter as the tensor that it is, if it surely is one, or what else it may be."""
    if not isinstance(value, Opaque) or value.part:
        return value
    return replace(as_tensor(value), beside=value.beside)


def _is_sure(value: Value | None) -> bool:
    if not isinstance(value, Tensor):
        return False
    return value.certain and not value.maybe and not value.beside.doubt


def _is_annotated(seen: Occurrence, held: Op, value: Value | None) -> bool:
    """Whether it is a parameter that the function says is a tensor, and no caller known to bring
    anything else: what is not seen keeps to that."""
    scope = seen.frame.parent or seen.frame
    if not isinstance(held.node, ast.arg) or not says_tensor(scope, held.node):
        return False
    match value:
        case Tensor():
            return not value.maybe
        case Unknown() if not isinstance(value, Either):
            return value.beside in (ALONE, replace(ALONE, vague=True))
    return False


def _is_with_constants(op: Op) -> bool:
    """``x * -1``: computed of one value, and of what is written there."""
    others = [operand for operand in op.operands if not _is_written(operand)]
    return op.kind is Kind.COMPUTE and len(others) == 1


def _is_written(op: Op) -> bool:
    if op.kind is Kind.COMPUTE:
        return all(map(_is_written, op.operands))
    return op.kind is Kind.CONSTANT


def _computed_of(body: Body, start: Op, other: Op) -> Set[Op]:
    """``start``, and the operations that get something of it on each way that leads to them, other
    than through ``other``, whose size it may give."""
    following = users(body)
    found, queue = {start}, [start]
    while queue:
        for user in following.get(queue.pop(), ()):
            if user in found or user is other:
                continue
            if user.kind not in _CHOSEN or _is_given(body, start, user, found):
                found.add(user)
                queue.append(user)
    return found


def _is_given(body: Body, start: Op, phi: Op, found: Set[Op]) -> bool:
    """Whether each way from ``start`` comes to ``phi`` with one of ``found`` at first."""
    if phi.kind is not Kind.PHI or not phi.name:
        return False
    ways = zip(body.blocks[phi.block].predecessors, phi.operands, strict=True)
    others = {number for number, operand in ways if operand not in found}
    reached, queue = {start.block}, [start.block]
    while queue:
        following = {*body.blocks[queue.pop()].successors} - {phi.block} - reached
        reached |= following
        queue += following
    return reached.isdisjoint(others)


def _operands(op: Op) -> Iterator[Op]:
    """Of a call: the receiver of a method, and what lies in lists that are written there, too."""
    for operand in op.operands:
        yield operand
        if operand.kind in (Kind.BUILD, Kind.ATTRIBUTE):
            yield from _operands(operand)
