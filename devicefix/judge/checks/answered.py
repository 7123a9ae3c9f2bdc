"""Is something moved where a condition has answered whether there is an accelerator?

As long as ``if use_cuda:`` stays, ``x.to(device)`` below it says the same twice: ``x.cuda()`` is
as good. Where the answer was no, everything is on the CPU, and nothing has to be moved.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from devicefix.flow.deciders import but_for_cuda, decider, question_of
from devicefix.flow.flags import asking_a_known_flag, branches_around
from devicefix.flow.values import Flag
from devicefix.judge.comparison import Comparison, Move, Objection
from devicefix.judge.ported import ported

NAME: Final = "answered"
_YES: Final = "a condition around it already checks this"
_NO: Final = "a condition around it leaves everything on the CPU"


def objections(comparison: Comparison) -> Iterator[Objection]:
    """For each edit that moves things nowhere but below such conditions."""
    if not comparison.after.complete:
        return
    conditions = _Conditions(comparison)
    reasons = defaultdict[int, list[tuple[Move, str]]](list)
    for move in comparison.moves:
        span = comparison.span(move.path, move.device)
        for number in comparison.maps[move.path].makers_in(span):
            reasons[number].append((move, conditions.why_in_vain(move)))
    for number, found in reasons.items():
        move, reason = found[0]
        if all(reason for _, reason in found):
            line = comparison.old_line(move.path, move.device)
            yield Objection(NAME, move.path, line, reason, frozenset((number,)), located=True)


class _Conditions:
    """Those of the new program that have answered it."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._guarding: dict[str, frozenset[ast.expr]] = {}

    @cached_property
    def _ported(self) -> frozenset[ast.expr]:
        return frozenset(move.device for move in ported(self._comparison))

    def why_in_vain(self, move: Move) -> str:
        """Empty where it is of use."""
        analysis = self._comparison.after.analysis
        for tree, inside in branches_around(analysis, move.device):
            test = analysis.seen.tests.get(tree)
            if isinstance(test, Flag) and test.pure:
                yes = test.holds is inside
            elif self._only_moves(move.path, tree):
                yes = inside
            else:
                continue
            if yes and move.device in self._ported:
                return _YES
            if not yes and self._obeys(move.device, tree):
                return _NO
        return ""

    def _only_moves(self, path: str, tree: ast.If | ast.IfExp) -> bool:
        """Whether it is a condition of the original that decides about moves."""
        if path not in self._guarding:
            analysis = self._comparison.before.analysis
            asked = asking_a_known_flag(analysis, analysis.files[path])
            self._guarding[path] = frozenset(one.tree.test for one in asked)
        return not self._guarding[path].isdisjoint(self._old(path, tree.test))

    def _old(self, path: str, test: ast.expr) -> Sequence[ast.expr]:
        key = self._comparison.key(path, test)
        return self._comparison.old_nodes.get(key, ()) if key is not None else ()

    def _obeys(self, device: ast.expr, tree: ast.If | ast.IfExp) -> bool:
        """Whether a device is chosen by what a condition asks."""
        analysis = self._comparison.after.analysis
        own = decider(analysis, tree.test, analysis.seen.tests.get(tree))
        chosen = but_for_cuda(question_of(analysis, ast.unparse(device), device))
        return own is not None and but_for_cuda(own.question) == chosen
