"""Where values live as the program is written, before anything is moved.

The cut says where they live afterwards. Today follows from what is fixed (data and factories of the
host, transfers that the program makes itself) along the ways that values take.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from devicefix.flow.analysis import Analysis
from devicefix.flow.graph import HARD, HOST_NODE, TARGET_NODE, Edge, Label
from devicefix.flow.values import ObjectRecord

_HOLDERS = frozenset(("object", "early", "unfinished", "returned"))
"""Nodes of modules."""
_RESULTS = frozenset(("layer", "scattered"))
"""What a module computes lives where the module is, wherever its arguments come from."""


def tree_of(analysis: Analysis, node: int) -> ast.AST | None:
    """The expression, statement or function that a node was made for."""
    key = analysis.graph.key(node)
    for part in key if isinstance(key, tuple) else ():
        tree = part.tree if isinstance(part, ObjectRecord) else part
        if isinstance(tree, ast.AST):
            return tree
    return None


Places = frozenset[Label]
NOWHERE: Places = frozenset()


def kind(analysis: Analysis, node: int) -> str:
    """What a node stands for: ``new``, ``op``, ``parameter`` …"""
    key = analysis.graph.key(node)
    return str(key[0]) if isinstance(key, tuple) else ""


def today(analysis: Analysis) -> Mapping[int, Places]:
    """Where each node lives; both where it may be either, none where nothing tells."""
    edges = list(analysis.graph.edges)
    found = _fixed(edges)
    ways: dict[int, set[int]] = defaultdict(set)
    ties: dict[int, set[int]] = defaultdict(set)
    for edge in edges:
        if min(edge.source, edge.sink) <= TARGET_NODE:
            continue
        if edge.site is None and edge.to_target >= HARD <= edge.to_host:
            ties[edge.source].add(edge.sink)
            ties[edge.sink].add(edge.source)
        for start, end in _ways(analysis, edge):
            ways[start].add(end)
    _spread(found, ways)
    _spread(found, ties)
    return {node: frozenset(places) for node, places in found.items()}


def _fixed(edges: Iterable[Edge]) -> dict[int, set[Label]]:
    found: dict[int, set[Label]] = defaultdict(set)
    for edge in edges:
        if edge.source == HOST_NODE and edge.to_host >= HARD:
            found[edge.sink].add(Label.HOST)
        elif edge.source == TARGET_NODE and edge.to_target >= HARD:
            found[edge.sink].add(Label.TARGET)
    return found


def _ways(analysis: Analysis, edge: Edge) -> Iterator[tuple[int, int]]:
    """From where to where an edge carries a place, if it does; a 0-dim operand carries none."""
    source, sink = kind(analysis, edge.source), kind(analysis, edge.sink)
    wish = edge.site is None and 0 < edge.to_target < HARD
    if source in _RESULTS and sink in _HOLDERS:
        yield edge.sink, edge.source
        return
    into_module = sink in _HOLDERS and source not in _HOLDERS
    if edge.to_target > 0 and not (wish or into_module or sink in _RESULTS):
        yield edge.source, edge.sink


def _spread(found: dict[int, set[Label]], ways: Mapping[int, set[int]]) -> None:
    """Carry places along ``ways`` to nodes for which nothing was said before."""
    known = set(found)
    queue = sorted(known)
    while queue:
        node = queue.pop()
        for sink in sorted(ways.get(node, ())):
            new = found[node] - found[sink] if sink not in known else None
            if new:
                found[sink] |= new
                queue.append(sink)
