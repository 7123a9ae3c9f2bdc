"""The bodies of a file, each lowered the first time that somebody asks for it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from devicefix.flow.ir.dominance import immediate_dominators
from devicefix.flow.ir.names import FUNCTIONS, names_of
from devicefix.flow.ir.ops import Body, Point
from devicefix.flow.ir.ssa import to_ssa
from devicefix.flow.ir.statements import Lowering
from devicefix.source import Source
from devicefix.source.parsing import Parents

SCOPES = (*FUNCTIONS, ast.Lambda, ast.ClassDef, ast.Module, ast.GeneratorExp)
"""What has a body of its own; other comprehensions are a part of the body around them."""


def lower(scope: ast.AST) -> Body:
    """The operations of a module, class, function, lambda or generator expression.

    Raises ``RecursionError`` where the text is nested as deeply as Python's stack.
    """
    names = names_of(scope)
    lowering = Lowering(scope, names)
    lowering.lower()
    blocks = lowering.blocks
    dominators = immediate_dominators([block.successors for block in blocks], 0)
    added = to_ssa(scope, blocks, dominators)
    starts = {
        statement: [(number, at + added[number]) for number, at in points]
        for statement, points in lowering.starts.items()
    }
    return Body(
        scope,
        blocks,
        names.own,
        names.shared,
        names.dynamic,
        lowering.made,
        starts,
        lowering.turns,
        dominators,
    )


class Bodies:
    """The bodies of one file: ``source.once(Bodies)``."""

    def __init__(self, source: Source) -> None:
        assert source.nodes  # which links each to what holds it
        self._parents = Parents()
        self._lowered: dict[ast.AST, Body] = {}

    def of(self, scope: ast.AST) -> Body:
        """The body of a scope."""
        if scope not in self._lowered:
            self._lowered[scope] = lower(scope)
        return self._lowered[scope]

    def around(self, tree: ast.AST) -> Body:
        """The body that evaluates ``tree``: that of the scope around it, decorators and default
        values belonging to the one outside."""
        return self.of(scope_around(self._parents, tree))

    def moments(self, tree: ast.AST) -> tuple[Body, Sequence[Point]]:
        """When the body around a tree comes to it, or to the smallest part that holds it and does
        anything; never where there is none."""
        body = self.around(tree)
        held: ast.AST | None = tree
        while held is not None and held is not body.scope:
            if points := body.points(held):
                return body, points
            held = self._parents.get(held)
        return body, ()


def scope_around(parents: Parents, tree: ast.AST) -> ast.AST:
    """The scope that evaluates ``tree``, which is the module itself for a module."""
    inner, current = tree, parents.get(tree)
    while current is not None:
        if isinstance(current, SCOPES) and not _is_outside(current, inner):
            return current
        inner, current = current, parents.get(current)
    return inner


def _is_outside(scope: ast.AST, part: ast.AST) -> bool:
    """Whether a part of the tree of ``scope`` is evaluated where the scope is made."""
    if isinstance(scope, ast.Module):
        return False
    if isinstance(scope, ast.GeneratorExp):
        return part is scope.generators[0]
    body = scope.body if isinstance(scope, ast.Lambda) else None
    if body is not None:
        return part is not body and not isinstance(part, ast.arg)
    return part not in scope.body  # type: ignore[attr-defined]
