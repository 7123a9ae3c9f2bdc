"""Which expressions idioms of old torch are about.

Noting the values of all expressions would cost every program; these are few, and only files that
look old have some. A file with ``Variable`` in it may be about any of them (``wrappings``,
``volatile``); in others each idiom names its own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from devicefix.torch_api import REDUCTIONS

if TYPE_CHECKING:
    from devicefix.source import Source

_LOOKS_OLD: Final = re.compile(
    r"\bVariable\b|volatile|\.data\b|size_average|\breduce\b|Tensor\b|\.type\(|1\.?0? - "
)
_LEARNS: Final = re.compile(r"\bVariable\b|volatile")
_LOSSES: Final = frozenset(name.rpartition(".")[2] for name in REDUCTIONS)
_STEPS: Final = frozenset({"cpu", "cuda", "detach", "numpy"})


def questions(source: Source) -> frozenset[ast.AST]:
    """The expressions of a file whose values are worth noting."""
    if not _LOOKS_OLD.search(source.text):
        return frozenset()
    if _LEARNS.search(source.text):
        return frozenset(tree for node in source.nodes for tree in _of_any(node))
    found: set[ast.AST] = set()
    for item in source.of_type(ast.Subscript):
        found.update(_of_first(item))
    for difference in source.of_type(ast.BinOp):
        found.update(_of_mask(difference))
    for call in source.of_type(ast.Call):
        found.update(_of_call(call))
    return frozenset(found)


def _of_any(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.Call(func=func, args=args, keywords=keywords):
            yield func
            yield from args
            yield from (k.value for k in keywords)
        case ast.Attribute(value=value) | ast.Subscript(value=value):
            yield value
        case ast.BinOp(left=ast.Constant(), right=right, op=ast.Sub()):
            yield right


def _of_first(tree: ast.Subscript) -> Iterator[ast.expr]:
    """``loss`` of ``loss.data.cpu()[0]``: whether it has an item."""
    index = tree.slice
    if isinstance(index, ast.Constant) and index.value == 0:
        yield base_of(tree.value)


def base_of(tree: ast.expr) -> ast.expr:
    """``x`` of ``x.data.cpu().numpy()``."""
    while True:
        if isinstance(tree, ast.Attribute) and tree.attr == "data":
            tree = tree.value
        elif (
            isinstance(tree, ast.Call)
            and isinstance(tree.func, ast.Attribute)
            and tree.func.attr in _STEPS
            and not tree.args
        ):
            tree = tree.func.value
        else:
            return tree


def _of_mask(tree: ast.BinOp) -> Iterator[ast.expr]:
    """``mask`` of ``1 - mask``: whether it holds truth values."""
    if isinstance(tree.op, ast.Sub) and isinstance(tree.left, ast.Constant):
        yield tree.right


def _of_call(call: ast.Call) -> Iterator[ast.expr]:
    """What a tensor type or a loss is given, and what ``.type()`` is called on."""
    function = call.func
    if isinstance(function, ast.Attribute):
        name = function.attr
        if name == "type" and len(call.args) == 1:
            yield function.value
    else:
        name = function.id if isinstance(function, ast.Name) else ""
    if name.endswith("Tensor") or name in _LOSSES:
        yield from call.args
    yield from (keyword.value for keyword in call.keywords if keyword.arg == "size_average")
