"""Where tensors live, as a graph, and the cheapest set of transfers that makes it consistent.

Every abstract tensor is a *node* that is either on the HOST or on the TARGET device. Some nodes are
fixed (``from_numpy`` makes a host tensor, ``x.to(device)`` a target one). An *edge* ``u -> v`` says
that the value of ``u`` is used as ``v``; a transfer may be written there, at a cost. Operands that
have to live together are tied by edges that nobody can pay for.

Choosing the transfers is a minimum cut between HOST and TARGET (ARCHITECTURE.md).
The cut is found with Dinic's algorithm; the graph is small and mostly disconnected.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

HARD = 1_000_000
"""A cost that no sensible set of edits reaches: the two ends have to agree."""
SCALE = 1000
"""Costs are floats of about one edit; the flow works on integers."""


class Label(enum.Enum):
    """Where a node lives once the program runs on an accelerator."""

    HOST = "host"
    TARGET = "target"


class SiteKind(enum.Enum):
    """How a transfer would be written."""

    CREATE = "create"
    """``device=`` on a factory call."""
    ORIGIN = "origin"
    """``.to(device)`` behind host data, at the end of its method chain."""
    MODULE = "module"
    """``.to(device)`` behind the construction of a module."""
    BIND = "bind"
    """``.to(device)`` behind the right-hand side of an assignment."""
    REBIND = "rebind"
    """A new statement ``x = x.to(device)`` after an unpacking or at the top of a loop body."""
    BUFFER = "buffer"
    """``register_buffer`` in the place of an assignment: it travels with its module."""
    USE = "use"
    """``.to(device)`` or ``.cpu()`` behind an operand."""


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the source where a transfer can be written, the same in every calling context."""

    kind: SiteKind
    tree: ast.AST
    name: str = ""

    def __hash__(self) -> int:
        return hash((id(self.tree), self.name))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Site)
            and self.kind is other.kind
            and self.tree is other.tree
            and self.name == other.name
        )


@dataclass(frozen=True, slots=True)
class Edge:
    """``source`` is used as ``sink``; the costs are those of writing a transfer between them."""

    source: int
    sink: int
    to_target: float
    to_host: float
    site: Site | None
    context: int = 0


_Key = tuple[int, int, Site | None]

HOST_NODE = 0
TARGET_NODE = 1


class PlacementGraph:
    """Nodes, edges and fixed labels.

    Nodes are found again by their key, so evaluation may repeat.
    """

    def __init__(self) -> None:
        self._keys: dict[Hashable, int] = {}
        self._edges: dict[_Key, Edge] = {}
        self._count = 2
        self._names: list[Hashable] = [None, None]
        self._aliased: set[int] = set()
        self._sources: dict[int, dict[int, float]] = {}
        self._unified: dict[Site, list[tuple[_Key, Edge | None]]] = {}
        self._made: set[int] = {HOST_NODE}

    def __len__(self) -> int:
        return self._count

    @property
    def edges(self) -> Iterator[Edge]:
        return iter(self._edges.values())

    def node(self, key: Hashable) -> int:
        """The node of ``key``, made when it is first asked for."""
        found = self._keys.get(key)
        if found is None:
            found = self._keys[key] = self._count
            self._names.append(key)
            self._count += 1
        return found

    def key(self, node: int) -> Hashable:
        """What ``node`` was made for."""
        return self._names[node]

    def connect(
        self,
        source: int,
        sink: int,
        to_target: float,
        to_host: float,
        site: Site | None = None,
        context: int = 0,
    ) -> None:
        """Let ``source`` flow into ``sink``; a second call keeps the higher cost."""
        if source == sink:
            return
        key = (source, sink, site)
        old = self._edges.get(key)
        if old is not None:
            to_target = max(to_target, old.to_target)
            to_host = max(to_host, old.to_host)
            if (to_target, to_host) == (old.to_target, old.to_host):
                return
        self._edges[key] = Edge(source, sink, to_target, to_host, site, context)
        costs = self._sources.setdefault(sink, {})
        costs[source] = max(to_target, costs.get(source, 0.0))
        if source in self._made and sink > TARGET_NODE:
            self._made.add(sink)

    def sources(self, node: int) -> dict[int, float]:
        """What flows into ``node``, with the cost of sending it to the target on the way."""
        return self._sources.get(node, {})

    def may_be_made(self, nodes: Iterable[int]) -> bool:
        """Whether something that was made on the host has a part in one of ``nodes`` by now."""
        return not self._made.isdisjoint(nodes)

    def clear(self) -> None:
        """Forget the edges; nodes keep their numbers."""
        self._made = {HOST_NODE}
        self._edges.clear()
        self._sources.clear()
        self._aliased.clear()

    def harden(self, sites: Collection[Site], label: Label) -> None:
        """No transfer to ``label`` may be written at ``sites``."""
        for key, edge in list(self._edges.items()) if sites else ():
            if edge.site is not None and edge.site in sites:
                up = HARD if label is Label.TARGET else edge.to_target
                down = HARD if label is Label.HOST else edge.to_host
                self._edges[key] = replace(edge, to_target=up, to_host=down)

    def surcharge(self, costs: Mapping[Site, float]) -> None:
        """Transfers to the target at these sites take more edits than it seemed."""
        for key, edge in list(self._edges.items()) if costs else ():
            if edge.site is not None and edge.site in costs and edge.to_target:
                self._edges[key] = replace(edge, to_target=edge.to_target + costs[edge.site])

    def reroute(self, edge: Edge, site: Site, context: int) -> None:
        """The transfer on ``edge`` is written at another place."""
        del self._edges[edge.source, edge.sink, edge.site]
        self.connect(edge.source, edge.sink, edge.to_target, edge.to_host, site, context)

    def unify(self, site: Site) -> None:
        """What is written at ``site`` is written for all contexts: they share place and price."""
        edges = [e for e in self._edges.values() if e.site == site and e.sink > TARGET_NODE]
        contexts = len({edge.context for edge in edges})
        for edge in edges:
            key = (edge.source, edge.sink, site)
            self._edges[key] = replace(edge, to_target=edge.to_target / contexts)
            self._unified.setdefault(site, []).append((key, edge))
        for edge in edges[1:]:
            tie = (edges[0].sink, edge.sink, site)
            if edges[0].sink != edge.sink and tie not in self._edges:
                self._edges[tie] = Edge(edges[0].sink, edge.sink, HARD, HARD, None)
                self._unified[site].append((tie, None))

    def release(self, site: Site) -> None:
        """Take `unify` back."""
        for key, edge in self._unified.pop(site, ()):
            if edge is None:
                del self._edges[key]
            else:
                self._edges[key] = edge

    def tie(self, first: int, second: int) -> None:
        """Both nodes have to live in the same place."""
        self.connect(first, second, HARD, HARD)

    def fix(self, node: int, label: Label) -> None:
        """``node`` lives at ``label`` whatever is written elsewhere."""
        self.tie(HOST_NODE if label is Label.HOST else TARGET_NODE, node)

    def seal(self, nodes: frozenset[int]) -> None:
        """These values are written in place: a transfer between two aliases would lose that."""
        self._aliased |= nodes

    def is_sealed(self, node: int) -> bool:
        """Whether the value of ``node`` is written in place somewhere."""
        return node in self._aliased

    def solve(self) -> Solution:
        """The cheapest labelling; ties leave a node on the host."""
        flow = _MaximumFlow(self._count)
        flow.arc(TARGET_NODE, HOST_NODE, 0)
        for edge in self._edges.values():
            # source HOST and sink TARGET costs to_target; source TARGET and sink HOST costs to_host
            flow.arc(edge.sink, edge.source, round(edge.to_target * SCALE))
            flow.arc(edge.source, edge.sink, round(edge.to_host * SCALE))
        cost = flow.run(TARGET_NODE, HOST_NODE)
        return Solution(flow.reachable(TARGET_NODE), cost / SCALE)


