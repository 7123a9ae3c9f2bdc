"""Does the program do on a machine without an accelerator what it did there?

Where a condition was taken away, what is left has to be its other branch, moves aside: there was
nothing to move then.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from devicefix.flow.values import Flag
from devicefix.judge.comparison import Comparison, Objection, is_transfer

NAME: Final = "branch"


def objections(comparison: Comparison) -> Iterator[Objection]:
    """For each ``if`` that only an accelerator's presence decided, and that is gone."""
    for path in comparison.maps:
        source = comparison.before.program.sources[path]
        for tree in source.of_type(ast.If):
            test = source.span(tree.test)
            if (path, test.start, test.end) in comparison.new_nodes or not _asks(comparison, tree):
                continue
            left = _left_of(comparison, path, tree)
            if left and not _same(left, tree.orelse):
                yield comparison.objection(
                    NAME,
                    path,
                    left[0],
                    "without an accelerator the other branch ran, which did something else",
                    *left,
                )


def _asks(comparison: Comparison, tree: ast.If) -> bool:
    values = comparison.before.values(tree.test)
    return bool(values) and all(isinstance(v, Flag) and v.holds for v in values)


def _left_of(comparison: Comparison, path: str, tree: ast.If) -> list[ast.stmt]:
    """The statements of the new program that stood below the condition."""
    whole = comparison.before.program.sources[path].span(tree)
    found: list[ast.stmt] = []
    for node in comparison.source(path).nodes:
        if isinstance(node, ast.stmt):
            key = comparison.key(path, node)
            if key is not None and whole.start <= key[1] and key[2] <= whole.end:
                around = comparison.after.parents.get(node)
                if around not in found:
                    found.append(node)
    return found


def _same(left: Sequence[ast.stmt], other: Sequence[ast.stmt]) -> bool:
    return _without_moves(left) == _without_moves(other)


def _without_moves(statements: Iterable[ast.stmt]) -> set[str]:
    """What the statements do where nothing moves, in no order."""
    found = set()
    for statement in statements:
        plain = _Still().visit(ast.parse(ast.unparse(statement)).body[0])
        if isinstance(plain, ast.Pass) or _does_nothing(plain):
            continue
        found.add(ast.unparse(plain))
    return found


def _does_nothing(statement: ast.stmt) -> bool:
    """``x = x``, ``model``."""
    if isinstance(statement, ast.Assign):
        value = ast.unparse(statement.value)
        return [value] == [ast.unparse(target) for target in statement.targets]
    if isinstance(statement, ast.If):
        return all(map(_does_nothing, (*statement.body, *statement.orelse)))
    return isinstance(statement, (ast.Pass, ast.Expr)) and not any(
        isinstance(node, ast.Call) for node in ast.walk(statement)
    )


class _Still(ast.NodeTransformer):
    """Takes the transfers away."""

    def visit_Call(self, node: ast.Call) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        if is_transfer(node) and isinstance(node.func, ast.Attribute) and node.func.attr != "type":
            return node.func.value
        node.keywords = [k for k in node.keywords if k.arg not in ("device", "non_blocking")]
        return node
