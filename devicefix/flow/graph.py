"""Where tensors live, as a graph, and the cheapest set of transfers that makes it consistent.

Every abstract tensor is a *node* that is either on the HOST or on the TARGET device. Some nodes are
fixed (``from_numpy`` makes a host tensor, ``x.to(device)`` a target one). An *edge* ``u -> v`` says
that the value of ``u`` is used as ``v``; a transfer may be written there, at a cost. Operands that
have to live together are tied by edges that nobody can pay for.

Choosing the transfers is a minimum cut between HOST and TARGET.
How it is found is in ``maximum_flow``; the graph is small and mostly disconnected.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from msgspec import Struct
from msgspec.structs import replace

from devicefix.flow.maximum_flow import MaximumFlow
from devicefix.flow.union_find import UnionFind

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


class Site(Struct, frozen=True, gc=False):
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

    def __ne__(self, other: object) -> bool:
        return not self == other


class Edge(Struct, frozen=True, gc=False):
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
        self._by_site: dict[Site, list[_Key]] | None = None
        self._parts: UnionFind | None = None
        self._ranks: dict[Site, int] = {}
        self._flow: MaximumFlow | None = None
        self._changed: list[_Key] = []
        """The edges that cost something else than in the last cut."""
        self._assumed: Mapping[int, Label] = {}
        self._made: set[int] = {HOST_NODE}
        self.hurried = False
        """Evaluation takes long to settle: what grows with each pass is given up early."""
        self.merged = UnionFind()
        """Nodes for which one of them stands; see `merge`."""

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

    def known(self, keys: Iterable[Hashable]) -> frozenset[int]:
        """The nodes of these keys, as far as there are any."""
        return frozenset(self._keys[key] for key in keys if key in self._keys)

    @contextmanager
    def assuming(self, nodes: Iterable[int], label: Label) -> Iterator[None]:
        """What is known of ``nodes`` in a branch: they need no transfer to where they are there."""
        before, self._assumed = self._assumed, {**self._assumed, **dict.fromkeys(nodes, label)}
        try:
            yield
        finally:
            self._assumed = before

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
        label = self._assumed.get(source)
        to_target = 0.0 if label is Label.TARGET else to_target
        to_host = 0.0 if label is Label.HOST else to_host
        key = (source, sink, site)
        old = self._edges.get(key)
        if old is not None:
            to_target = max(to_target, old.to_target)
            to_host = max(to_host, old.to_host)
            if (to_target, to_host) == (old.to_target, old.to_host):
                return
        else:
            self._by_site = self._parts = None
        self._edges[key] = Edge(source, sink, to_target, to_host, site, context)
        if self._flow is not None:
            self._changed.append(key)
        costs = self._sources.setdefault(sink, {})
        costs[source] = max(to_target, costs.get(source, 0.0))
        if source in self._made and sink > TARGET_NODE:
            self._made.add(sink)

    def sources(self, node: int) -> dict[int, float]:
        """What flows into ``node``, with the cost of sending it to the target on the way."""
        return self._sources.get(node, {})

    def made_of(self, nodes: Iterable[int]) -> set[int]:
        """All that has a part in ``nodes``, themselves included. What is read on the CPU flows into
        `HOST_NODE`, and has no part in what is made there.
        """
        waiting = list(nodes)
        found = set(waiting)
        while waiting:
            new = [node for node in self.sources(waiting.pop()) if node not in found]
            found.update(new)
            waiting += (node for node in new if node > TARGET_NODE)
        return found

    def component(self, nodes: Iterable[int]) -> set[int]:
        """The representatives of all that ``nodes`` have to do with, along edges of any cost."""
        if self._parts is None:
            self._parts = UnionFind()
            for edge in self._edges.values():
                if edge.source > TARGET_NODE and edge.sink > TARGET_NODE:
                    self._parts.union(edge.source, edge.sink)
        return {self._parts.find(node) for node in nodes}

    def may_be_made(self, nodes: Iterable[int]) -> bool:
        """Whether something that was made on the host has a part in one of ``nodes`` by now."""
        return not self._made.isdisjoint(nodes)

    def clear(self) -> None:
        """Forget the edges; nodes keep their numbers."""
        self._made = {HOST_NODE}
        self._edges.clear()
        self._by_site, self._parts, self._flow = None, None, None
        self._sources.clear()
        self._aliased.clear()

    def at(self, site: Site) -> list[Edge]:
        """The edges on which a transfer would be written at ``site``."""
        return [self._edges[key] for key in self._at_sites.get(site, ())]

    def rank(self, site: Site) -> int:
        """The sites in the order of their first edges."""
        _ = self._at_sites
        return self._ranks[site]

    @property
    def _at_sites(self) -> Mapping[Site, list[_Key]]:
        if self._by_site is None:
            found: dict[Site, list[_Key]] = {}
            for key, edge in self._edges.items():
                if edge.site is not None:
                    found.setdefault(edge.site, []).append(key)
            self._by_site = found
            self._ranks = {site: number for number, site in enumerate(found)}
        return self._by_site

    def _change(self, key: _Key, edge: Edge) -> None:
        """Put ``edge`` in the place of the one between the same nodes at the same site."""
        if edge != self._edges.get(key):
            self._edges[key] = edge
            self._changed.append(key)

    def harden(self, sites: Iterable[Site], label: Label) -> None:
        """No transfer to ``label`` may be written at ``sites``."""
        for site in sites:
            for key in self._at_sites.get(site, ()):
                edge = self._edges[key]
                up = HARD if label is Label.TARGET else edge.to_target
                down = HARD if label is Label.HOST else edge.to_host
                self._change(key, replace(edge, to_target=up, to_host=down))

    def waive(self, sites: Iterable[Site]) -> None:
        """What flows through these sites may stay where it is."""
        for key in [key for site in sites for key in self._at_sites.get(site, ())]:
            self._change(key, replace(self._edges[key], to_target=0.0, to_host=0.0))

    def surcharge(self, costs: Mapping[Site, float]) -> None:
        """Transfers to the target at these sites take more edits than it seemed."""
        for site, cost in costs.items():
            for key in self._at_sites.get(site, ()):
                edge = self._edges[key]
                if edge.to_target:
                    self._change(key, replace(edge, to_target=edge.to_target + cost))

    def reroute(self, edge: Edge, site: Site, context: int) -> None:
        """The transfer on ``edge`` is written at another place."""
        self._remove((edge.source, edge.sink, edge.site))
        self.connect(edge.source, edge.sink, edge.to_target, edge.to_host, site, context)

    def unify(self, site: Site) -> None:
        """What is written at ``site`` is written for all contexts: they share place and price."""
        edges = [e for e in self.at(site) if e.sink > TARGET_NODE]
        contexts = len({edge.context for edge in edges})
        for edge in edges:
            key = (edge.source, edge.sink, site)
            price = edge.to_target if edge.to_target >= HARD else edge.to_target / contexts
            self._change(key, replace(edge, to_target=price))
            self._unified.setdefault(site, []).append((key, edge))
        for edge in edges[1:]:
            tie = (edges[0].sink, edge.sink, site)
            if edges[0].sink != edge.sink and tie not in self._edges:
                self._change(tie, Edge(edges[0].sink, edge.sink, HARD, HARD, None))
                self._unified[site].append((tie, None))

    def release(self, site: Site) -> None:
        """Take `unify` back."""
        for key, edge in self._unified.pop(site, ()):
            if edge is None:
                self._remove(key)
            else:
                self._change(key, edge)

    def _remove(self, key: _Key) -> None:
        del self._edges[key]
        self._by_site, self._parts, self._flow = None, None, None

    def tie(self, first: int, second: int) -> None:
        """Both nodes have to live in the same place."""
        self.connect(first, second, HARD, HARD)

    def merge(self, first: int, second: int) -> None:
        """One of both nodes, which live in the same place, stands for the other one as well."""
        self.tie(first, second)
        self.merged.union(first, second)

    def fix(self, node: int, label: Label) -> None:
        """``node`` lives at ``label`` whatever is written elsewhere."""
        self.tie(HOST_NODE if label is Label.HOST else TARGET_NODE, node)

    def is_made_on_target(self, nodes: Iterable[int]) -> bool:
        """Whether all that flows into ``nodes``, some at least, was fixed to the target by now.

        What is only tied to each other, and comes from nowhere, is not.
        """
        waiting = list(nodes)
        found, there, users = set(waiting), list[int](), dict[int, list[int]]()
        while waiting:
            node = waiting.pop()
            sources = {source for source, cost in self.sources(node).items() if cost > 0}
            if HOST_NODE in sources:
                return False
            if TARGET_NODE in sources:
                there.append(node)
                continue
            for source in sources:
                users.setdefault(source, []).append(node)
            waiting += sources - found
            found |= sources
        known = set(there)
        while there:
            new = [user for user in users.get(there.pop(), ()) if user not in known]
            known.update(new)
            there += new
        return bool(found) and known == found

    def seal(self, nodes: frozenset[int]) -> None:
        """These values are written in place: a transfer between two aliases would lose that."""
        self._aliased |= nodes

    def is_sealed(self, node: int) -> bool:
        """Whether the value of ``node`` is written in place somewhere."""
        return node in self._aliased

    def solve(self) -> Solution:
        """The cheapest labelling; ties leave a node on the host."""
        if self._flow is None or not self._flow.take(self._count, self._costs(self._changed)):
            self._flow = MaximumFlow(TARGET_NODE, HOST_NODE)
            self._flow.take(self._count, self._costs(self._edges))
        self._changed.clear()
        cost = self._flow.run()
        return Solution(self._flow.reachable(), cost / SCALE)

    def _costs(self, keys: Iterable[_Key]) -> dict[_Key, tuple[int, int]]:
        """With the source on the host and the sink on the target, and the other way round."""
        edges = ((key, self._edges[key]) for key in keys)
        return {k: (round(e.to_target * SCALE), round(e.to_host * SCALE)) for k, e in edges}


class Solution(Struct, frozen=True):
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

    def crossing(self, edges: Iterable[Edge]) -> list[Edge]:
        """Those of ``edges`` whose ends live in different places."""
        target = self.target
        return [edge for edge in edges if (edge.source in target) is not (edge.sink in target)]

    def breaks(self, edge: Edge) -> bool:
        """Whether the ends should live together and do not: no labelling could do better."""
        cut = self.cut(edge)
        cost = edge.to_target if cut is Label.TARGET else edge.to_host
        return cut is not None and cost >= HARD
