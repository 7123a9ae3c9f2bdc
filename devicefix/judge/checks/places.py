"""Does anything that moves now meet what does not?

The rewritten program is placed anew. If that asks for a transfer where the original needed none, and
in the decision of something that the edits have moved, they have moved it by half.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from devicefix.flow.evaluated import Evaluated
from devicefix.flow.graph import Site
from devicefix.flow.placement import Decision, Groups, decide
from devicefix.flow.values import Instance, Tensor, Value
from devicefix.judge.comparison import Comparison, Move, Objection

NAME: Final = "place"


def objections(comparison: Comparison) -> Iterator[Objection]:
    """For each transfer that the new program lacks, and the old one did not."""
    moves = [m for m in comparison.moves if m.replaces is None]
    if not moves or not comparison.after.complete:
        return
    decision = decide(comparison.after.analysis)
    lacking = [*decision.chosen, *decision.stuck]
    if not lacking:
        return
    groups = Groups(comparison.after.analysis, decision.solution, decision.chosen)
    by_group = _by_group(comparison, groups, moves)
    known = _known(comparison.before)
    for site, label in lacking:
        edges = [
            e
            for e in comparison.after.analysis.graph.at(site)
            if decision.solution.paid(e) is label
        ]
        if not edges or groups.of(edges) not in by_group or _old(comparison, site) in known:
            continue
        path = comparison.after.analysis.home(site.tree).path
        for move in by_group[groups.of(edges)]:
            text = ast.unparse(site.tree) if isinstance(site.tree, ast.expr) else site.name
            where = f"{path}:{getattr(site.tree, 'lineno', 0)}"
            reason = f"`{text}` at {where} would have to move as well"
            yield comparison.objection(NAME, move.path, move.device, reason, move.call)


def _by_group(comparison: Comparison, groups: Groups, moves: list[Move]) -> dict[int, list[Move]]:
    found: dict[int, list[Move]] = {}
    for move in moves:
        for value in comparison.after.values(move.call):
            for node in _nodes(value):
                found.setdefault(groups.find(node), []).append(move)
    return found


def _nodes(value: Value) -> frozenset[int]:
    match value:
        case Tensor():
            return value.nodes
        case Instance():
            return frozenset(m.node for m in value.modules)
    return frozenset()


def _known(before: Evaluated) -> set[tuple[str, int, int]]:
    """Where the original lacks a transfer."""
    if not before.complete:
        return set()
    decision: Decision = decide(before.analysis)
    found = set()
    for site, _ in [*decision.chosen, *decision.stuck]:
        path = before.analysis.home(site.tree).path
        if path in before.program.sources:
            span = before.program.sources[path].span(site.tree)
            found.add((path, span.start, span.end))
    return found


def _old(comparison: Comparison, site: Site) -> tuple[str, int, int] | None:
    path = comparison.after.analysis.home(site.tree).path
    if path not in comparison.after.program.sources:
        return None
    return comparison.key(path, site.tree)
