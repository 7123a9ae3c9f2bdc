"""Where the program has decided by itself on which side a value is: no fix decides again."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from devicefix.flow.analysis import Analysis
from devicefix.flow.graph import HOST_NODE, Edge, Label, Site, Solution
from devicefix.flow.partners import Partners
from devicefix.flow.values import nodes_of


def undoes(
    analysis: Analysis,
    solution: Solution,
    partners: Partners,
    site: Site,
    edges: Iterable[Edge],
    label: Label,
) -> bool:
    """Whether a transfer at ``site`` would take back what the program does there itself.

    ``x.cuda()`` gets no ``.cpu()`` behind it. What ``if self.cpu: x = x.cpu()`` has in one place or
    the other is used in both.
    """
    moves = analysis.seen.transfers.get(site.tree, ()) if isinstance(site.tree, ast.Call) else ()
    if label is Label.HOST:
        return any(partners.are_moved(nodes_of(after)) for _, after, _ in moves)
    if moves:
        return False
    sources = {edge.source for edge in edges}
    there = any(solution.label(node) is Label.TARGET for node in sources)
    return there and any(_is_brought_back(analysis, node) for node in sources)


def _is_brought_back(analysis: Analysis, node: int) -> bool:
    """The result of ``x.cpu()``, as it is."""
    match analysis.graph.key(node):
        case ("to", _, ast.Call(ast.Attribute(attr="cpu")), _):
            return HOST_NODE in analysis.graph.sources(node)
    return False
