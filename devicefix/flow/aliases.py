"""Names of one memory: the nodes between which a transfer may be written.

On the CPU ``y = f(x)`` may be ``x`` itself, or a view of it, and ``f(x).to(device)`` the same
again; on a device that is a copy, which learns nothing of what is written to ``x`` later. So what
is read after another name of it was written has to have come there without a transfer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeAlias

Way: TypeAlias = frozenset[tuple[int, int]]
"""The pairs of nodes, in no order, on the way from one name of a memory to another one."""
_DIRECT: Way = frozenset()


class Aliases:
    """Which nodes are other names of which, and what was written since they were named."""

    def __init__(self) -> None:
        self._names: dict[int, dict[int, None]] = {}
        self._origins: dict[int, dict[int, None]] = {}
        self.outdated: dict[int, Way] = {}
        """Nodes whose memory was written elsewhere since they were named, and the way there."""
        self._journal: list[tuple[int, Way | None]] = []
        """The nodes for which that has changed, one change after the other, with what it was."""

    def clear(self) -> None:
        """Forget all of it: evaluation begins anew."""
        self._names.clear()
        self._origins.clear()
        self.outdated.clear()
        self._journal.clear()

    def name(self, node: int, sources: Iterable[int]) -> None:
        """``node`` is from now on another name of one of ``sources``."""
        self._note(node, None)
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
                self._note(node, way.union(written, self.outdated.get(node, _DIRECT)))

    def _note(self, node: int, way: Way | None) -> None:
        old = self.outdated.get(node)
        if way == old:
            return
        self._journal.append((node, old))
        if way is None:
            del self.outdated[node]
        else:
            self.outdated[node] = way

    @property
    def moment(self) -> int:
        """The present one; how long the journal is."""
        return len(self._journal)

    def meet(
        self, names: Callable[[], Collection[int]], since: int, until: int | None = None
    ) -> None:
        """Between two moments a branch has named anew something that was outdated.

        Behind another one whose ``names`` still stand for it, it is what it was.
        """
        later = self._at(until) if until is not None else {}
        renewed = {
            node: way
            for node, way in self._at(since).items()
            if way is not None and later.get(node) is None and node not in self.outdated
        }
        held = names() if renewed else ()
        for node, way in renewed.items():
            if node in held:
                self._note(node, way)

    def _at(self, moment: int) -> dict[int, Way | None]:
        """The nodes for which something has changed since then, with what it was."""
        return dict(reversed(self._journal[moment:]))

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
