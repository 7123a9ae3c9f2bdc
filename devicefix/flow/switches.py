"""Where a switch of the user decides about a value: a device that asks the machine alone is wrong.

``if args.cuda: h = h.cuda()`` says for all that ``h`` meets whether it goes to the accelerator. A
device that is made in another file, which does not know of the switch, and is passed down would
bring one of them there although the user has said no.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence, Set
from functools import cached_property
from typing import Final, TypeAlias

from devicefix.flow.analysis import Analysis
from devicefix.flow.deciders import ASKS, decider, question_of
from devicefix.flow.dtype_names import only_casts
from devicefix.flow.flags import Asking, asked_around, is_certain, moves_either_way
from devicefix.flow.graph import Label
from devicefix.flow.ir import Bodies
from devicefix.flow.queries.control import guards
from devicefix.flow.values import FileRecord, Flag, Instance, nodes_of
from devicefix.source.walking import walk

Answers: TypeAlias = frozenset[tuple[ast.AST, bool]]
"""Conditions, each with what it was."""
MACHINE: Final = frozenset({"", ASKS})
"""What a device asks that nobody can switch off."""


class Switches:
    """What the program itself moves only if the user wants it."""

    def __init__(
        self, analysis: Analysis, conditions: Callable[[FileRecord], Sequence[Asking]]
    ) -> None:
        """``conditions``: those of a file that decide about moves."""
        self._analysis = analysis
        self._conditions = conditions

    def decide(self, nodes: Set[int], place: ast.AST) -> bool:
        """Whether a switch decides about something that has to do with one of ``nodes``, and not
        about ``place`` as well."""
        if not self._switched and not self._conditional:
            return False
        given = (self._analysis.seen.inputs.get(node, ()) for node in nodes)
        company = self._analysis.graph.component(frozenset(nodes).union(*given))
        if not self._switched.isdisjoint(company):
            return True
        here = self._answers(place)
        return any(
            part in company and not any(answers <= here for answers in moves)
            for part, moves in self._conditional
        )

    @cached_property
    def _conditional(self) -> Sequence[tuple[int, Sequence[Answers]]]:
        """What the program moves only where certain answers are given: below a condition, or to a
        device that is chosen below one. Each with its part of the graph.
        """
        analysis, found = self._analysis, dict[int, list[Answers]]()
        placed_by = analysis.seen.placed_by
        for call, seen in analysis.seen.transfers.items():
            befores = [before for before, _, _ in seen if _transfers(call)]
            modules = {
                record
                for before in befores
                for record in (before.modules if isinstance(before, Instance) else ())
                if Label.TARGET in record.moved_to
            }
            answers = self._answers(call, move=call) if modules else frozenset()
            for record in modules:
                asked = [*map(self._asked_for, placed_by.get(record.node, ()))] or [frozenset()]
                made = self._answers(record.tree)
                moves = found.setdefault(record.root.node, [])
                moves += [(answers | chosen) - made for chosen in asked]
        roots = {record.node: record.root.node for record in analysis.modules}
        for node, origins in placed_by.items():
            if origins and (root := roots.get(node, node)) not in found:
                found[root] = [*map(self._asked_for, origins)]
        return [
            (part, moves)
            for node, moves in found.items()
            if all(moves)
            for part in analysis.graph.component((node,))
        ]

    def _asked_for(self, origin: ast.expr | str) -> Answers:
        """The answers for which a device is chosen; an option is one by itself."""
        if isinstance(origin, str):
            return frozenset(((ast.Constant(origin), True),))
        return self._answers(origin)

    def _answers(self, place: ast.AST, move: ast.Call | None = None) -> Answers:
        """The answers that surely led to a place, but for those that the machine gives.

        Whatever a loop gives to ``move`` is there only where the loop runs.
        """
        source = self._analysis.home(place).source
        body, points = source.once(Bodies).moments(place)
        asked = guards(body, points[0][0]) if points else ()
        chosen = {(body.scope, True)} if body.scope in self._analysis.chosen else set()
        return frozenset(
            (branch.operands[0].node, holds)
            for branch, holds in asked
            if not self._is_certain(branch.operands[0].node, move)
        ).union(chosen)

    def _is_certain(self, asked: ast.AST, move: ast.Call | None) -> bool:
        """Whether the machine answers, or the program does the same for each answer."""
        statement: ast.AST | None = asked
        while statement is not None and not isinstance(statement, (ast.stmt, ast.IfExp)):
            statement = self._analysis.parents.get(statement)
        if isinstance(statement, (ast.AsyncFor, ast.For, ast.While)):
            return _surely_runs(statement) or (move is not None and _gives(statement, move))
        if not isinstance(statement, (ast.If, ast.IfExp)) or not isinstance(asked, ast.expr):
            return True
        if is_certain(self._analysis, statement) or moves_either_way(self._analysis, statement):
            return True
        known = decider(self._analysis, asked, Flag())
        named = (node.id for node in walk(asked) if isinstance(node, ast.Name))
        devices = any(question_of(self._analysis, name, asked) == ASKS for name in named)
        return devices or (known is not None and known.machine)

    @cached_property
    def _switched(self) -> Set[int]:
        """The parts of the graph in which something is moved below a switch."""
        analysis = self._analysis
        return {
            part
            for call, seen in analysis.seen.transfers.items()
            if self._is_switched(call)
            for before, after, _ in seen
            for part in analysis.graph.component(nodes_of(before) | nodes_of(after))
        }

    def _is_switched(self, call: ast.Call) -> bool:
        around = asked_around(self._analysis, call, self._conditions(self._analysis.home(call)))
        return any(asked is None or not (asked.pure or asked.always) for asked in around)


def _surely_runs(loop: ast.AsyncFor | ast.For | ast.While) -> bool:
    """``for name in ("a", "b"):``, ``for epoch in range(10):``, ``while True:``."""
    match loop:
        case ast.While(test=ast.Constant(value=value)):
            return bool(value)
        case ast.For(iter=ast.List(elts=items) | ast.Tuple(elts=items)):
            return any(not isinstance(item, ast.Starred) for item in items)
        case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int(n))])):
            return n > 0
    return False


def _gives(loop: ast.AsyncFor | ast.For | ast.While, move: ast.Call) -> bool:
    """Whether what is moved has to do with a name that the loop, or an earlier statement in it,
    binds."""
    names = {node.id for node in walk(move.func) if isinstance(node, ast.Name)}
    bound = [] if isinstance(loop, ast.While) else [loop.target]
    earlier = (s for s in loop.body if (s.end_lineno or s.lineno) < move.lineno)
    return any(
        isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in names
        for part in (*bound, *earlier)
        for node in walk(part)
    )


def _transfers(call: ast.Call) -> bool:
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    return method == "cuda" or (method == "to" and not only_casts(call))
