"""Does code that nobody has seen get what it got?

A class that the program never makes has callers and heirs elsewhere: an attribute of its own that
asks the machine hides where they have brought the object, and those that skip ``__init__`` lack it.
What they pass in is moved where the program moved it, and meets what it met.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

from devicefix.findings import Span
from devicefix.flow.deciding import is_lent
from devicefix.flow.demands import MEETINGS, PASSED_ON
from devicefix.flow.graph import HOST_NODE, TARGET_NODE
from devicefix.flow.standing import kind
from devicefix.flow.values import Device, Instance, Opaque, nodes_of
from devicefix.judge.comparison import SCOPES, Comparison, Objection, enclosing, is_transfer
from devicefix.source.walking import walk

NAME: Final = "caller"


def objections(comparison: Comparison) -> Iterator[Objection]:
    """For each device that such objects are given, and each argument that stays where it is."""
    yield from _given_to_objects(comparison)
    yield from _left(comparison)
    yield from _brought_back(comparison)
    yield from _chosen_anew(comparison)
    yield from _beside_what_is_passed(comparison)


def _given_to_objects(comparison: Comparison) -> Iterator[Objection]:
    """``self.device = …``, newly written."""
    instances = comparison.after.analysis.instances
    made = {cls.tree for cls, its in instances.items() if not all(r.generic for r in its)}
    for path in comparison.maps:
        for statement in comparison.source(path).of_type(ast.Assign):
            target = statement.targets[0]
            if not isinstance(target, ast.Attribute) or not comparison.is_new(path, statement):
                continue
            owner = _class_around(comparison, statement)
            values = comparison.after.values(statement.value)
            if owner is None or owner in made or not any(isinstance(v, Device) for v in values):
                continue
            reason = f"unknown code may create a `{owner.name}` and run it on another device"
            yield comparison.objection(NAME, path, target, reason, statement)


def _class_around(comparison: Comparison, node: ast.AST) -> ast.ClassDef | None:
    around = enclosing(comparison.after, node)
    return next((above for above in around if isinstance(above, ast.ClassDef)), None)


def _left(comparison: Comparison) -> Iterator[Objection]:
    """``f(x.cuda())`` that has become ``f(x)``, where callers that nobody has seen pass ``x``, or
    something that it meets."""
    analysis = comparison.before.analysis
    met = _Met(comparison)
    for call, seen in analysis.seen.transfers.items():
        path, func = analysis.home(call).path, call.func
        if path not in comparison.maps or not isinstance(func, ast.Attribute):
            continue
        if func.attr == "pin_memory":
            continue  # what is pinned stays on the CPU
        handed = any(isinstance(value, Opaque) for value, _, _ in seen)
        source = comparison.before.program.sources[path]
        span, end = source.span(func.value), source.span(call).end
        after = comparison.new_nodes.get((path, span.start, span.end), ())
        stays = handed and after and not any(_is_moved(comparison, node) for node in after)
        other = "" if handed else met.left_with(n for _, v, _ in seen for n in nodes_of(v))
        if stays or other:
            what = ast.unparse(func.value)
            reason = other or f"unknown callers may have `{what}` on another device"
            gone = comparison.maps[path].removers_in(Span(span.end, end))
            yield Objection(NAME, path, call.lineno, reason, gone)


class _Met:
    """What the transfers of the original met."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._before, self._after = comparison.before.analysis, comparison.after.analysis
        self._handed = {p.node: p.name for p in self._before.parameters.values()}
        self._unseen = {node for node, _ in self._before.meetings}
        self._from: dict[int, list[int]] = defaultdict(list)
        self._known: dict[tuple[int, int], str] = {}
        for edge in self._before.graph.edges if self._handed or self._unseen else ():
            self._from[edge.source].append(edge.sink)

    def left_with(self, nodes: Iterable[int]) -> str:
        """What a tensor met that has not been moved to there since, if there is anything."""
        for met in self._meetings(nodes):
            if met not in self._known:
                self._known[met] = self._beside(*met)
            if self._known[met]:
                return self._known[met]
        return ""

    def _meetings(self, nodes: Iterable[int]) -> Iterator[tuple[int, int]]:
        waiting, known = list(nodes), set[int]()
        while waiting:
            node = waiting.pop()
            for sink in self._from.get(node, ()):
                if kind(self._before, sink) in MEETINGS:
                    yield node, sink
                elif kind(self._before, sink) in PASSED_ON and sink not in known:
                    known.add(sink)
                    waiting.append(sink)

    def _beside(self, node: int, meeting: int) -> str:
        """Why nobody knows where what else is there is, if nothing is moved to it any more."""
        graph = self._before.graph
        others = graph.made_of(set(graph.sources(meeting)) - {node})
        names = sorted(name for given, name in self._handed.items() if given in others)
        match graph.key(meeting):
            case (_, _, ast.expr() as tree, *_) if names or meeting in self._unseen:
                if self._is_moved_to(tree):
                    return ""
                if names:
                    return f"unknown callers may have `{names[0]}` on another device"
                return f"where the other operands of `{ast.unparse(tree)}` are is unknown"
        return ""

    def _is_moved_to(self, tree: ast.expr) -> bool:
        """Whether anything in the operation has been moved, as it is now, or nothing is of the CPU
        there (``zeros_like(x)``)."""
        home = self._before.home(tree).path
        span = self._comparison.before.program.sources[home].span(tree)
        new = self._comparison.new_nodes.get((home, span.start, span.end), ())
        values = (value for node in new for value in self._comparison.after.values(node))
        made = self._after.graph.made_of(n for value in values for n in nodes_of(value))
        return not new or any(map(self._is_moved, made)) or HOST_NODE not in made

    def _is_moved(self, node: int) -> bool:
        """Whether an edit moves it, or the program still brings it to the accelerator."""
        there = TARGET_NODE in self._after.graph.sources(node)
        return node in self._moves or (there and kind(self._after, node) == "to")

    @cached_property
    def _moves(self) -> frozenset[int]:
        after = self._comparison.after
        values = (value for move in self._comparison.moves for value in after.values(move.call))
        return frozenset(node for value in values for node in nodes_of(value))


