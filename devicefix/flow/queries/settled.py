"""Whether a name, or what hangs on it, surely has a value at a moment (definite assignment).

It has where it was bound on every way that leads there, or read: had it been missing, the program
would have stopped. https://docs.oracle.com/javase/specs/jls/se21/html/jls-16.html has the rules
for a language that checks them.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable
from typing import Final

from msgspec import Struct, field

from devicefix.flow.ir import DELETES, WRITES, Body, Kind, Op, Point
from devicefix.flow.queries.access import READS, Path, changes_by_name, path_of, reads_by_name
from devicefix.flow.queries.dataflow import Backward, Forward

_USES: Final = frozenset(
    (Kind.ATTRIBUTE, Kind.SET_ATTRIBUTE, Kind.ITEM, Kind.SET_ITEM, Kind.CALL, Kind.NEXT)
)
"""What None has not, and cannot: attributes, items, a call."""


class Settled(Struct, frozen=True):
    """What one path, such as ``("self", "device")``, is at the moments of a body."""

    path: Path
    called: Callable[[ast.Call], bool] = lambda _: False
    """Whether a call gives it its value."""
    filled: bool = False
    """It has to be more than None: that something reads it says nothing then."""
    _bound: dict[tuple[Body, bool], Forward] = field(default_factory=dict)
    _wanted: dict[Body, Backward] = field(default_factory=dict)

    def before(self, body: Body, point: Point, *, given: bool = False) -> bool:
        """Whether it has a value at ``point``; ``given``: it has when the scope is entered."""
        return self._is_named_above(body, point) or self._forward(body, given).before(point)

    def at_return(self, body: Body, *, given: bool = False) -> bool:
        """Whether it has a value wherever the scope returns."""
        return self._forward(body, given).at_return()

    def needed(self, body: Body, point: Point) -> bool:
        """Whether what leads to ``point``, or all that follows, cannot do without it."""
        return self.before(body, point) or self._backward(body).after(point)

    def _is_named_above(self, body: Body, point: Point) -> bool:
        """Whether one operation on its name says it for all ways, and none says the contrary.

        That is nearly always so, and found without a look at the whole body.
        """
        changed = body.once(changes_by_name).get(self.path[0], ())
        if any(self._behind(op) is False for op in changed):
            return False
        read = body.once(reads_by_name).get(self.path[0], ())
        operations = itertools.chain(changed, read)
        return any(_is_above(body, op, point) and self._behind(op) for op in operations)

    def _forward(self, body: Body, given: bool) -> Forward:
        if (body, given) not in self._bound:
            self._bound[body, given] = Forward.of(body, self._behind, given)
        return self._bound[body, given]

    def _backward(self, body: Body) -> Backward:
        if body not in self._wanted:
            self._wanted[body] = Backward.of(body, self._asked)
        return self._wanted[body]

    def _behind(self, op: Op) -> bool | None:
        if self.filled and self._is_used(op):
            return True
        if op.kind in READS:
            return True if not self.filled and path_of(op) == self.path else None
        if op.kind in WRITES:
            found = path_of(op)
            if found == self.path:
                return not (self.filled and is_none(op))
            lost = found is not None and self.path[: len(found)] == found
            return False if lost else None
        if op.kind in DELETES:
            return False if path_of(op) == self.path else None
        if op.kind is Kind.CALL and isinstance(op.node, ast.Call):
            return True if self.called(op.node) else None
        return None

    def _asked(self, op: Op) -> bool | None:
        """The other way round: a read needs it, what binds it anew does not."""
        if self.filled and self._is_used(op):
            return True
        if op.kind in READS and self.filled:
            return None
        if op.kind in READS:
            return True if path_of(op) == self.path else None
        if op.kind in WRITES:
            return False if path_of(op) == self.path[: len(path_of(op) or ())] else None
        if op.kind is Kind.CALL and isinstance(op.node, ast.Call):
            return False if self.called(op.node) else None
        return None

    def _is_used(self, op: Op) -> bool:
        """Whether an operation does with it what nobody can do with None."""
        holder = op.operands[0] if op.kind in _USES and op.operands else None
        return holder is not None and holder.kind in READS and path_of(holder) == self.path


def _is_above(body: Body, op: Op, point: Point) -> bool:
    """Whether all ways to ``point`` come by an operation."""
    block, at = point
    if op.block == block:
        return op.at < at
    return body.dominates(op.block, block)


def is_none(op: Op) -> bool:
    """Whether an operation binds the literal ``None``."""
    value = op.operands[-1] if op.operands else None
    constant = value.node if value is not None and value.kind is Kind.CONSTANT else None
    return isinstance(constant, ast.Constant) and constant.value is None
