"""Places where Python and torch take nothing but whole numbers.

What stands there was an integer in Python 2, where the program ran, and so was all that it was made
of: a float that takes part in ``+``, ``-``, ``*`` or ``/`` makes a float. In Python 3 ``/`` always
makes one, and would always be refused.
"""

from __future__ import annotations

import ast
from typing import Final

from devicefix.dialect.draft import Draft
from devicefix.dialect.kinds import Kind

_CARRY: Final = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_SHAPES: Final = frozenset({"view", "reshape", "expand", "repeat", "resize_", "narrow"})
"""Methods of tensors and arrays whose arguments are sizes."""
_FACTORIES: Final = frozenset({"zeros", "ones", "empty", "rand", "randn"})
"""Functions of torch and NumPy of which the same holds."""
_LIBRARIES: Final = frozenset({"torch", "numpy"})
_WIDTHS: Final = frozenset(
    {
        "Bilinear",
        "Conv1d",
        "Conv2d",
        "Conv3d",
        "ConvTranspose1d",
        "ConvTranspose2d",
        "ConvTranspose3d",
        "Embedding",
        "GRU",
        "GRUCell",
        "LSTM",
        "LSTMCell",
        "Linear",
        "RNN",
        "RNNCell",
    }
)
"""Layers whose first two arguments are numbers of features."""
_KEYWORDS: Final = frozenset(
    {"padding", "stride", "kernel_size", "dilation", "groups", "hidden_size", "num_layers"}
)
"""Further arguments of these that are whole numbers."""


def takes_whole_numbers(draft: Draft, node: ast.expr) -> bool:
    """Whether the value that ``node`` is a part of stands where floats are refused."""
    at: ast.AST = node
    parent = draft.parent(node)
    while True:
        if isinstance(parent, ast.BinOp) and isinstance(parent.op, _CARRY):
            other = parent.left if parent.right is at else parent.right
            if isinstance(parent.op, ast.Mult) and draft.kinds.of(other) is Kind.LIST:
                return True
        elif not isinstance(parent, ast.UnaryOp) or isinstance(parent.op, ast.Not):
            break
        at, parent = parent, draft.parent(parent)
    return _refuses(draft, parent, at)


def _refuses(draft: Draft, parent: ast.AST, at: ast.AST) -> bool:
    if isinstance(parent, ast.Slice):
        return _is_sequence(draft.parent(parent))
    if isinstance(parent, ast.Tuple):
        above = draft.parent(parent)
        shapes = isinstance(above, ast.Call) and _takes_sizes(draft, above)
        return shapes and isinstance(above, ast.Call) and parent in above.args
    if isinstance(parent, ast.keyword):
        above = draft.parent(parent)
        return parent.arg in _KEYWORDS and isinstance(above, ast.Call) and _is_layer(draft, above)
    if not isinstance(parent, ast.Call) or at not in parent.args:
        return False
    if draft.scopes.is_builtin(parent.func, "range", "xrange") or _takes_sizes(draft, parent):
        return True
    return _is_layer(draft, parent) and at in parent.args[:2]


def _is_sequence(holder: ast.AST) -> bool:
    """Whether a slice is one of positions: tables have labels."""
    tables = isinstance(holder, ast.Subscript) and isinstance(holder.value, ast.Attribute)
    return isinstance(holder, ast.Subscript) and not (
        tables and getattr(holder.value, "attr", "") in ("loc", "ix")
    )


def _takes_sizes(draft: Draft, call: ast.Call) -> bool:
    function = call.func
    if not isinstance(function, ast.Attribute):
        return False
    root: ast.expr = function.value
    while isinstance(root, ast.Attribute):
        root = root.value
    if not draft.is_module(root):
        return function.attr in _SHAPES and function.attr not in draft.around.own_methods
    return function.attr in _FACTORIES and _library(draft, root) in _LIBRARIES


def _is_layer(draft: Draft, call: ast.Call) -> bool:
    """Whether ``call`` makes a layer of ``torch.nn``."""
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    root: ast.expr = function
    while isinstance(root, ast.Attribute):
        root = root.value
    return name in _WIDTHS and draft.is_module(root) and _library(draft, root) == "torch"


def _library(draft: Draft, root: ast.expr) -> str:
    """The package that a name was imported from."""
    assert isinstance(root, ast.Name)
    for binding in draft.scopes.bindings(root):
        if isinstance(binding.node, ast.ImportFrom):
            return (binding.node.module or "").partition(".")[0]
        for alias in getattr(binding.node, "names", []):
            if (alias.asname or alias.name.partition(".")[0]) == root.id:
                return str(alias.name).partition(".")[0]
    return ""
