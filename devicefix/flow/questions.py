"""Which expressions idioms of old torch are about.

Noting the values of all expressions would cost every program; these are few, and only files that
look old have some.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from devicefix.source import Source

_LOOKS_OLD: Final = re.compile(
    r"\bVariable\b|volatile|\.data\b|size_average|\breduce\b|Tensor\b|\.type\(|1\.?0? - "
)


def questions(source: Source) -> frozenset[ast.AST]:
    """The expressions of a file whose values are worth noting."""
    if not _LOOKS_OLD.search(source.text):
        return frozenset()
    return frozenset(tree for node in source.nodes for tree in _asked(node))


def _asked(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.Call(func=func, args=args, keywords=keywords):
            yield func
            yield from args
            yield from (k.value for k in keywords)
        case ast.Attribute(value=value) | ast.Subscript(value=value):
            yield value
        case ast.BinOp(left=ast.Constant(), right=right, op=ast.Sub()):
            yield right
