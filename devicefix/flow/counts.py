"""Numbers that are 0 where there is no GPU: ``torch.cuda.device_count()``, and what it counts."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Set
from typing import Final, TypeAlias, TypeGuard

from devicefix.flow.analysis import Analysis
from devicefix.flow.cuda_guards import Guards
from devicefix.flow.imported import dotted, origins
from devicefix.flow.ir import SCOPES, Bodies, Body, Kind, Op
from devicefix.flow.queries.reaching import alternatives
from devicefix.flow.values import FileRecord

_KEEP: Final = frozenset({"range", "list", "tuple", "sorted", "len", "int", "float"})
"""Builtins that give nothing, or 0, for nothing."""
_DIVIDES: Final = (ast.Div, ast.FloorDiv, ast.Mod)
_COUNT: Final = "device_count"
_COUNTS: Final = f"torch.cuda.{_COUNT}"
_BATCHES: Final = {"torch.utils.data.DataLoader": 1, "torch.utils.data.BatchSampler": 1}
"""What takes a batch size, and at which position; it raises a ``ValueError`` if that is 0."""

Names: TypeAlias = Callable[[ast.Call], Collection[str]]


def called_names(analysis: Analysis, call: ast.Call) -> set[str]:
    """What is called, by evaluation or else by the imports."""
    known = analysis.home(call).source.once(origins)
    name = dotted(call.func, known) or getattr(call.func, "id", "")
    return {*analysis.seen.calls.get(call, ()), name}


def zero_counts(analysis: Analysis, file: FileRecord) -> dict[ast.expr, ast.AST]:
    """Where a file divides by the number of GPUs, or makes batches of a multiple of it, and no
    condition around it asks for CUDA: the operand, and the operation.

    Both fail where there is no GPU. With "at least 1" they do what they do with one GPU.
    """
    attributes = (node.attr for node in file.source.of_type(ast.Attribute))
    if _COUNT not in {*file.source.names, *attributes}:
        return {}
    bodies, guards = file.source.once(Bodies), Guards(analysis, file.source)

    def names(call: ast.Call) -> Collection[str]:
        return called_names(analysis, call)

    found = (
        (op.node, operand.node)
        for kind in SCOPES
        for scope in file.source.of_type(kind)
        for body_op in bodies.of(scope).ops
        for op, operand in _fails_of_zero(body_op, names)
    )
    return {
        number: operation
        for operation, number in found
        if _is_read(number) and not guards.are_around(number)
    }


def takes_remainder(op: Op, names: Names) -> bool:
    """``rank % torch.cuda.device_count()``: the number of a GPU, which is none without one."""
    tree = op.node
    remainder = isinstance(tree, (ast.BinOp, ast.AugAssign)) and isinstance(tree.op, ast.Mod)
    return remainder and _divides_by_zero(op, names)


def _divides_by_zero(op: Op, names: Names, zero: Set[str] = frozenset()) -> bool:
    """``zero``: parameters that are given a number that is 0 without a GPU."""
    divided = isinstance(op.node, (ast.BinOp, ast.AugAssign)) and isinstance(op.node.op, _DIVIDES)
    return divided and op.kind is Kind.COMPUTE and _is_zero(op.operands[-1], names, zero)


def given_zero(call: Op, names: Names, parameters: ast.arguments) -> frozenset[str]:
    """The parameters that a call gives such a number, by position."""
    tree = call.node
    assert isinstance(tree, ast.Call)
    named = [argument.arg for argument in (*parameters.posonlyargs, *parameters.args)]
    pairs = zip(named, tree.args, strict=False)
    own = ((name, _operand(call, given)) for name, given in pairs)
    return frozenset(n for n, op in own if op is not None and _is_zero(op, names, frozenset()))


def divisions(body: Body, names: Names, zero: Set[str]) -> Iterator[Op]:
    """The operators that divide by one whenever the function is called."""
    return (op for op in body.blocks[0].ops if _divides_by_zero(op, names, zero))


def _fails_of_zero(op: Op, names: Names) -> Iterator[tuple[Op, Op]]:
    """The operation that makes ``op`` fail without a GPU, with its operand that is 0 then."""
    match op.kind, op.node:
        case Kind.COMPUTE, _ if _divides_by_zero(op, names) and not takes_remainder(op, names):
            yield op, op.operands[-1]
        case Kind.CALL, ast.Call() as call:
            found = [_BATCHES[name] for name in names(call) if name in _BATCHES]
            size = _argument(op, call, found[0]) if found else None
            if size is not None:
                yield from _factors(op, size, names)


def _is_read(tree: ast.AST) -> TypeGuard[ast.expr]:
    return isinstance(tree, ast.expr) and isinstance(getattr(tree, "ctx", ast.Load()), ast.Load)


def _argument(op: Op, call: ast.Call, position: int) -> Op | None:
    """The batch size that a call is given."""
    named = [k.value for k in call.keywords if k.arg == "batch_size"]
    given = [*call.args[position : position + 1], *named]
    return _operand(op, given[0]) if given else None


def _factors(user: Op, op: Op, names: Names, met: Set[Op] = frozenset()) -> Iterator[tuple[Op, Op]]:
    """The factors of a product that are 0, each with what it is multiplied by or given to."""
    if op in met:
        return
    if _is_zero(op, names, frozenset()):
        yield user, op
        return
    match op.kind, op.node:
        case ((Kind.LOAD | Kind.STORE), _) if op.operands:
            parts = [*alternatives(op.operands[0])]
        case Kind.COMPUTE, (ast.BinOp(op=ast.Mult()) | ast.AugAssign(op=ast.Mult())):
            user, parts = op, op.operands
        case Kind.CALL, ast.Call(func=ast.Name(id="int"), args=[_]):
            parts = op.operands[1:]
        case _:
            return
    for part in parts:
        yield from _factors(user, part, names, {*met, op})


def _is_zero(op: Op, names: Names, zero: Set[str], asked: Set[Op] = frozenset()) -> bool:
    """``asked``: what a loop comes back to; it is 0 if all that comes into the loop is."""
    if op in asked:
        return True
    asked = {*asked, op}
    match op.kind, op.node:
        case ((Kind.LOAD | Kind.STORE), _) if op.operands:
            bound = alternatives(op.operands[0])
            return all(_is_zero(one, names, zero, asked) for one in bound)
        case Kind.ARGUMENT, _:
            return op.name in zero
        case Kind.CALL, ast.Call(args=[], keywords=[]) as call:
            return _COUNTS in names(call)
        case Kind.CALL, ast.Call(func=ast.Name(id=name), args=[given], keywords=[]):
            part = _operand(op, given) if name in _KEEP else None
            return part is not None and _is_zero(part, names, zero, asked)
    return False


def _operand(call: Op, tree: ast.expr) -> Op | None:
    return next((operand for operand in call.operands if operand.node is tree), None)
