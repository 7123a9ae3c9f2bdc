"""Device tensors where only host tensors can go, and no edit is sure: other processes, pinning.

What is on the device is known after the cut; until then the nodes are remembered.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from typing import TYPE_CHECKING

from devicefix.flow.facts import Crossing
from devicefix.flow.graph import HARD, HOST_NODE, TARGET_NODE, Label, Solution
from devicefix.flow.joins import parts_in, tensors_in
from devicefix.flow.values import FileRecord, Instance, Value

if TYPE_CHECKING:
    from devicefix.flow.analysis import Analysis
    from devicefix.flow.frame import Frame

_REASONS = {
    "process": "a tensor on the device cannot be sent to a forked process",
    "workers": "a tensor on the device cannot be sent to DataLoader workers",
    "pinned": "a tensor on the device cannot be pinned",
}


def note_crossing(frame: Frame, tree: ast.AST, how: str, *values: Value) -> None:
    """``values`` go where only tensors of the host can go; ``how`` is as in ``Crossing``."""
    nodes = {node for value in values for node in _nodes(value)}
    if not nodes:
        return
    frame.seen.crossings.setdefault((tree, how), set()).update(nodes)
    for node in sorted(nodes) if how in _REASONS else ():
        frame.meet(node, tree, _REASONS[how])


def _nodes(value: Value) -> set[int]:
    nodes = {node for tensor in tensors_in(value) for node in tensor.nodes}
    modules = [p for p in parts_in(value) if isinstance(p, Instance)]
    return nodes | {m.node for part in modules for m in part.modules if m.stateful}


def crossings_in(analysis: Analysis, solution: Solution, file: FileRecord) -> tuple[Crossing, ...]:
    """Those of one file at which something is on the device."""
    here = {k: n for k, n in analysis.seen.crossings.items() if analysis.home(k[0]) is file}
    on_device = {TARGET_NODE, *solution.target, *_torn(analysis, solution)} if here else set()
    spawned = {"process": "spawned"} if analysis.seen.spawns else {}
    return tuple(
        Crossing(tree, spawned.get(how, how))
        for (tree, how), nodes in here.items()
        if on_device & nodes
    )


def places_something(analysis: Analysis) -> bool:
    """Whether the program, as it is, puts anything on the device."""
    return any(edge.source == TARGET_NODE and edge.to_host >= HARD for edge in analysis.graph.edges)


def _torn(analysis: Analysis, solution: Solution) -> set[int]:
    """What the program puts on the device, and what has to be on the CPU all the same."""
    after: dict[int, list[int]] = defaultdict(list)
    queue = []
    for edge in analysis.graph.edges:
        after[edge.source].append(edge.sink)
        if edge.source == TARGET_NODE and edge.to_host >= HARD:
            queue += [edge.sink] * (solution.label(edge.sink) is Label.HOST)
    found: set[int] = {HOST_NODE}
    while queue:
        node = queue.pop()
        if node not in found:
            found.add(node)
            queue += after[node]
    return found - {HOST_NODE}
