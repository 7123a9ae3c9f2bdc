"""Does the program do on a machine without an accelerator what it did there?

Where a condition was taken away, what is left has to be its other branch, moves aside: there was
nothing to move then.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from devicefix.flow.moving import otherwise
from devicefix.flow.values import External, Flag
from devicefix.judge.comparison import Comparison, Objection, is_transfer
from devicefix.source.walking import walk

NAME: Final = "branch"
_VARIABLE: Final = frozenset(("torch.autograd.Variable", "torch.autograd.variable.Variable"))


def objections(comparison: Comparison) -> Iterator[Objection]:
    """For each ``if`` that only an accelerator's presence decided, and that is gone."""
    for path in comparison.maps:
        source = comparison.before.program.sources[path]
        wrappers = _wrappers(comparison, path)
        kept = comparison.kept(path, ast.stmt)
        for tree in source.of_type(ast.If):
            test = source.span(tree.test)
            if (path, test.start, test.end) in comparison.new_nodes or not _asks(comparison, tree):
                continue
            left = _outermost(comparison, kept.of(source.span(tree)))
            others = otherwise(tree, comparison.before.parents.get(tree))
            if left and not _same(left, others, wrappers):
                yield comparison.objection(
                    NAME,
                    path,
                    left[0],
                    "without an accelerator, the original ran the other branch, "
                    "which does something different",
                    *left,
                )


def _asks(comparison: Comparison, tree: ast.If) -> bool:
    values = comparison.before.values(tree.test)
    return bool(values) and all(isinstance(v, Flag) and v.holds for v in values)


def _wrappers(comparison: Comparison, path: str) -> frozenset[str]:
    """How the original writes ``torch.autograd.Variable``, which has been the tensor since 0.4."""
    found = set()
    for call in comparison.before.program.sources[path].of_type(ast.Call):
        values = comparison.before.values(call.func)
        if values and all(isinstance(v, External) and v.name in _VARIABLE for v in values):
            found.add(ast.unparse(call.func))
    return frozenset(found)


def _outermost(comparison: Comparison, statements: Iterable[ast.stmt]) -> list[ast.stmt]:
    """Those of the statements that stand in no other one, of these."""
    found: dict[ast.AST, ast.stmt] = {}
    for node in statements:
        if comparison.after.parents.get(node) not in found:
            found[node] = node
    return list(found.values())


def _same(left: Sequence[ast.stmt], other: Sequence[ast.stmt], wrappers: frozenset[str]) -> bool:
    return _without_moves(left, wrappers) == _without_moves(other, wrappers)


def _without_moves(statements: Iterable[ast.stmt], wrappers: frozenset[str]) -> set[str]:
    """What the statements do where nothing moves, in no order."""
    found = set()
    for statement in statements:
        plain = _Still(wrappers).visit(ast.parse(ast.unparse(statement)).body[0])
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
        isinstance(node, ast.Call) for node in walk(statement)
    )


class _Still(ast.NodeTransformer):
    """Takes the transfers away, and what only wraps a tensor."""

    def __init__(self, wrappers: frozenset[str]) -> None:
        self._wrappers = wrappers

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """``None if x is None else x`` is ``x``."""
        self.generic_visit(node)
        match node.test:
            case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as op], comparators=[against]):
                there, missing = node.body, node.orelse
                if isinstance(op, ast.Is):
                    there, missing = missing, there
                none = {"None", ast.unparse(left)}
                if ast.unparse(against) == "None" and ast.unparse(missing) in none:
                    return there if ast.unparse(there) == ast.unparse(left) else node
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        """``[x.to(device) for x in xs]`` holds what ``xs`` does."""
        moves = isinstance(node.elt, ast.Call) and is_transfer(node.elt)
        self.generic_visit(node)
        match node.elt, node.generators:
            case ast.Name(each), [ast.comprehension(ast.Name(named), held, [], 0)]:
                return held if moves and each == named else node
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        nothing = all(map(_says_nothing, node.keywords))
        if ast.unparse(node.func) in self._wrappers and len(node.args) == 1 and nothing:
            return node.args[0]
        if is_transfer(node) and isinstance(node.func, ast.Attribute) and node.func.attr != "type":
            return node.func.value
        node.keywords = [k for k in node.keywords if k.arg not in ("device", "non_blocking")]
        return node


def _says_nothing(keyword: ast.keyword) -> bool:
    """``volatile``, of which torch warns, and that is all; ``requires_grad=False``, as it is."""
    learns = keyword.arg == "requires_grad"
    off = isinstance(keyword.value, ast.Constant) and keyword.value.value is False
    return keyword.arg == "volatile" or (learns and off)
