"""Which transfers are one decision, and what makes one of them unsure."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from devicefix.flow.analysis import Analysis
from devicefix.flow.beside_device import is_beside_device
from devicefix.flow.candidates import parameter_names
from devicefix.flow.facts import DeviceName
from devicefix.flow.graph import HARD, TARGET_NODE, Edge, Label, Site, Solution
from devicefix.flow.ir.bodies import scope_around
from devicefix.flow.modules import is_moved
from devicefix.flow.observations import Meeting
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.sightings import IN_A_RUN
from devicefix.flow.standing import today
from devicefix.flow.union_find import UnionFind
from devicefix.flow.values import FileRecord, ObjectRecord, Tensor

Chosen = dict[tuple[Site, Label], DeviceName | None]


def name_of_group(number: int) -> str:
    """What fixes of one decision are called."""
    return f"placement-{number}"


def _own_inputs(
    analysis: Analysis, edges: Iterable[Edge], chosen: Chosen
) -> Iterator[tuple[Edge, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Transfers of what a method is called with, to where its module is, and those in ``forward``:
    a module that moves its own inputs hides who has left them behind."""
    for edge in edges:
        device = chosen.get((edge.site, Label.TARGET)) if edge.site is not None else None
        named = edge.site.tree if edge.site is not None else None
        if device is None or not isinstance(named, ast.Name):
            continue
        function = scope_around(analysis.parents, named)
        method = isinstance(analysis.parents.get(function), ast.ClassDef)
        if not isinstance(function, FUNCTIONS) or not method:
            continue
        first, *given = parameter_names(function) or [""]
        own = device.follows and device.text.startswith((f"{first}.", f"next({first}."))
        if named.id in given and (own or function.name == "forward"):
            yield edge, function


LEFT_BEHIND: Final = "this module is in a list and is never moved"


