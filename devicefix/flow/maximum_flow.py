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
        while (distances := self._distances())[self._source] >= 0:
            pointers = [0] * len(self._heads)
            while pushed := self._augment(distances, pointers):
                self._total += pushed
        return self._total

    def reachable(self) -> frozenset[int]:
        """The nodes on the side of the source, as few as there can be."""
        heads, ends, room = self._heads, self._ends, self._room
        found, reached = {self._source}, [self._source]
        while reached:
            for arc in heads[reached.pop()]:
                if room[arc] > 0 and ends[arc] not in found:
                    found.add(ends[arc])
                    reached.append(ends[arc])
        return frozenset(sorted(found))

    def _distances(self) -> list[int]:
        """How far each node is from the sink; -1 where no path leads there.

        No shortest path begins behind the source: what is as far, or farther, is left out. That
        they are counted from the sink keeps `_augment` out of most dead ends.
        """
        heads, ends, room = self._heads, self._ends, self._room
        distances = [-1] * len(heads)
        distances[self._sink] = 0
        reached, distance = [self._sink], 0
        while reached and distances[self._source] < 0:
            check_time()
            nodes, reached, distance = reached, [], distance + 1
            for node in nodes:
                for arc in heads[node]:
                    start = ends[arc]
                    if distances[start] < 0 and room[arc ^ 1] > 0:
                        distances[start] = distance
                        reached.append(start)
        return distances

    def _augment(self, distances: list[int], pointers: list[int]) -> int:
        """One blocking path, walked with an explicit stack: programs nest deeper than Python."""
        heads, ends, room = self._heads, self._ends, self._room
        path: list[int] = []
        node = self._source
        while node != self._sink:
            arcs, nearer = heads[node], distances[node] - 1
            for pointer in range(pointers[node], len(arcs)):
                arc = arcs[pointer]
                if distances[ends[arc]] == nearer and room[arc] > 0:
                    pointers[node] = pointer
                    path.append(arc)
                    node = ends[arc]
                    break
            else:
                if not path:
                    return 0
                pointers[node] = len(arcs)
                distances[node] = -1
                node = ends[path.pop() ^ 1]
        check_time()
        pushed = min(room[arc] for arc in path)
        for arc in path:
            room[arc] -= pushed
            room[arc ^ 1] += pushed
        return pushed
