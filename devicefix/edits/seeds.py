"""Seeds of CUDA beside ``torch.manual_seed``, which seeds all devices."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from devicefix.edits.errors import EditError
from devicefix.edits.unwrapping import is_idle, without_statement
from devicefix.findings import Edit
from devicefix.flow.imported import dotted, origins
from devicefix.flow.scopes import block_of
from devicefix.source import Source
from devicefix.torch_api import ASKS_FOR_CUDA, GENERIC, canonical

SEEDS: Final = frozenset({"torch.cuda.manual_seed", "torch.cuda.manual_seed_all"})
_ALL: Final = "torch.manual_seed"
_BESIDE: Final = SEEDS | {_ALL, "random.seed", "numpy.random.seed"}
"""They draw nothing from a generator of torch."""
_SAME: Final = (ast.Name, ast.Attribute, ast.Constant, ast.expr_context)


def without_seed(source: Source, tree: ast.expr, name: str) -> tuple[ast.stmt, tuple[Edit, ...]]:
    """The statement that only seeds CUDA, with what ``torch.manual_seed`` beside it seeds already,
    taken out; with the check around it, where that holds nothing else.

    Raises ``EditError`` where there is none with the same seed.
    """
    call = source.parent(tree)
    statement = source.parent(call) if call is not None else None
    if not (isinstance(call, ast.Call) and isinstance(statement, ast.Expr)):
        raise EditError(GENERIC[name].why)
    whole = _with_check(source, statement)
    seeds = {ast.dump(beside.args[0]) for beside in _beside(source, whole) if beside.args}
    if len(call.args) != 1 or ast.dump(call.args[0]) not in seeds or not _is_same(call.args[0]):
        raise EditError(GENERIC[name].why)
    return whole, (without_statement(source, whole),)


def _is_same(seed: ast.expr) -> bool:
    """Whether it gives the same each time."""
    return all(isinstance(node, _SAME) for node in ast.walk(seed))


def _with_check(source: Source, statement: ast.stmt) -> ast.stmt:
    """``if torch.cuda.is_available():`` around nothing but seeds of CUDA."""
    above = source.parent(statement)
    if not isinstance(above, ast.If) or above.orelse or not _only_asks(source, above.test):
        return statement
    names = {_called(source, inner) for inner in above.body}
    return above if names <= SEEDS else statement


def _only_asks(source: Source, test: ast.expr) -> bool:
    if isinstance(test, ast.BoolOp):
        return all(_only_asks(source, part) for part in test.values)
    if isinstance(test, ast.Call):
        return canonical(dotted(test.func, source.once(origins))) in ASKS_FOR_CUDA
    return is_idle(test)


def _called(source: Source, statement: ast.stmt) -> str:
    call = statement.value if isinstance(statement, ast.Expr) else None
    return canonical(dotted(call.func, source.once(origins))) if isinstance(call, ast.Call) else ""


def _beside(source: Source, statement: ast.stmt) -> Iterator[ast.Call]:
    """The calls of ``torch.manual_seed`` among the seeds that follow each other around it."""
    block = block_of(source.parent(statement), statement)
    at = block.index(statement)
    for way in (block[at - 1 :: -1] if at else [], block[at + 1 :]):
        for other in way:
            name = _called(source, other)
            if name == _ALL and isinstance(other, ast.Expr) and isinstance(other.value, ast.Call):
                yield other.value
            checked = isinstance(other, ast.If) and _with_check(source, other.body[0]) is other
            if name not in _BESIDE and not checked:
                break
