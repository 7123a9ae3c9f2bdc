"""Types of the host as functions: factories that can be told the device."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from devicefix.edits.calls import remove_method
from devicefix.edits.errors import EditError
from devicefix.edits.expressions import replace_expression
from devicefix.edits.keywords import add_keyword
from devicefix.findings import Edit
from devicefix.flow.legacy_facts import Sort
from devicefix.flow.scripts import bound_anywhere
from devicefix.torch_api import LEGACY_CONSTRUCTORS

if TYPE_CHECKING:
    from devicefix.flow import FileFacts
    from devicefix.source import Source

_SIZE: Final = frozenset({"size"})
_FACTORIES: Final[Mapping[object, str]] = {0: "zeros", 1: "ones"}
"""The factories of tensors that are full of one number."""


def is_constructor(facts: FileFacts, call: ast.Call) -> bool:
    """``torch.FloatTensor(…)``, and not the one of ``torch.cuda``."""
    belief = facts.beliefs.get(call.func)
    row = LEGACY_CONSTRUCTORS.get(belief.name) if belief is not None else None
    return row is not None and row.device == "cpu"


def dtype_of(facts: FileFacts, call: ast.Call) -> str:
    """The dtype of a type; ``default`` of one that follows the default."""
    return LEGACY_CONSTRUCTORS[facts.beliefs[call.func].name].dtype


def holds_data(source: Source, facts: FileFacts, call: ast.Call) -> bool:
    """Whether it is given what is in the tensor, and not how large it is."""
    return _kind(source, facts, call) == "data"


def constructor_of(facts: FileFacts, tree: ast.AST) -> ast.Call | None:
    """The call of a type at the start of a chain: ``torch.LongTensor(3).zero_()``."""
    while isinstance(tree, ast.Call) and not is_constructor(facts, tree):
        tree = tree.func.value if isinstance(tree.func, ast.Attribute) else tree.func
    return tree if isinstance(tree, ast.Call) and not tree.keywords else None


def as_factory(source: Source, facts: FileFacts, call: ast.Call, dtype: str) -> tuple[Edit, ...]:
    """``torch.LongTensor(2, 3).zero_()`` -> ``torch.zeros(2, 3, dtype=torch.int64)``.

    ``dtype`` is that of the type. Raises ``EditError`` where it is not known whether sizes or data
    are given.
    """
    kind = _kind(source, facts, call)
    if not kind or not facts.torch or not call.args:
        raise EditError("it is not known whether the arguments are sizes or data")
    if kind == "range":
        return _counted(source, facts, call, dtype)
    filled = filling(source, call) if kind == "sizes" else None
    name = "tensor" if kind == "data" else "empty"
    if filled is not None:
        name = _FACTORIES[_filled_with(filled)]
    edits = [replace_expression(source, call.func, f"{facts.torch}.{name}")]
    if filled is not None:
        edits.append(remove_method(source, filled))
    if dtype == "default":
        dtype = "float32" if kind == "data" else ""
    told = dtype == "float32" if kind == "sizes" else dtype == _written_dtype(call.args[0])
    if dtype and not told:
        edits.append(add_keyword(source, call, "dtype", f"{facts.torch}.{dtype}"))
    return tuple(edits)


def filling(source: Source, call: ast.Call) -> ast.Call | None:
    """The call of ``.zero_()``, ``.fill_(0)`` or ``.fill_(1)`` on ``call``."""
    above = source.parent(call)
    filled = source.parent(above) if isinstance(above, ast.Attribute) else None
    if not isinstance(filled, ast.Call) or filled.func is not above:
        return None
    return filled if _filled_with(filled) in _FACTORIES else None


def _filled_with(call: ast.Call) -> object:
    """The number that a call fills a tensor with; None where that is not written out."""
    match call:
        case ast.Call(func=ast.Attribute(attr="zero_"), args=[], keywords=[]):
            return 0
        case ast.Call(
            func=ast.Attribute(attr="fill_"),
            args=[ast.Constant(value=int() | float() as number)],
            keywords=[],
        ):
            return number
    return None


def _counted(source: Source, facts: FileFacts, call: ast.Call, dtype: str) -> tuple[Edit, ...]:
    """``torch.LongTensor(range(n))`` -> ``torch.arange(n)``."""
    if dtype != "int64":
        raise EditError("`torch.arange` counts in int64")
    (given,) = call.args
    assert isinstance(given, ast.Call)
    start, end = source.span(given).start, source.span(given.args[0]).start
    closing = source.span(given).end
    if "#" in source.text[start:closing]:
        raise EditError("a comment would be lost")
    last = source.span(given.args[-1]).end
    name = replace_expression(source, call.func, f"{facts.torch}.arange")
    return (name, Edit(start, end, 0, ""), Edit(last, closing, 0, ""))


def _kind(source: Source, facts: FileFacts, call: ast.Call) -> str:
    """``sizes``, ``data`` or ``range``; empty where that is not known."""
    if call not in facts.typed or any(isinstance(a, ast.Starred) for a in call.args):
        return ""
    if len(call.args) != 1:
        return "sizes"  # of several arguments nothing else is taken
    (argument,) = call.args
    belief = facts.beliefs.get(argument)
    sort = belief.sort if belief is not None else None
    if _is_size(argument) or sort is Sort.NUMBER:
        return "sizes"
    if _is_range(source, argument):
        return "range"
    written = isinstance(argument, (ast.List, ast.ListComp)) or sort is Sort.ARRAY
    return "data" if written else ""


def _is_range(source: Source, tree: ast.expr) -> bool:
    """The built-in ``range`` of a size: ``torch.arange`` refuses a number below zero."""
    match tree:
        case ast.Call(func=ast.Name(id="range"), args=[end], keywords=[]):
            return _is_size(end) and "range" not in source.once(bound_anywhere)
    return False


def _is_size(tree: ast.expr) -> bool:
    """``len(x)``, ``x.size()``, ``x.size(0)``, ``x.shape[0]``."""
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
        return tree.func.id == "len"
    if isinstance(tree, ast.Subscript):
        shape = isinstance(tree.value, ast.Attribute) and tree.value.attr == "shape"
        return not isinstance(tree.slice, ast.Slice) and (shape or _is_size(tree.value))
    if isinstance(tree, ast.Call):
        return isinstance(tree.func, ast.Attribute) and tree.func.attr in _SIZE
    return False


def _written_dtype(tree: ast.expr) -> str:
    """What ``torch.tensor`` makes of a list of numbers; empty for what is not written out."""
    if isinstance(tree, ast.List):
        kinds = {_written_dtype(element) for element in tree.elts}
        return kinds.pop() if len(kinds) == 1 else ""
    value = tree.operand if isinstance(tree, ast.UnaryOp) else tree
    kind = type(value.value) if isinstance(value, ast.Constant) else None
    return "float32" if kind is float else "int64" if kind is int else ""
