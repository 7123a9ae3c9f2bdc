"""What the host reads, also where it gets there by a name, an argument or a container."""

from __future__ import annotations

from collections import defaultdict

from devicefix.flow.analysis import Analysis

_ALIASES = frozenset(("bind", "parameter", "rebind", "stored"))
"""Nodes that are the same value under another name."""


def note_reads(analysis: Analysis) -> None:
    """Find the nodes whose value the host reads, and those that it writes through a view."""
    analysis.read = _same_values(analysis, analysis.seen.reads)
    analysis.viewed = _same_values(analysis, analysis.seen.views)


def _same_values(analysis: Analysis, nodes: set[int]) -> frozenset[int]:
    """These nodes, and those of the same values under earlier names."""
    graph = analysis.graph
    before: dict[int, list[int]] = defaultdict(list)
    for edge in graph.edges:
        if graph.kind(edge.sink) in _ALIASES:
            before[edge.sink].append(edge.source)
    found: set[int] = set()
    queue = list(nodes)
    while queue:
        node = queue.pop()
        if node not in found:
            found.add(node)
            queue += before[node]
    return frozenset(found)
