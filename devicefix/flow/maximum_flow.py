"""The cheapest cut between two nodes, by Dinic's algorithm on integer capacities.

Costs change from cut to cut by a few edges, nearly always upwards: then the flow of the last cut is
where the next one begins. The side of the source is the smallest of all cheapest cuts, so it does
not depend on which flow was found.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

from devicefix.time_limit import check_time

_Key = TypeVar("_Key", bound=tuple[int, int, Hashable])

Costs = tuple[int, int]
"""Of cutting an edge: with its end on the side of the source, and with its start there."""


class MaximumFlow:
    """A network with the most that flows through it from one node to another."""

    def __init__(self, source: int, sink: int) -> None:
        self._source, self._sink = source, sink
        self._heads: list[list[int]] = []
        self._ends: list[int] = []
        self._room: list[int] = []
        self._arcs: dict[Hashable, tuple[int, Costs]] = {}
        self._total = 0

    def take(self, size: int, costs: Mapping[_Key, Costs]) -> bool:
        """Whether what flows now is possible with these edges, new ones or changed, which it takes.

        An edge goes from its start to its end, the first two parts of its key; there are ``size``
        nodes. If not, the network is of no use any more.
        """
        self._heads += ([] for _ in range(size - len(self._heads)))
        arcs, room = self._arcs, self._room
        for key, cost in costs.items():
            known = arcs.get(key)
            if known is None:
                if any(cost):
                    arcs[key] = self._arc(key[1], key[0], cost), cost
                continue
            arc, old = known
            room[arc] += cost[0] - old[0]
            room[arc + 1] += cost[1] - old[1]
            arcs[key] = arc, cost
            if room[arc] < 0 or room[arc + 1] < 0:
                return False
        return True

    def _arc(self, start: int, end: int, cost: Costs) -> int:
        """An arc there, and the next one back: what flows through one makes room in the other."""
        arc = len(self._ends)
        self._ends += (end, start)
        self._room += cost
        self._heads[start].append(arc)
        self._heads[end].append(arc + 1)
        return arc

    def run(self) -> int:
        """All that can flow: what the cheapest cut costs."""
        while (levels := self._levels(self._sink))[self._sink] >= 0:
            pointers = [0] * len(self._heads)
            while pushed := self._augment(levels, pointers):
                self._total += pushed
        return self._total

    def reachable(self) -> frozenset[int]:
        """The nodes on the side of the source, as few as there can be."""
        return frozenset(node for node, level in enumerate(self._levels()) if level >= 0)

    def _levels(self, sink: int = -1) -> list[int]:
        """How far each node is from the source; -1 where no path leads.

        No shortest path to ``sink`` goes on behind it: what is as far, or farther, is left out.
        """
        heads, ends, room = self._heads, self._ends, self._room
        levels = [-1] * len(heads)
        levels[self._source] = 0
        reached, distance = [self._source], 0
        while reached and (sink < 0 or levels[sink] < 0):
            check_time()
            nodes, reached, distance = reached, [], distance + 1
            for node in nodes:
                for arc in heads[node]:
                    if room[arc] > 0 and levels[ends[arc]] < 0:
                        levels[ends[arc]] = distance
                        reached.append(ends[arc])
        return levels

    def _augment(self, levels: list[int], pointers: list[int]) -> int:
        """One blocking path, walked with an explicit stack: programs nest deeper than Python."""
        heads, ends, room = self._heads, self._ends, self._room
        path: list[int] = []
        node = self._source
        while node != self._sink:
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
        check_time()
        pushed = min(room[arc] for arc in path)
        for arc in path:
            room[arc] -= pushed
            room[arc ^ 1] += pushed
        return pushed
