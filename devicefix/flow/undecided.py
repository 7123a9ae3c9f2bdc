"""What the program itself has in either place, and where that makes no difference.

``image = steps[-1]`` is on the device where there were no steps, else on the host, for the program
sends each step there. A node has one place, so the cut would pay for a transfer. But nothing needs
it as long as no operation combines what comes of it with anything else, and nobody asks for it in
one place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from devicefix.flow.graph import HARD, TARGET_NODE, PlacementGraph, Site, Solution

_NAMES: Final = frozenset({"bind", "rebind"})
"""The nodes of what is one value or another, and not made of several."""


def undecided(graph: PlacementGraph, solution: Solution) -> set[Site]:
    """The sites of transfers that nothing needs: they only bring together what is either here or
    there."""
    paid = [e for e in solution.crossing(graph.edges) if e.site and solution.paid(e)]
    sinks = {e.sink for e in paid if _is_name(graph, e.sink) and len(graph.sources(e.sink)) > 1}
    if not sinks:
        return set()
    following = defaultdict[int, list[int]](list)
    for edge in graph.edges:
        following[edge.source].append(edge.sink)
    idle = {sink for sink in sinks if not _is_needed(graph, following, sink)}
    return {edge.site for edge in paid if edge.site and edge.sink in idle}


def _is_name(graph: PlacementGraph, node: int) -> bool:
    key = graph.key(node)
    return isinstance(key, tuple) and key[0] in _NAMES


def _is_needed(graph: PlacementGraph, following: Mapping[int, Sequence[int]], sink: int) -> bool:
    """Whether what becomes of a node ever has to be in one place."""
    found, queue = {sink}, [sink]
    while queue:
        node = queue.pop()
        new = {*following[node], *_tied(graph, node)} - found
        if any(other <= TARGET_NODE for other in new):
            return True
        found |= new
        queue += new
    return any(
        not _is_name(graph, node) and not graph.sources(node).keys() <= found for node in found
    )


def _tied(graph: PlacementGraph, node: int) -> Iterator[int]:
    """What has to be where the node is."""
    return (source for source, cost in graph.sources(node).items() if cost >= HARD)
