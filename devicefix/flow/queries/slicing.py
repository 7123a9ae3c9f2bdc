"""Forward slices: all that is computed of some operations (M. Weiser, "Program Slicing", 1981)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from devicefix.flow.ir import Body, Kind, Op
from devicefix.flow.queries.liveness import reads_after

_CHANGES = frozenset((Kind.CALL, Kind.SET_ITEM, Kind.SET_ATTRIBUTE))


def forward_slice(
    body: Body, seeds: Iterable[Op], keeps: Callable[[Op], bool] = lambda _: True
) -> frozenset[Op]:
    """``seeds``, and the operations whose results have something of theirs.

    ``keeps`` says whether the result of an operation has anything of its operands. An object whose
    method is called with such a value for nothing but its effect, or that gets it as an item or
    attribute, has it from then on, under the name that it is called by there.
    """
    following = users(body)
    found = set(seeds)
    queue = list(found)
    while queue:
        op = queue.pop()
        for user in following.get(op, ()):
            if not keeps(user):
                continue
            alone = user.kind is not Kind.CALL or not following.get(user)
            changed = [user, *(_changed(body, user, op) if alone else ())]
            for one in changed:
                if one not in found:
                    found.add(one)
                    queue.append(one)
    return frozenset(found)


def users(body: Body) -> Mapping[Op, list[Op]]:
    """By operation: those that get its result as an operand."""
    found: defaultdict[Op, list[Op]] = defaultdict(list)
    for op in body.ops:
        for operand in op.operands:
            found[operand].append(op)
    return found


def _changed(body: Body, user: Op, value: Op) -> tuple[Op, ...]:
    """The later reads of ``xs`` where ``user`` is ``xs.append(value)`` or ``xs[i] = value``."""
    if user.kind not in _CHANGES:
        return ()
    holder = user.operands[0]
    if user.kind is Kind.CALL:
        if holder.kind is not Kind.ATTRIBUTE or value is holder:
            return ()
        holder = holder.operands[0]
    if holder.kind is not Kind.LOAD or value is holder:
        return ()
    return reads_after(body, holder.name, (user.block, user.at + 1))
