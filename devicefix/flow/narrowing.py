"""What a condition says about a name: behind ``if x is not None:`` it is something."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeGuard

from msgspec.structs import replace

from devicefix.flow.annotations import of_type
from devicefix.flow.exact_types import asked_for_type, is_of_type
from devicefix.flow.frame import Arguments, Env, Frame
from devicefix.flow.joins import (
    alternatives,
    element,
    join_all,
)
from devicefix.flow.operands import as_tensor
from devicefix.flow.values import (
    Beside,
    Const,
    Either,
    External,
    Listing,
    Opaque,
    Stream,
    Tensor,
    Tuple,
    Unknown,
    Value,
    is_none,
)
from devicefix.source import Source
from devicefix.source.walking import walk
from devicefix.torch_api import World, world

_TENSORS = frozenset(("torch.Tensor", "torch.is_tensor", "torch.autograd.Variable"))


def narrowed(frame: Frame, env: Env | None, test: ast.expr, holds: bool) -> Env | None:
    """``env`` where ``test`` holds, or where it does not: what may be no tensor surely is one."""
    if env is None:
        return None
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return narrowed(frame, env, test.operand, not holds)
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is holds:
        for part in test.values:
            env = narrowed(frame, env, part, holds)
        return env
    if holds and (other := _other(frame, test)) is not None:
        return {**env, other[0]: other[1]}
    if (left := _left(frame, test, holds)) is not None:
        return _known(frame, env, *left)
    if (beside := _beside(frame, test, holds)) is not None:
        return _known(frame, env, *beside)
    place = _shown(frame, test, holds)
    if place is None:
        return env
    expr, kind = place
    value = frame.evaluate(expr) if _is_name(expr) else None
    if isinstance(value, Tensor) and value.maybe and value.maybe <= kind:
        return _known(frame, env, expr, replace(value, beside=_without(value.beside, kind)))
    if is_none(value) and value is not None and value.beside.unseen is not None:
        return _known(frame, env, expr, value.beside.unseen)
    return env


def _without(beside: Beside, kind: str) -> Beside:
    """What it may be else, where it is not None, or (``other``) no number either."""
    if kind == "none":
        return replace(beside, none=False)
    vague = beside.vague or beside.other or bool(beside.options)
    return replace(beside, none=False, other=False, options=frozenset(), vague=vague)


def _known(frame: Frame, env: Env, named: ast.expr, value: Value) -> Env:
    """``env`` where a name or attribute is known to be ``value``."""
    key = ast.unparse(named)
    if "." in key:
        frame.path_holders.add(key.partition(".")[0])
        frame.shown.add((key, value))
    return {**env, key: value}


def _beside(frame: Frame, test: ast.expr, holds: bool) -> tuple[ast.expr, Value] | None:
    """Where ``a.type() != x.type()``, or ``a.device != x.device``, does not hold: a is where x is.

    Of an attribute and a name it is the attribute whose place was in question.
    """
    match test:
        case ast.Compare(left, [ast.Eq() as op], [right]) | ast.Compare(
            left, [ast.NotEq() as op], [right]
        ) if isinstance(op, ast.Eq) is holds:
            sides = [side for side in (_asked(left), _asked(right)) if side is not None]
        case _:
            return None
    if len(sides) < 2:
        return None
    asked, other = sorted(sides, key=lambda side: isinstance(side, ast.Name))
    kinds = alternatives(frame.evaluate(asked))  # nothing but a tensor is asked for its type
    value = next((kind for kind in kinds if isinstance(kind, Tensor)), None)
    there = as_tensor(frame.evaluate(other))
    if not (isinstance(value, Tensor) and isinstance(there, Tensor) and there.nodes):
        return None
    node = frame.graph.node(("same", frame.context, test))
    for one in there.nodes:
        frame.graph.tie(one, node)
    return asked, value.at(node)


def _asked(tree: ast.expr) -> ast.expr | None:
    """What is asked for its type or device; None where that has no name."""
    match tree:
        case ast.Call(ast.Attribute(asked, "type"), [], []) | ast.Attribute(asked, "device"):
            asked = asked.value if _is_data(asked) else asked
            return asked if _is_name(asked) else None
    return None


def _is_data(tree: ast.expr) -> TypeGuard[ast.Attribute]:
    """``x.data`` is where x is."""
    return isinstance(tree, ast.Attribute) and tree.attr == "data"


def _left(frame: Frame, test: ast.expr, holds: bool) -> tuple[ast.expr, Value] | None:
    """Of several kinds of value, those for which ``isinstance(x, …)`` answers so."""
    asked = test.args[0] if isinstance(test, ast.Call) and test.args and not test.keywords else None
    asked = asked or asked_for_type(frame, test)
    value = frame.evaluate(asked) if asked is not None and _is_name(asked) else None
    if asked is None or not isinstance(value, Either):
        return None
    parts = alternatives(value)
    answers = _answers(frame, test, parts)
    pairs = zip(parts, answers, strict=False)
    left = [part for part, answer in pairs if answer != Const(not holds)]
    if not left or len(left) == len(answers):
        return None
    return asked, join_all(left)


def _answers(frame: Frame, test: ast.expr, parts: Sequence[Value]) -> list[Value | None]:
    """What ``test`` says of each of the values that are asked for; none where it is another one."""
    if isinstance(test, ast.Compare):
        return [is_of_type(frame, test, part) for part in parts]
    if not isinstance(test, ast.Call):
        return []
    callee = frame.evaluate(test.func)
    if callee != External("builtins.isinstance") and _name(callee) not in _TENSORS:
        return []
    rest = [(tree, frame.evaluate(tree)) for tree in test.args[1:]]
    return [frame.call(test, callee, Arguments([(None, part), *rest])) for part in parts]


def _other(frame: Frame, test: ast.expr) -> tuple[str, Value] | None:
    """A parameter that nobody fills, behind ``isinstance(image, PIL.Image.Image)``: no tensor.

    What holds of ``images[0]`` holds of all ``images``.
    """
    if not (isinstance(test, ast.Call) and len(test.args) == 2 and not test.keywords):
        return None
    if frame.evaluate(test.func) != External("builtins.isinstance"):
        return None
    asks_for = frame.evaluate(test.args[1])
    known = of_type(asks_for)
    if isinstance(asks_for, External) and world(asks_for.name) is World.UNKNOWN:
        known = known or Unknown(f"an object of {asks_for.name}")
    asked, part = test.args[0], isinstance(test.args[0], ast.Subscript)
    if isinstance(asked, ast.Subscript) and isinstance(asked.slice, ast.Constant):
        asked = asked.value
    if known is None or not isinstance(asked, ast.Name):
        return None
    value: Value | None = frame.evaluate(asked)
    if part and not isinstance(value, Opaque):
        value = element(value) if isinstance(value, (Listing, Stream, Tuple)) else None
    if not isinstance(value, Opaque):
        return None
    return asked.id, Stream(known) if part else known


def _is_name(expr: ast.expr) -> bool:
    if isinstance(expr, ast.Attribute):
        expr = expr.value
    return isinstance(expr, ast.Name)


def _shown(frame: Frame, test: ast.expr, holds: bool) -> tuple[ast.expr, str] | None:
    """The expression that ``test`` speaks of, and what it then cannot be."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        right = test.comparators[0]
        wanted = ast.IsNot if holds else ast.Is
        if isinstance(right, ast.Constant) and right.value is None:
            return (test.left, "none") if isinstance(test.ops[0], wanted) else None
    if holds and isinstance(test, ast.Call) and test.args and not test.keywords:
        return (test.args[0], "other") if _asks_for_tensor(frame, test) else None
    return None


