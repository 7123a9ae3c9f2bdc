"""What the host reads, also where it gets there by a name, an argument or a container."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable

from devicefix.flow.analysis import Analysis

_ALIASES = frozenset(("bind", "parameter", "rebind", "stored"))
"""Nodes that are the same value under another name."""


def _is_alias(key: Hashable) -> bool:
    return isinstance(key, tuple) and key[0] in _ALIASES


def note_reads(analysis: Analysis) -> None:
    """Find the nodes whose value the host reads, and those that it writes through a view."""
    analysis.read = _same_values(analysis, analysis.seen.reads)
    analysis.viewed = _same_values(analysis, analysis.seen.views)


def _same_values(analysis: Analysis, nodes: set[int]) -> frozenset[int]:
    """These nodes, and those of the same values under earlier names."""
    graph = analysis.graph
    before: dict[int, list[int]] = defaultdict(list)
    for edge in graph.edges:
        if _is_alias(graph.key(edge.sink)):
            before[edge.sink].append(edge.source)
    found: set[int] = set()
    queue = list(nodes)
    while queue:
        node = queue.pop()
        if node not in found:
            found.add(node)
            queue += before[node]
    return frozenset(found)