class Groups:
    """Transfers whose values touch belong to one decision, and values that share a transfer.

    That stands in the text once: whoever makes it for one context has made it for the others.
    """

    def __init__(self, analysis: Analysis, solution: Solution, chosen: Chosen) -> None:
        self._analysis = analysis
        self._solution = solution
        self._parts = UnionFind()
        edges = list(analysis.graph.edges)
        for edge in edges:
            if edge.source > TARGET_NODE and edge.sink > TARGET_NODE:
                self._parts.union(edge.source, edge.sink)
        self._join_contexts(edges, chosen)
        self._changed = self._moved(edges)
        self._join_followed(chosen)
        self._broken = self._violations(edges)
        unseen = [p.node for p in analysis.parameters.values() if p.tensor and not p.moved]
        self._refuted = self._broken.intersection(map(self.find, unseen))
        self._meetings: dict[int, tuple[ast.AST, str]] = {}
        moved = {self.find(node) for node in self._changed}
        for node, tree in analysis.sightings.used.items() if analysis.sightings else ():
            if self.find(node) in moved:
                self._meetings.setdefault(self.find(node), (tree, IN_A_RUN))
        for parameter in analysis.parameters.values():
            function = parameter.frame.tree
            if parameter.tensor and function in analysis.escaped:
                group = self.find(parameter.node)
                if group in moved:
                    name = getattr(function, "name", "a lambda")
                    reason = f"not all callers of {name} were analysed"
                    self._meetings[group] = (function, reason)
        for meeting in analysis.meetings.values():
            if meeting.node not in self._changed or self._is_settled(meeting):
                continue
            if not self._agrees(meeting):
                where = (meeting.tree, meeting.reason)
                self._meetings.setdefault(self.find(meeting.node), where)
        for parameter_node, tree in self._mixed(edges):
            reason = f"calls to {getattr(tree, 'name', 'a lambda')} are not analysed separately"
            self._meetings.setdefault(self.find(parameter_node), (tree, reason))
        for record in self._left_behind(edges, chosen):
            self._meetings.setdefault(self.find(record.node), (record.tree, LEFT_BEHIND))
        for module, meeting in self._unsure_inputs(edges):
            self._meetings.setdefault(self.find(module), (meeting.tree, meeting.reason))
        for edge in self._needless(edges, chosen):
            assert edge.site is not None
            why = (edge.site.tree, "this is already on the device in some runs")
            self._meetings.setdefault(self.find(edge.source), why)
        for edge, function in _own_inputs(analysis, edges, chosen):
            why = (function, f"the callers of `{function.name}` should move its inputs")
            self._meetings.setdefault(self.find(edge.source), why)

    def _is_settled(self, meeting: Meeting) -> bool:
        """Whether what is unknown there has to be on the device in any run that works."""
        return is_beside_device(self._analysis, meeting, self._changed)

    def _agrees(self, meeting: Meeting) -> bool:
        """Whether all tensors of what was not seen are where the one is that it stands for."""
        label = self._solution.label
        return {label(node) for node in meeting.place} == {label(meeting.node)}

    def _mixed(self, edges: list[Edge]) -> Iterator[tuple[int, ast.AST]]:
        """Parameters of functions that are called from more places than are told apart: what one
        caller has on the device is no reason to move what another one has on the host."""
        target, graph = self._solution.target, self._analysis.graph
        there = {e.sink for e in edges if e.source in target and e.source not in self._changed}
        for node in sorted(there & self._changed) if self._analysis.shared_contexts else ():
            match graph.key(node):
                case ("parameter", context, ast.AST() as tree, _):
                    if context in self._analysis.shared_contexts:
                        yield node, tree

    def _left_behind(self, edges: list[Edge], chosen: Chosen) -> Iterator[ObjectRecord]:
        """Modules in plain lists that no edit moves, and whose call is given what edits move.

        What goes to where a tensor or module at hand is (``x.device``) is right beside them, too.
        """
        left = [r for r in self._analysis.kept if r.node in self._changed and not is_moved(r)]
        named = {key for key, device in chosen.items() if device and not device.follows}
        moving = {
            self.find(_own_node(edge))
            for edge in (edges if left else ())
            if edge.site is not None and (edge.site, self._solution.paid(edge)) in named
        }
        yield from (record for record in left if self.find(record.node) in moving)

    def _unsure_inputs(self, edges: list[Edge]) -> Iterator[tuple[int, Meeting]]:
        """Modules that are moved, and called with what stays on the host: code that nobody has
        seen takes it, and nobody knows whether that wants it there."""
        target, analysis = self._solution.target, self._analysis
        after: dict[int, list[int]] = defaultdict(list)
        for edge in edges if not self._changed.isdisjoint(analysis.seen.inputs) else ():
            if edge.source > TARGET_NODE and edge.sink not in target:
                after[edge.source].append(edge.sink)
        met = {meeting.node: meeting for meeting in analysis.meetings.values()} if after else {}
        for module, inputs in analysis.seen.inputs.items() if met else ():
            waiting = list(inputs - target) if module in self._changed else []
            reached: set[int] = set()
            while waiting:
                node = waiting.pop()
                if node in met:
                    yield module, met[node]
                    break
                if node not in reached:
                    reached.add(node)
                    waiting += after[node]

    def _needless(self, edges: list[Edge], chosen: Chosen) -> Iterator[Edge]:
        """Transfers of what the program itself may have brought to either place by then: in the
        runs in which it meets what is beside it, nothing has to be moved."""
        places = today(self._analysis)
        for edge in edges:
            if edge.site is None or (edge.site, Label.TARGET) not in chosen:
                continue
            if self._solution.paid(edge) is not Label.TARGET:
                continue
            if edge.source > TARGET_NODE and len(places.get(edge.source, ())) > 1:
                yield edge

    def of(self, edges: list[Edge]) -> int:
        return self.find(_own_node(edges[0]))

    def unsafe(self, group: int, file: FileRecord) -> str:
        """What makes a decision unsure, for a reader of ``file``."""
        if group not in self._meetings:
            return ""
        tree, reason = self._meetings[group]
        return f"{_line_name(self._analysis, tree, file)}: {reason}"

    def blocked(self, group: int) -> str:
        return "no consistent placement was found" if group in self._broken else ""

    def refutes_itself(self, group: int) -> bool:
        """No placement satisfies it, and it rests on where callers that nobody has seen have their
        tensors: they have them elsewhere, and nothing is known."""
        return group in self._refuted

    def _join_contexts(self, edges: list[Edge], chosen: Chosen) -> None:
        """``x.to(w.device)`` is left out: where ``w`` is decides, in each context by itself."""
        fixed = {key for key, device in chosen.items() if device and not device.follows}
        sites = {site for site, _ in fixed}
        first: dict[tuple[Site, Label | None], int] = {}
        for edge in edges:
            if edge.site is None or edge.site not in sites:
                continue
            key = edge.site, self._solution.paid(edge)
            if key in fixed:
                self._parts.union(first.setdefault(key, _own_node(edge)), _own_node(edge))

    def _join_followed(self, chosen: Chosen) -> None:
        """``device=x.device``: it rests on what brings ``x`` there."""
        for (site, label), device in chosen.items():
            if device is None or not device.follows:
                continue
            holder = device.text.removesuffix(".device")
            for edge in self._analysis.graph.at(site):
                seen = self._analysis.sites[site].get(edge.context)
                value = seen.names.get(holder) if seen is not None else None
                if isinstance(value, Tensor) and self._solution.paid(edge) is label:
                    for node in value.nodes & self._changed:
                        self._parts.union(node, _own_node(edge))

    def _moved(self, edges: list[Edge]) -> set[int]:
        """Nodes that the transfers put on the target."""
        target = self._solution.target
        after: dict[int, list[int]] = defaultdict(list)
        queue = []
        for edge in edges:
            if edge.sink in target and edge.sink > TARGET_NODE:
                if edge.source not in target:
                    queue.append(edge.sink)
                elif edge.source > TARGET_NODE:
                    after[edge.source].append(edge.sink)
                    if edge.to_host >= HARD and edge.to_target >= HARD:
                        after[edge.sink].append(edge.source)
        moved: set[int] = set()
        while queue:
            node = queue.pop()
            if node not in moved:
                moved.add(node)
                queue += after[node]
        return moved

    def _violations(self, edges: list[Edge]) -> set[int]:
        broken = (edge for edge in edges if self._solution.breaks(edge))
        return {self.find(max(edge.source, edge.sink)) for edge in broken}

    def find(self, node: int) -> int:
        """The number of the decision that ``node`` belongs to."""
        return self._parts.find(node)


def _own_node(edge: Edge) -> int:
    """The end of it that is neither the host itself nor the target."""
    return edge.sink if edge.sink > TARGET_NODE else edge.source


def _line_name(analysis: Analysis, tree: ast.AST, file: FileRecord) -> str:
    """What the line of ``tree`` is called in a sentence of ``file``."""
    home, line = analysis.home(tree), getattr(tree, "lineno", 0)
    if home is file:
        return f"line {line}"  # `Source.with_line_names` makes cells of it
    known = home.source.notebook is not None
    return f"{home.source.path}:{home.source.line_name(line) if known else line}"
