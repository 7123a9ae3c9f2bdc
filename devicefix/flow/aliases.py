"""Names of one memory: the nodes between which a transfer may be written.

On the CPU ``y = f(x)`` may be ``x`` itself, or a view of it, and ``f(x).to(device)`` the same
again; on a device that is a copy, which learns nothing of what is written to ``x`` later. So what
is read after another name of it was written has to have come there without a transfer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from types import MappingProxyType
from typing import TypeAlias

Way: TypeAlias = frozenset[tuple[int, int]]
"""The pairs of nodes, in no order, on the way from one name of a memory to another one."""
_DIRECT: Way = frozenset()
_NOTHING: Mapping[int, Way] = MappingProxyType({})


class Aliases:
    """Which nodes are other names of which, and what was written since they were named."""

    def __init__(self) -> None:
        self._names: dict[int, dict[int, None]] = {}
        self._origins: dict[int, dict[int, None]] = {}
        self.outdated: dict[int, Way] = {}
        """Nodes whose memory was written elsewhere since they were named, and the way there."""

    def clear(self) -> None:
        """Forget all of it: evaluation begins anew."""
        self._names.clear()
        self._origins.clear()
        self.outdated.clear()

    def name(self, node: int, sources: Iterable[int]) -> None:
        """``node`` is from now on another name of one of ``sources``."""
        self.outdated.pop(node, None)
        for source in sources:
            if source != node:
                self._names.setdefault(source, {})[node] = None
                self._origins.setdefault(node, {})[source] = None

    def write(
        self, nodes: Collection[int], renewed: Collection[int], writer: int | None = None
    ) -> None:
        """What ``nodes`` stand for is written, by ``writer`` if it is none of themselves.

        ``renewed``: nodes that mean something new before they are read.
        """
        written = [] if writer is None else [(writer, node) for node in nodes]
        for node, way in self.ways(nodes).items():
            if way and node not in renewed:
                self.outdated[node] = way.union(written, self.outdated.get(node, _DIRECT))

    def aside(self) -> Mapping[int, Way]:
        """What is outdated by now."""
        return dict(self.outdated) if self.outdated else _NOTHING

    def meet(self, before: Mapping[int, Way], names: Callable[[], Collection[int]]) -> None:
        """Of what was outdated ``before``, something was named anew, in one of several branches.

        Behind another one whose ``names`` still stand for it, it is what it was.
        """
        renewed = [node for node in before if node not in self.outdated]
        held = names() if renewed else ()
        self.outdated |= {node: before[node] for node in renewed if node in held}

    def ways(self, nodes: Collection[int]) -> Mapping[int, Way]:
        """All names of what ``nodes`` stand for, each with the names between."""
        found = dict.fromkeys(nodes, _DIRECT)
        if self._names:
            _follow(found, self._origins)  # what they are names of, and then all names of that:
            _follow(found, self._names)  # of two things that are one name, neither is the other
        return found


def _follow(found: dict[int, Way], steps: Mapping[int, Iterable[int]]) -> None:
    """Add to ``found`` what can be reached from there."""
    queue = list(found)
    for node in queue:
        for further in steps.get(node, ()):
            if further not in found:
                found[further] = found[node] | {(node, further)}
                queue.append(further)
