"""Whether a local tensor is computed with and nothing more, so that nobody asks for its gradient.

Nothing stores it, returns it, or hands it to code that may keep it: that could be an optimizer.
"""

from __future__ import annotations

import ast
from typing import Final

from devicefix.flow.analysis import Analysis
from devicefix.flow.definitions import parameters
from devicefix.flow.given import given_by
from devicefix.flow.ir import Bodies, Body, Kind, Op
from devicefix.flow.queries.slicing import users
from devicefix.flow.scopes import FUNCTIONS
from devicefix.torch_api import ATTRIBUTES, Effect, Result, function, method

_DEPTH: Final = 4
"""How many calls of functions of the program are followed into each other."""
_NAMES: Final = frozenset({Kind.STORE, Kind.LOAD, Kind.PHI})
_READS: Final = frozenset({Kind.COMPUTE, Kind.BRANCH, Kind.ITEM})
_RESULTS: Final = (Result.TENSOR, Result.NUMBER)
_OF_LEAVES: Final = frozenset({"is_leaf", "grad_fn", "requires_grad", "retains_grad"})
"""What a leaf answers otherwise."""
_NEW: Final = (Effect.COPY, Effect.VALUE, Effect.HOST_READ)
_ITSELF: Final = (Effect.VIEW, Effect.CAST, Effect.IN_PLACE, Effect.TRANSFER)
"""What may give the very tensor again."""


def is_only_computed_with(analysis: Analysis, call: ast.Call) -> bool:
    """Whether the result of ``call`` is bound to names of a function that nothing keeps."""
    body = analysis.home(call).source.once(Bodies).around(call)
    return _Uses(analysis).are_harmless(body, list(body.of(call)), 0)


class _Uses:
    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis

    def are_harmless(self, body: Body, values: list[Op], depth: int) -> bool:
        """Whether nothing keeps one of ``values``."""
        if not isinstance(body.scope, FUNCTIONS) or body.dynamic or depth > _DEPTH:
            return False
        following = users(body)
        waiting, seen = list(values), set(values)
        while waiting:
            value = waiting.pop()
            for user in following.get(value, ()):
                again = self._again(body, user, value, depth)
                if again is None:
                    return False
                waiting += [op for op in again if op not in seen]
                seen.update(again)
        return True

    def _again(self, body: Body, user: Op, value: Op, depth: int) -> list[Op] | None:
        """The operations that give the same tensor once more; None where something may keep it."""
        if user.kind in _NAMES:
            return [user] if user.name not in body.shared else None
        if user.kind is Kind.ITEM and user.operands[0] is value:
            return []
        if user.kind in _READS:
            return []
        if user.kind is Kind.ATTRIBUTE:
            return self._of_attribute(body, user)
        if user.kind is Kind.BUILD:  # `torch.cat((x, y))`
            given = [self._of_library(call, user) for call in users(body).get(user, [])]
            return [] if given and all(again == [] for again in given) else None
        if user.kind is Kind.CALL and isinstance(user.node, ast.Call):
            return self._of_call(user, user.node, value, depth)
        return None

    def _of_attribute(self, body: Body, user: Op) -> list[Op] | None:
        row = ATTRIBUTES.get(user.name)
        if row is not None:
            return [] if row.effect is Effect.VALUE and user.name not in _OF_LEAVES else None
        called, calls = method(user.name), users(body).get(user, [])
        alone = all(c.kind is Kind.CALL and c.operands[0] is user for c in calls)
        if called is None or not alone or called.effect not in (*_NEW, *_ITSELF):
            return None
        return calls if called.effect in _ITSELF else []

    def _of_call(self, user: Op, call: ast.Call, value: Op, depth: int) -> list[Op] | None:
        if self._analysis.seen.calls.get(call):
            return self._of_library(user, value)
        surely = user.operands[0] is not value and call not in self._analysis.seen.ambiguous
        return self._of_function(call, value, depth) if surely else None

    def _of_library(self, user: Op, value: Op) -> list[Op] | None:
        """A function of torch that computes with it."""
        call, seen = user.node, self._analysis.seen
        if not isinstance(call, ast.Call) or call in seen.ambiguous:
            return None
        names = seen.calls.get(call, set())
        rows = [function(name) for name in names]
        if not rows or any(r is None or not r.known or r.result not in _RESULTS for r in rows):
            return None
        same = any(row is not None and (row.view or row.in_place) for row in rows)
        return [user] if same and user.operands[0] is not value else []

    def _of_function(self, call: ast.Call, value: Op, depth: int) -> list[Op] | None:
        """A function of the program, which may return it."""
        reached = self._analysis.seen.reached.get(call, {})
        if not reached or call in self._analysis.seen.applied:
            return None
        for tree, bound in reached:
            if not isinstance(tree, FUNCTIONS) or tree.decorator_list:
                return None
            given = {n for n in parameters(tree) if given_by(call, tree, n, bound) is value.node}
            body = self._analysis.home(tree).source.once(Bodies).of(tree)
            begins = [op for op in body.ops if op.kind is Kind.ARGUMENT and op.name in given]
            if not begins or not self.are_harmless(body, begins, depth + 1):
                return None
        return []
