"""What is made to meet a tensor at hand belongs where that is, whatever else is unknown.

A must-analysis: on every way on from where something is made, an operation combines it, or what is
computed of it, with what is computed of the tensor. Where the two are on different devices that
operation raises. So nothing that runs today has them apart, and making the one where the other is
changes no such run, in code that nobody calls and beside values that nobody has seen.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set
from functools import partial
from typing import Final

from devicefix.flow.analysis import Analysis
from devicefix.flow.facts import DeviceName
from devicefix.flow.graph import Edge, Site, SiteKind
from devicefix.flow.ir import Bodies, Body, Kind, Op
from devicefix.flow.partners import Partners
from devicefix.flow.queries.dataflow import holds_after
from devicefix.flow.queries.reaching import definition
from devicefix.flow.queries.slicing import users
from devicefix.flow.values import Tensor

_MADE: Final = (SiteKind.CREATE, SiteKind.ORIGIN)
_CHOSEN: Final = frozenset({Kind.PHI, Kind.CLOSURE, Kind.SUSPEND})
"""The results of these need have nothing of one operand, or not now."""


def must_meet(
    analysis: Analysis, partners: Partners, site: Site, edges: Iterable[Edge], device: DeviceName
) -> bool:
    """Whether what ``site`` makes meets, in all contexts, the tensor that ``device`` asks."""
    holder = device.text.removesuffix(".device")
    if site.kind not in _MADE or not device.follows or not holder.isidentifier():
        return False
    made: dict[int, set[int]] = {}
    for edge in edges:
        made.setdefault(edge.context, set()).add(edge.sink)
    tied = _Tied(analysis, partners, site, holder)
    return bool(made) and all(tied.in_context(context, nodes) for context, nodes in made.items())


class _Tied:
    """The operations of a scope that combine what a place makes with what a name holds there."""

    def __init__(self, analysis: Analysis, partners: Partners, site: Site, holder: str) -> None:
        self._analysis = analysis
        self._partners = partners
        self._site = site
        self._holder = holder
        self._body = analysis.home(site.tree).source.once(Bodies).around(site.tree)

    def in_context(self, context: int, made: Set[int]) -> bool:
        """Whether one of them is on every way on; ``made``: the nodes of what is made."""
        seen = self._analysis.sites[self._site].get(context)
        value = seen.names.get(self._holder) if seen is not None else None
        if not isinstance(value, Tensor) or value.maybe or value.doubt or not value.certain:
            return False
        ops = self._body.of(self._site.tree)
        if len(ops) != 1 or self._body.dynamic or self._holder in self._body.shared:
            return False
        (start,) = ops
        held = definition(self._body, self._holder, (start.block, start.at))
        if held is None:
            return False
        meetings = set(self._both(context, made, value.nodes)) & set(self._combined(start, held))
        reached = partial(_is_met, meetings)
        return bool(meetings) and holds_after(self._body, (start.block, start.at + 1), reached)

    def _both(self, context: int, made: Set[int], held: Set[int]) -> Iterator[Op]:
        """By places: the operations that need something of each in one place."""
        graph = self._analysis.graph
        ours, theirs = self._living(context, made), self._living(context, held)
        for node in ours & theirs:
            tied = {source for source, cost in graph.sources(node).items() if cost > 0}
            if tied & (ours - theirs) and tied & (theirs - ours):
                match graph.key(node):
                    case ("op", _, ast.AST() as tree, _):
                        yield from self._body.of(tree)

    def _living(self, context: int, nodes: Set[int]) -> Set[int]:
        """``nodes``, and what operations of the context compute of them where they are."""
        found, queue = set(nodes), list(nodes)
        while queue:
            for sink in self._partners.after(queue.pop()):
                match self._analysis.graph.key(sink):
                    case ("op", home, _, _) if home == context and sink not in found:
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
            if operands & (ours - theirs) and operands & (theirs - ours):
                yield op


def _is_met(meetings: Set[Op], op: Op) -> bool | None:
    """What an operation says of the way that it is on: one that raises has no result to be met."""
    return True if op in meetings or op.kind is Kind.RAISE else None


def _computed_of(body: Body, start: Op, other: Op) -> Set[Op]:
    """``start``, and the operations that get something of it on each way that leads to them, other
    than through ``other``, whose size it may give."""
    following = users(body)
    found, queue = {start}, [start]
    while queue:
        for user in following.get(queue.pop(), ()):
            if user not in found and user is not other and user.kind not in _CHOSEN:
                found.add(user)
                queue.append(user)
    return found


def _operands(op: Op) -> Iterator[Op]:
    """Of a call: the receiver of a method, and what lies in lists that are written there, too."""
    for operand in op.operands:
        yield operand
        if operand.kind in (Kind.BUILD, Kind.ATTRIBUTE):
            yield from _operands(operand)
