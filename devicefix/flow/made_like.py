"""Tensors that are made like another one, and so where that is: ``torch.zeros_like(x)``."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Set
from typing import Final

from devicefix.flow.analysis import Analysis
from devicefix.flow.ir import Body, Kind, Op
from devicefix.flow.queries.slicing import users
from devicefix.torch_api import LIKE, NEW_METHODS, Effect, method

_STAYING: Final = (Effect.VIEW, Effect.COPY, Effect.CAST, Effect.IN_PLACE)


def model_of(analysis: Analysis, moved: Op) -> Op | None:
    """What binds or computes ``x``, where the call of a method is made on a tensor that is made
    like it, ``torch.zeros_like(x)`` or ``x.new_zeros(3)``, and told no other place."""
    op = _receiver(moved)
    while op is not None:
        if op.kind is Kind.CALL and isinstance(op.node, ast.Call):
            names = analysis.seen.calls.get(op.node, set())
            if names:
                made = names <= LIKE.keys() and bool(op.node.args) and _is_told_nothing(op.node)
                return _behind(op.operands[1]) if made else None
            if op.operands[0].name in NEW_METHODS:
                holder = _receiver(op) if _is_told_nothing(op.node) else None
                return _behind(holder) if holder is not None else None
            op = _receiver(op) if _stays(op) else None
        else:
            behind = _behind(op)
            op = behind.operands[0] if behind.kind is Kind.STORE else None
    return None


def living_with(body: Body, value: Op) -> Set[Op]:
    """``value``, a tensor, and what its names, its parts and its methods give that lives there."""
    following: Mapping[Op, list[Op]] = users(body)
    found, queue = {value}, [value]
    while queue:
        op = queue.pop()
        for user in following.get(op, ()):
            if user not in found and _is_same_place(user, op):
                found.add(user)
                queue.append(user)
    return found


def _is_same_place(user: Op, value: Op) -> bool:
    if user.kind in (Kind.STORE, Kind.LOAD):
        return True
    if user.kind in (Kind.ITEM, Kind.ATTRIBUTE):
        return user.operands[0] is value and (user.kind is Kind.ITEM or _is_staying(user.name))
    return user.kind is Kind.CALL and user.operands[0] is value and _stays(user)


def _stays(call: Op) -> bool:
    """Whether a method of a tensor gives a tensor that lives where that does."""
    called = call.operands[0]
    return called.kind is Kind.ATTRIBUTE and _is_staying(called.name)


def _is_staying(name: str) -> bool:
    row = method(name)
    return row is not None and row.effect in _STAYING


def _receiver(call: Op) -> Op | None:
    called = call.operands[0]
    return called.operands[0] if called.kind is Kind.ATTRIBUTE else None


def _behind(op: Op) -> Op:
    """What a name was bound by; all else itself."""
    return op.operands[0] if op.kind is Kind.LOAD and op.operands else op


def _is_told_nothing(call: ast.Call) -> bool:
    named = {keyword.arg for keyword in call.keywords}
    return not named & {"device", None}