def _brought_back(comparison: Comparison) -> Iterator[Objection]:
    """``if flag: loss.cuda()`` that has become ``loss.to(device)``, made with a caller's weight."""
    for move in comparison.moves:
        func = move.replaces.func if move.replaces is not None else None
        values = comparison.before.values(func.value) if isinstance(func, ast.Attribute) else ()
        records = [r for v in values if isinstance(v, Instance) for r in v.records]
        if not any(map(is_lent, records)) or move.replaces is None:
            continue
        for above in enclosing(comparison.before, move.replaces):
            if isinstance(above, ast.If) and _is_gone(comparison, move.path, above.test):
                reason = "it holds a tensor that its callers passed, which stays on their device"
                yield comparison.objection(NAME, move.path, move.device, reason, move.call)


def _is_gone(comparison: Comparison, path: str, tree: ast.expr) -> bool:
    span = comparison.before.program.sources[path].span(tree)
    return (path, span.start, span.end) not in comparison.new_nodes


def _beside_what_is_passed(comparison: Comparison) -> Iterator[Objection]:
    """``PI.to(device)``, newly written, where functions that nobody calls combine it with what they
    are given: that may be on the CPU, and the two met there before."""
    analysis = comparison.after.analysis
    handed = {parameter.node: parameter.name for parameter in analysis.parameters.values()}
    made = {
        node: move
        for move in comparison.moves
        if move.replaces is None and _asks_the_machine(comparison, move.device)
        for value in comparison.after.values(move.call)
        for node in nodes_of(value)
    }
    for edge in analysis.graph.edges if handed and made else ():
        move = made.get(edge.source)
        if move is None or kind(analysis, edge.sink) not in MEETINGS:
            continue
        others = set(analysis.graph.sources(edge.sink)) - {edge.source}
        names = sorted(handed[node] for node in others & handed.keys())
        if names and others <= handed.keys():
            reason = f"unknown callers may pass `{names[0]}` on the CPU"
            yield comparison.objection(NAME, move.path, move.device, reason, move.call)


def _asks_the_machine(comparison: Comparison, device: ast.expr) -> bool:
    values = comparison.after.values(device)
    return any(isinstance(value, Device) and not value.nodes for value in values)


def _chosen_anew(comparison: Comparison) -> Iterator[Objection]:
    """``reduction="mean" if flag else "sum"``: None meant the former."""
    for path in comparison.maps:
        for choice in comparison.source(path).of_type(ast.IfExp):
            keyword = comparison.after.parents.get(choice)
            named = isinstance(keyword, ast.keyword) and keyword.arg == "reduction"
            if named and _is_given(comparison, choice.test) and _is_said(comparison, path, choice):
                reason = f"callers may pass None as `{ast.unparse(choice.test)}`"
                yield comparison.objection(NAME, path, choice, reason)


def _is_said(comparison: Comparison, path: str, choice: ast.IfExp) -> bool:
    return comparison.is_new(path, choice.body) and comparison.is_new(path, choice.orelse)


def _is_given(comparison: Comparison, flag: ast.expr) -> bool:
    """An attribute, or a parameter of a function around it."""
    if isinstance(flag, ast.Attribute):
        return True
    functions = [f for f in enclosing(comparison.after, flag) if isinstance(f, SCOPES)]
    given = {n.arg for f in functions for n in walk(f.args) if isinstance(n, ast.arg)}
    return isinstance(flag, ast.Name) and flag.id in given


def _is_moved(comparison: Comparison, node: ast.AST) -> bool:
    """``x.to(device)``, ``x.float().to(device)``."""
    while True:
        func = comparison.after.parents.get(node)
        call = comparison.after.parents.get(func) if isinstance(func, ast.Attribute) else None
        if not isinstance(call, ast.Call):
            return False
        if is_transfer(call):
            return True
        node = call