@dataclass(frozen=True, slots=True)
class Solution:
    """Which nodes live on the target, and what the edits cost in all."""

    target: frozenset[int]
    cost: float

    def label(self, node: int) -> Label:
        return Label.TARGET if node in self.target else Label.HOST

    def cut(self, edge: Edge) -> Label | None:
        """The place that a transfer on this edge goes to, or None where none is needed."""
        source, sink = edge.source in self.target, edge.sink in self.target
        if source == sink:
            return None
        return Label.TARGET if sink else Label.HOST

    def paid(self, edge: Edge) -> Label | None:
        """The same, where that transfer is an edit."""
        cut = self.cut(edge)
        cost = edge.to_target if cut is Label.TARGET else edge.to_host
        return cut if cut is not None and cost > 0 else None

    def breaks(self, edge: Edge) -> bool:
        """Whether the ends should live together and do not: no labelling could do better."""
        cut = self.cut(edge)
        cost = edge.to_target if cut is Label.TARGET else edge.to_host
        return cut is not None and cost >= HARD


class _MaximumFlow:
    """Dinic's algorithm on integer capacities."""

    def __init__(self, size: int) -> None:
        self._heads: list[list[int]] = [[] for _ in range(size)]
        self._ends: list[int] = []
        self._room: list[int] = []

    def arc(self, start: int, end: int, capacity: int) -> None:
        if capacity <= 0:
            return
        for tail, head, room in ((start, end, capacity), (end, start, 0)):
            self._heads[tail].append(len(self._ends))
            self._ends.append(head)
            self._room.append(room)

    def run(self, source: int, sink: int) -> int:
        total = 0
        while (levels := self._levels(source, sink))[sink] >= 0:
            pointers = [0] * len(self._heads)
            while pushed := self._augment(source, sink, levels, pointers):
                total += pushed
        return total

    def reachable(self, source: int) -> frozenset[int]:
        return frozenset(i for i, level in enumerate(self._levels(source)) if level >= 0)

    def _levels(self, source: int, sink: int = -1) -> list[int]:
        """How far each node is from ``source``; -1 where no path leads.

        No shortest path to ``sink`` goes on behind it: what is as far, or farther, is left out.
        """
        heads, ends, room = self._heads, self._ends, self._room
        levels = [-1] * len(heads)
        levels[source] = 0
        reached, distance = [source], 0
        while reached and (sink < 0 or levels[sink] < 0):
            nodes, reached, distance = reached, [], distance + 1
            for node in nodes:
                for arc in heads[node]:
                    if room[arc] > 0 and levels[ends[arc]] < 0:
                        levels[ends[arc]] = distance
                        reached.append(ends[arc])
        return levels

    def _augment(self, source: int, sink: int, levels: list[int], pointers: list[int]) -> int:
        """One blocking path, walked with an explicit stack: programs nest deeper than Python."""
        heads, ends, room = self._heads, self._ends, self._room
        path: list[int] = []
        node = source
        while node != sink:
            arcs, pointer, further = heads[node], pointers[node], levels[node] + 1
            while pointer < len(arcs):
                arc = arcs[pointer]
                if room[arc] > 0 and levels[ends[arc]] == further:
                    break
                pointer += 1
            pointers[node] = pointer
            if pointer < len(arcs):
                path.append(arc)
                node = ends[arc]
            elif path:
                levels[node] = -1
                node = ends[path.pop() ^ 1]
            else:
                return 0
        pushed = min(room[arc] for arc in path)
        for arc in path:
            room[arc] -= pushed
            room[arc ^ 1] += pushed
        return pushed
