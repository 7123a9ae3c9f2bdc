"""Does anything that moves now meet what does not?

The rewritten program is placed anew. If that asks for a transfer where the original needed none,
in the decision of something that the edits have moved, they have moved it by half.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from devicefix.flow.decision_groups import Groups
from devicefix.flow.evaluated import Evaluated
from devicefix.flow.graph import Site
from devicefix.flow.placement import Decision
from devicefix.flow.values import Instance, Tensor, Value
from devicefix.judge.at_home import surely_meets
from devicefix.judge.comparison import Comparison, Key, Move, Objection

NAME: Final = "place"


def objections(comparison: Comparison) -> Iterator[Objection]:
    """For each transfer that the new program lacks, and the old one did not."""
    moves = comparison.moves
    if not moves or not comparison.after.complete:
        return
    decision, groups = comparison.after.decision, comparison.after.groups
    grouped = by_group(comparison, groups, moves)
    at_home = {move.call for move in moves if surely_meets(comparison, move)}
    known, missing = _known(comparison.before)
    placed = {move.call for its in grouped.values() for move in its}
    for (site, group), where in _lacking(comparison, decision, groups).items():
        before = set(_old(comparison, site))
        if before.isdisjoint(known) or any(m.call is site.tree for m in moves):
            others = grouped.get(group) or [
                move
                for move in moves
                if move.replaces is None
                # what is part of another decision did not make this one ask for what it asked for
                and (move.call not in placed or before.isdisjoint(missing))
            ]
            for move in (m for m in others if m.call not in at_home):
                reason = f"{where} would have to move as well"
                yield comparison.objection(NAME, move.path, move.device, reason, move.call)
    blocked = _blocked(comparison.before)
    for group, its in grouped.items():
        if groups.blocked(group):
            for move in its:
                if move.call not in at_home and _key(comparison, move) not in blocked:
                    reason = f"`{ast.unparse(move.device)}` is not the device it is used on"
                    yield comparison.objection(NAME, move.path, move.device, reason, move.call)


def _lacking(
    comparison: Comparison, decision: Decision, groups: Groups
) -> dict[tuple[Site, int], str]:
    """The places where a transfer is missing, with their decisions, as they are told."""
    analysis, found = comparison.after.analysis, {}
    for site, label in [*decision.chosen, *decision.stuck]:
        edges = [e for e in analysis.graph.at(site) if decision.solution.paid(e) is label]
        if edges:
            text = ast.unparse(site.tree) if isinstance(site.tree, ast.expr) else site.name
            where = f"`{text}` at {analysis.home(site.tree).path}:{_line(site.tree)}"
            found[site, groups.of(edges)] = where
    return found


def _line(tree: ast.AST) -> int:
    return int(getattr(tree, "lineno", 0))


def _blocked(before: Evaluated) -> set[tuple[str, int, int]]:
    """The expressions of the original that no placement could satisfy."""
    groups, found = before.groups, set()
    for path, source in before.program.sources.items():
        for tree in source.of_type(ast.Call, ast.IfExp):
            nodes = [n for value in before.values(tree) for n in _nodes(value)]
            if any(groups.blocked(groups.find(node)) for node in nodes):
                span = source.span(tree)
                found.add((path, span.start, span.end))
    return found


def _key(comparison: Comparison, move: Move) -> tuple[str, int, int] | None:
    return comparison.key(move.path, move.call)


def by_group(
    comparison: Comparison, groups: Groups, moves: Sequence[Move]
) -> dict[int, list[Move]]:
    """The moves by the number of the decision that they are part of."""
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


def _known(before: Evaluated) -> tuple[set[Key], set[Key]]:
    """Where the original lacks a transfer, and what it moves itself is waiting for that; and where
    it lacks one at all."""
    if not before.complete:
        return set(), set()
    decision, groups = before.decision, before.groups
    own = {
        groups.find(node)
        for results in before.analysis.seen.transfers.values()
        for _, result, _ in results
        for node in _nodes(result)
    }
    known, missing = set[Key](), set[Key]()
    for site, label in [*decision.chosen, *decision.stuck]:
        path = before.analysis.home(site.tree).path
        edges = [e for e in before.analysis.graph.at(site) if decision.solution.paid(e) is label]
        if edges and path in before.program.sources:
            span = before.program.sources[path].span(site.tree)
            missing.add((path, span.start, span.end))
            if groups.of(edges) in own:
                known.add((path, span.start, span.end))
    return known, missing


def _old(comparison: Comparison, site: Site) -> Iterator[Key]:
    """Where a transfer would have stood in the original: there, and behind what an edit took away
    from around it (``Variable(x)``)."""
    path = comparison.after.analysis.home(site.tree).path
    key = comparison.key(path, site.tree) if path in comparison.after.program.sources else None
    if key is None:
        return
    yield key
    for old in comparison.old_nodes.get(key, ()):
        around = comparison.before.parents.get(old)
        if isinstance(around, ast.Call):
            span = comparison.before.program.sources[path].span(around)
            gone = (path, span.start, span.end)
            if not any(isinstance(n, ast.Call) for n in comparison.new_nodes.get(gone, ())):
                yield gone
