"""What a value is combined with: two operands have to live together anyway.

So a tensor that is made to meet ``x`` belongs on ``x.device``, whatever the program around it does,
and in code that nobody calls.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence, Set
from functools import cached_property
from typing import Final

from msgspec import Struct

from devicefix.flow.analysis import Analysis
from devicefix.flow.graph import HARD, TARGET_NODE
from devicefix.flow.observations import Occurrence
from devicefix.flow.union_find import UnionFind
from devicefix.flow.values import Tensor
from devicefix.torch_api import LEGACY_CONSTRUCTORS, factory

_OPERATIONS: Final = frozenset({"op", "inplace", "index", "setitem", "layer"})
"""The nodes in which several values meet."""
_LIVING_TOGETHER: Final = frozenset({"op", "layer"})
"""Those whose result lives where all operands do."""
_LIVING_APART: Final = _OPERATIONS - _LIVING_TOGETHER
_PICKED: Final = frozenset({"gathered"})
"""The results of ``x[index]``."""
_MODULES: Final = frozenset({"object"})
"""What their inputs and results live with: the graph has these as sources."""
_PLACED: Final = ("to", "new")
"""The nodes of what a call has made, or moved."""


def is_of_module(key: Hashable) -> bool:
    """Whether a node stands for a module, by the key it was made for."""
    return isinstance(key, tuple) and bool(_MODULES.intersection(key[:1]))


class Company(Struct, frozen=True):
    """The nodes in whose company a value is."""

    near: Set[int] = frozenset()
    """What it is combined with, under all names that it had on the way."""
    far: Set[int] = frozenset()
    """What that was computed from: it lives there, too."""

    def joined(self, other: Company) -> Company:
        """That of a value in two contexts."""
        return Company(self.near | other.near, self.far | other.far)


class Partners:
    """The values that are operands of the same operations."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._found: dict[frozenset[int], Company] = {}
        self._shared: dict[frozenset[int], Company] = {}

    def of(self, nodes: frozenset[int]) -> Company:
        """The nodes that one of ``nodes`` meets, and what those are computed from."""
        if nodes not in self._found:
            met = self._met(nodes)
            near, far = self._back(met, frozenset()), self._back(met, _LIVING_TOGETHER)
            self._found[nodes] = Company(near - nodes, far - nodes)
        return self._found[nodes]

    def living_with(self, nodes: Set[int]) -> Company:
        """All that lives where ``nodes`` do: what meets them, what comes of that, and so on.

        Of modules: what they are called with, their results, and what those are combined with.
        """
        components, members = self._components
        roots = frozenset(map(components.find, nodes))
        if roots not in self._shared:
            there = frozenset().union(nodes, *(members.get(root, ()) for root in roots))
            self._shared[roots] = Company(there, there)
        return self._shared[roots]

    @cached_property
    def _components(self) -> tuple[UnionFind, dict[int, list[int]]]:
        """The nodes that live together, and the members of each such set.

        A number may be an operand from anywhere: it costs nothing to leave it where it is.
        """
        components, members = UnionFind(), defaultdict[int, list[int]](list)
        together: dict[int, None] = {}
        graph = self._analysis.graph
        for edge in graph.edges:
            inside = edge.source > TARGET_NODE < edge.sink and edge.to_target > 0
            flows = inside and edge.source in graph.sources(edge.sink)  # others tie contexts
            if flows and not self._is_operation(edge.sink, _LIVING_APART):
                components.union(edge.source, edge.sink)
                together[edge.source] = together[edge.sink] = None
        for node in together:
            members[components.find(node)].append(node)
        return components, members

    def _met(self, nodes: frozenset[int]) -> set[int]:
        """The other operands of the operations that these go into, unchanged."""
        waiting, reached, found = list(nodes), set[int](), set[int]()
        while waiting:
            node = waiting.pop()
            if node in reached:
                continue
            reached.add(node)
            if node in nodes and self._is_operation(node, _OPERATIONS | _MODULES):
                found.update(self._analysis.graph.sources(node))
                continue
            for sink in self._after.get(node, ()):
                if self._is_operation(sink):
                    found.update(self._analysis.graph.sources(sink))
                    found.update(self._layers(sink))
                    found.update(self.picked_from(sink))
                else:
                    waiting.append(sink)
        return found - reached

    def _layers(self, operation: int) -> Iterator[int]:
        """The modules whose parameters are operands, too: the graph has them as sinks."""
        for sink in self._after.get(operation, ()):
            if self._is_operation(sink, _MODULES):
                yield sink

    def picked_from(self, index: int) -> Set[int]:
        """What the operation ``x[index]`` picks from: the graph has its result as a sink."""
        picked = (s for s in self._after.get(index, ()) if self._is_operation(s, _PICKED))
        sources = (self._analysis.graph.sources(sink) for sink in picked)
        return frozenset(source for found in sources for source in found)

    def _back(self, nodes: set[int], through: Set[str]) -> Set[int]:
        """With what they were before they were bound to another name, or passed to a function."""
        waiting, found = list(nodes), set[int]()
        while waiting:
            node = waiting.pop()
            if node > TARGET_NODE and node not in found:
                found.add(node)
                if not self._is_operation(node, _OPERATIONS - through):
                    waiting += self._analysis.graph.sources(node)
        return found

    def _is_operation(self, node: int, kinds: Set[str] = _OPERATIONS) -> bool:
        key = self._analysis.graph.key(node)
        return isinstance(key, tuple) and key[0] in kinds

    @cached_property
    def _after(self) -> dict[int, list[int]]:
        """What each node flows into; edges that only tie contexts together carry nothing."""
        graph, found = self._analysis.graph, defaultdict[int, list[int]](list)
        for edge in graph.edges:
            if edge.source > TARGET_NODE < edge.sink and edge.source in graph.sources(edge.sink):
                found[edge.source].append(edge.sink)
        return found

    def after(self, node: int) -> Sequence[int]:
        """What a value flows into."""
        return self._after.get(node, ())

    def before(self, nodes: Set[int]) -> Set[int]:
        """The same values under all names that they had on the way."""
        return self._back(set(nodes), frozenset())

    def are_moved(self, nodes: Set[int]) -> bool:
        """Whether the program has moved one of these values to the accelerator."""
        return any(map(self._is_moved, self.before(nodes)))

    def _is_moved(self, node: int) -> bool:
        match self._analysis.graph.key(node):
            case ("to", *_):
                return self._analysis.graph.sources(node).get(TARGET_NODE, 0.0) >= HARD
        return False

    def placed_in(self, context: int) -> Callable[[int], bool]:
        """Whether the code of a context itself has made or moved what has a node."""

        def is_placed(node: int) -> bool:
            return any(map(is_own, self.before({node})))

        def is_own(node: int) -> bool:
            match self._analysis.graph.key(node):
                case (str() as kind, int() as home, _, _):
                    return kind in _PLACED and home == context
            return False

        return is_placed

    # -- what is made for the purpose ----------------------------------------------------------

    def made_at(self, seen: Occurrence) -> frozenset[int]:
        """The nodes of what is made at this place, as a constant or with random numbers.

        None of a batch, a parameter or a result: who moves those has a device in mind.
        """
        tree, nodes = self._placed(seen)
        return nodes if tree is not None and self._is_made(tree, seen) else frozenset()

    def placed_at(self, seen: Occurrence) -> frozenset[int]:
        """The nodes of what is made or moved at this place, whatever it is."""
        return self._placed(seen)[1]

    def _placed(self, seen: Occurrence) -> tuple[ast.Call | None, frozenset[int]]:
        for tree in self._calls_around(seen.place):
            nodes = self._analysis.graph.known((k, seen.context, tree, "") for k in _PLACED)
            if nodes:
                return tree, nodes
        return None, frozenset()

    def _calls_around(self, place: ast.AST | None) -> Iterator[ast.Call]:
        """The call at the place, those that it is called on, and those that it is part of."""
        inside = place
        while isinstance(inside, ast.Call):
            yield inside
            inside = inside.func.value if isinstance(inside.func, ast.Attribute) else None
        while isinstance(place, (ast.expr, ast.keyword)):
            if isinstance(place, ast.Call):
                yield place
            place = self._analysis.parents.get(place)

    def _is_made(self, tree: ast.Call, seen: Occurrence) -> bool:
        root: ast.expr = tree
        while isinstance(root, ast.Call) and isinstance(root.func, ast.Attribute):
            if self._analysis.seen.calls.get(root):
                break
            root = root.func.value
        if isinstance(root, ast.Call):
            names = self._analysis.seen.calls.get(root, set())
            return bool(names) and all(factory(n) or n in LEGACY_CONSTRUCTORS for n in names)
        if not isinstance(root, ast.Name) or not self._is_bound_again(tree, root):
            return False
        value = seen.names.get(root.id)
        nodes = value.nodes if isinstance(value, Tensor) else frozenset()
        return bool(nodes) and nodes <= self._analysis.created.keys()

    def _is_bound_again(self, tree: ast.Call, name: ast.Name) -> bool:
        """``noise = noise.cuda()``."""
        statement = self._analysis.parents.get(tree)
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        return any(isinstance(t, ast.Name) and t.id == name.id for t in targets)
