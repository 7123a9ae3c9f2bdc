"""Unknown operands beside a tensor that the program itself has brought to the device.

``metric.update(unknown, y)`` with a ``y`` that was moved: whatever the unknown one is, a run in
which it is not with ``y`` fails today, and so does each in which the metric is not. To bring the
metric there changes no run that works.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Final

from devicefix.flow.analysis import Analysis
from devicefix.flow.graph import HARD, HOST_NODE, TARGET_NODE
from devicefix.flow.observations import Meeting
from devicefix.flow.standing import kind

_LIVING_TOGETHER: Final = frozenset({"op", "layer"})
"""The nodes of what fails where not all operands are in one place."""
_PLACED: Final = frozenset({"to", "new"})
"""Those of what a call has moved, or made."""
_NAMED: Final = frozenset({"bind", "rebind"})
"""Those of a value under another name."""


def is_beside_device(analysis: Analysis, meeting: Meeting, changed: Set[int]) -> bool:
    """Whether an operand of the same operation is there today; ``changed``: what edits bring."""
    if kind(analysis, meeting.node) not in _LIVING_TOGETHER:
        return False
    operands = analysis.seen.sure_operands.get(meeting.node, ())
    return any(
        bool(nodes) and changed.isdisjoint(nodes) and all(_is_brought(analysis, n) for n in nodes)
        for nodes in operands
    )


def _is_brought(analysis: Analysis, node: int) -> bool:
    """Whether the program has made or moved it there, under whatever names since then."""
    waiting, found = [node], {node}
    while waiting:
        current = waiting.pop()
        sources = analysis.graph.sources(current)
        named = kind(analysis, current)
        if named in _PLACED and sources.get(TARGET_NODE, 0.0) >= HARD:
            continue
        if named not in _NAMED or not sources or sources.keys() & {HOST_NODE, TARGET_NODE}:
            return False
        waiting += sources.keys() - found
        found |= sources.keys()
    return True
