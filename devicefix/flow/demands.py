"""What a value meets on its further way, and where that wants it to be."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from devicefix.flow.analysis import Analysis
from devicefix.flow.graph import HOST_NODE, TARGET_NODE, Edge, Label, Solution
from devicefix.flow.standing import kind
from devicefix.flow.values import ObjectRecord

PASSED_ON: Final = frozenset(("bind", "rebind", "stored", "parameter", "scattered"))
"""Nodes that stand for the same value a step further."""
MEETINGS: Final = frozenset(("op", "index", "setitem", "inplace"))


class Demand(Struct, frozen=True):
    """A use that needs the value at a certain place, or beside something else."""

    tree: ast.AST
    what: str
    place: Label


class Moved(Struct, frozen=True):
    """A transfer that the cheapest placement writes on the further way of a value."""

    tree: ast.AST
    place: Label


class Demands:
    """Follows values forwards through the graph, after the cut."""

    def __init__(self, analysis: Analysis, solution: Solution) -> None:
        self._analysis = analysis
        self._solution = solution
        self._from: dict[int, list[Edge]] = defaultdict(list)
        self._into: dict[int, list[Edge]] = defaultdict(list)
        for edge in analysis.graph.edges:
            if edge.source > TARGET_NODE:
                self._from[edge.source].append(edge)
                self._into[edge.sink].append(edge)

    def of(self, nodes: frozenset[int]) -> tuple[Demand, ...]:
        """What these values meet, each once, in the order of the graph."""
        found = (self._demand(edge) for edge in self._ahead(nodes))
        return tuple(dict.fromkeys(demand for demand in found if demand is not None))

    def transfers(self, nodes: frozenset[int]) -> tuple[Moved, ...]:
        """Where these values are moved from now on."""
        return tuple(
            dict.fromkeys(
                Moved(edge.site.tree, place)
                for edge in self._ahead(nodes)
                if edge.site is not None and (place := self._solution.paid(edge)) is not None
            )
        )

    def _ahead(self, nodes: frozenset[int]) -> Iterator[Edge]:
        waiting, seen = sorted(nodes), set(nodes)
        while waiting:
            for edge in self._from.get(waiting.pop(0), ()):
                yield edge
                if kind(self._analysis, edge.sink) in PASSED_ON and edge.sink not in seen:
                    seen.add(edge.sink)
                    waiting.append(edge.sink)

    def _demand(self, edge: Edge) -> Demand | None:
        if edge.sink == HOST_NODE:
            if edge.site is None:
                return None
            return Demand(edge.site.tree, "read here", Label.HOST)
        key, what = self._analysis.graph.key(edge.sink), kind(self._analysis, edge.sink)
        assert isinstance(key, tuple)
        place = self._solution.label(edge.sink)
        if what == "layer":
            return Demand(key[2], f"passed to {described(key[3])}", place)
        if what not in MEETINGS:
            return None
        others = self._others(edge)
        return Demand(key[2], f"with {others}" if others else "in this expression", place)

    def _others(self, edge: Edge) -> str:
        """What else flows into the same operation, as it is written there."""
        found = {
            ast.unparse(other.site.tree)
            for other in self._into[edge.sink]
            if other.site is not None and other.source != edge.source
        }
        return ", ".join(f"`{text}`" for text in sorted(found))


def described(record: ObjectRecord) -> str:
    """A module by the name of its class."""
    if record.cls is not None:
        return f"`{record.cls.name}`"
    return f"`{record.layer.replace('torch.nn.', 'nn.')}`"