def _asks_for_tensor(frame: Frame, test: ast.Call) -> bool:
    callee = frame.evaluate(test.func)
    if callee == External("builtins.isinstance") and len(test.args) == 2:
        return _name(frame.evaluate(test.args[1])) in _TENSORS
    return _name(callee) in _TENSORS


def _name(value: Value) -> str:
    return value.name if isinstance(value, External) else ""


def _asks_setting(frame: Frame, test: ast.expr) -> bool:
    """``step > 1`` at the top of a program that has a number or text for ``step`` there."""
    if not isinstance(test, ast.Compare) or not isinstance(frame.tree, ast.Module):
        return False
    named = {node.id for node in walk(test) if isinstance(node, ast.Name)}
    return not named.isdisjoint(frame.file.source.once(_settings))


def _settings(source: Source) -> frozenset[str]:
    """The names to which the top of a file gives numbers, texts or truth values."""
    return frozenset(
        target.id
        for statement in source.tree.body
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant)
        for target in statement.targets
        if isinstance(target, ast.Name) and statement.value.value is not None
    )


def is_decided(frame: Frame, test: ast.expr, value: Value) -> bool:
    """``x is None`` and ``isinstance`` are decided by the caller; flags may be edited by hand, and
    so may ``step = 2`` at the top of a program."""
    if isinstance(test, ast.UnaryOp):
        test = test.operand
    asks = isinstance(test, (ast.Compare, ast.Constant)) and not _asks_setting(frame, test)
    if isinstance(test, ast.Call):
        asks = ast.unparse(test.func).rpartition(".")[2] in ("isinstance", "is_tensor")
    return isinstance(value, Const) and asks
