"""Code that the torch of today never got through: it raises, or something surely ran before that
raises.

What such code gives may be changed; what ran is left to do what it did.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from msgspec import Struct

from devicefix.flow.questions import base_of
from devicefix.flow.scopes import FUNCTIONS, block_of
from devicefix.source.parsing import Parents

_MAY_NOT_RUN = (ast.BoolOp, ast.IfExp, ast.Lambda, *FUNCTIONS, ast.ClassDef, ast.comprehension)


class NeverRan(Struct, frozen=True):
    """Which places of a program nothing got beyond."""

    parents: Parents
    is_number: Callable[[ast.expr], bool]
    """Whether an expression surely is a tensor without dimensions: it has no item 0."""

    def __call__(self, place: ast.AST) -> bool:
        """Whether the statement of ``place`` raises, or one on every way to it."""
        child = place
        while (above := self.parents.get(child)) is not None:
            if isinstance(child, ast.stmt):
                block = block_of(above, child)
                before = block[: block.index(child)] if block else []
                if any(map(self._raises, before)):
                    return True
            own = isinstance(above, ast.stmt) and not isinstance(child, ast.stmt)
            if own and self._raises(above):
                return True
            if isinstance(above, (*FUNCTIONS, ast.Lambda, ast.ClassDef)):
                return False
            child = above
        return False

    def _raises(self, statement: ast.AST) -> bool:
        return any(
            isinstance(n, ast.Subscript)
            and isinstance(n.ctx, ast.Load)
            and isinstance(n.slice, ast.Constant)
            and n.slice.value == 0
            and self.is_number(base_of(n.value))
            for n in _run(statement)
        )


def _run(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that are evaluated whenever ``tree`` is."""
    match tree:
        case ast.If(test=first) | ast.While(test=first) | ast.For(iter=first):
            yield from _run(first)
        case ast.Try():
            return
        case _ if not isinstance(tree, _MAY_NOT_RUN):
            yield tree
            for child in ast.iter_child_nodes(tree):
                yield from _run(child)
