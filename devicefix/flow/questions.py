"""Which expressions idioms of old torch are about.

Noting the values of all expressions would cost every program; these are few, and only files that
look old have some. A file with ``Variable`` in it may be about any of them (``wrappings``,
``volatile``); in others each idiom names its own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from devicefix.torch_api import OLD_REDUCTION, REDUCTIONS

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
    found.update(base_of(n.value) for n in source.of_type(ast.Subscript) if _is_first(n.slice))
    found.update(n.right for n in source.of_type(ast.BinOp) if _is_difference(n))
    if "size_average" in source.text:
        found.update(k.value for k in source.of_type(ast.keyword) if k.arg == "size_average")
    if not source.attributes.isdisjoint(OLD_REDUCTION):
        found.update(n.value for n in source.of_type(ast.Attribute) if _is_reduction(n))
    if "backward" in source.attributes:
        gradients = filter(None, map(gradient_of, source.of_type(ast.Call)))
        found.update(tree for pair in gradients for tree in pair)
    asked = _asked_of(source.names | source.attributes)
    if asked:
        for call in source.of_type(ast.Call):
            found.update(_of_call(call, asked))
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
        case ast.Return(value=ast.Tuple(elts=items)):
            yield from items
        case ast.Return(value=ast.expr() as value):
            yield value


def _is_first(index: ast.expr) -> bool:
    """That of ``loss.data.cpu()[0]``: whether it has an item."""
    return isinstance(index, ast.Constant) and index.value == 0


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


def gradient_of(call: ast.Call) -> tuple[ast.expr, ast.expr] | None:
    """``x`` and ``g`` of ``x.backward(g)``."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "backward":
        return None
    named = [k.value for k in call.keywords if k.arg == "gradient"]
    given = [*call.args[:1], *named]
    return (call.func.value, given[0]) if len(given) == 1 else None


def _is_reduction(tree: ast.Attribute) -> bool:
    """``criterion.size_average = …``: whether it is a loss of torch."""
    return tree.attr in OLD_REDUCTION and isinstance(tree.ctx, ast.Store)


def _is_difference(tree: ast.BinOp) -> bool:
    """``1 - mask``: whether it holds truth values."""
    return isinstance(tree.left, ast.Constant) and isinstance(tree.op, ast.Sub)


def _asked_of(words: Iterable[str]) -> frozenset[str]:
    """Those of ``words`` by which tensor types and losses are called, and ``.type()``."""
    return frozenset(w for w in words if w.endswith("Tensor") or w in _LOSSES or w == "type")


def _of_call(call: ast.Call, asked: frozenset[str]) -> Iterator[ast.expr]:
    """What a tensor type or a loss is given, and what ``.type()`` is called on."""
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name in asked and name != "type":
        yield from call.args
    elif name in asked and isinstance(function, ast.Attribute):
        yield function.value
