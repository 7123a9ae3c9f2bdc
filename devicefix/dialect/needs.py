"""Where only an integer will do.

A float as a bound of a slice, as a size of a tensor or in ``range`` is an error in Python 2 and 3
alike, so what stands there was an integer in Python 2, and ``/`` in it stood between integers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from devicefix.dialect.scopes import Scopes

_SIZED: Final = frozenset({"zeros", "ones", "empty", "rand", "randn", "eye", "full"})
"""Of torch and numpy: the sizes come first, in a sequence or one by one."""
_LEGACY: Final = ("Tensor", "FloatTensor", "LongTensor", "IntTensor", "ByteTensor", "DoubleTensor")
_METHODS: Final = frozenset({"view", "expand", "narrow", "resize_", "chunk", "new_zeros"})
"""Of tensors: all their arguments are integers (docs.pytorch.org/docs/stable/tensors.html)."""
_LAYERS: Final = {
    "Linear": 2,
    "Bilinear": 3,
    "Embedding": 2,
    "LSTM": 3,
    "GRU": 3,
    "RNN": 3,
    "LSTMCell": 2,
    "GRUCell": 2,
    "RNNCell": 2,
    "Conv1d": 7,
    "Conv2d": 7,
    "Conv3d": 7,
    "ConvTranspose1d": 7,
    "ConvTranspose2d": 7,
    "ConvTranspose3d": 7,
    "BatchNorm1d": 1,
    "BatchNorm2d": 1,
    "BatchNorm3d": 1,
    "InstanceNorm2d": 1,
    "LayerNorm": 1,
    "MaxPool1d": 3,
    "MaxPool2d": 3,
    "AvgPool1d": 3,
    "AvgPool2d": 3,
    "PixelShuffle": 1,
}
"""Layers of ``torch.nn``, and how many of their first parameters are integers
(docs.pytorch.org/docs/stable/nn.html)."""
_ARITHMETIC: Final = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)


def needed(tree: ast.Module, scopes: Scopes) -> frozenset[ast.expr]:
    """The expressions of a file that surely are integers, as they stand where others fail."""
    found: set[ast.expr] = set()
    waiting = [place for node in ast.walk(tree) for place in _places(node, scopes)]
    while waiting:
        expression = waiting.pop()
        if expression not in found:
            found.add(expression)
            waiting += _parts(expression, scopes)
    return frozenset(found)


def _places(node: ast.AST, scopes: Scopes) -> Iterator[ast.expr]:
    """What has to be an integer, or an array of them, right in ``node``."""
    match node:
        case ast.Slice(lower=lower, upper=upper, step=step):
            yield from (bound for bound in (lower, upper, step) if bound is not None)
        case ast.Subscript(slice=ast.Tuple(elts=elements)):
            if any(isinstance(e, ast.Slice) for e in elements):  # else it may be a key
                yield from (e for e in elements if not isinstance(e, (ast.Slice, ast.Starred)))
        case ast.BinOp(left=ast.List(), op=ast.Mult(), right=times):
            yield times
        case ast.Call(func=ast.Name() as function, args=args):
            if scopes.is_builtin(function, "range", "xrange"):
                yield from args
        case ast.Call(func=ast.Attribute() as function, args=args):
            yield from _of_call(function, args, scopes)


def _of_call(function: ast.Attribute, args: list[ast.expr], scopes: Scopes) -> Iterator[ast.expr]:
    """The sizes among the arguments of ``torch.zeros``, ``nn.Linear``, ``x.view`` …"""
    name = function.attr
    if len(args) == 1 and not _is_number(args[0]):
        return  # it may be a sequence of sizes
    if not _is_module(function.value, scopes):
        yield from args if name in _METHODS else ()
    elif name in _LAYERS:
        yield from args[: _LAYERS[name]]
    elif name in _SIZED or name in _LEGACY:
        sizes = args[:1] if name == "full" else args
        for size in sizes:
            listed = isinstance(size, (ast.Tuple, ast.List))
            if not listed:
                yield size
            elif name in _SIZED:  # a list given to torch.Tensor holds data
                yield from size.elts  # type: ignore[attr-defined]


def _is_number(node: ast.expr) -> bool:
    """Whether ``node`` is arithmetic that no sequence has."""
    if isinstance(node, (ast.Tuple, ast.List)):
        return True  # whose elements are looked at one by one
    return isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Add)


def _is_module(node: ast.expr, scopes: Scopes) -> bool:
    if isinstance(node, ast.Attribute):
        return _is_module(node.value, scopes)
    if not isinstance(node, ast.Name):
        return False
    bindings = scopes.bindings(node)
    return bool(bindings) and all(binding.how == "import" for binding in bindings)


def _parts(node: ast.expr, scopes: Scopes) -> list[ast.expr]:
    """What has to be an integer for ``node`` to be one."""
    match node:
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _ARITHMETIC):
            return [left, right]
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return [operand]
        case ast.IfExp(body=body, orelse=orelse):
            return [body, orelse]
        case ast.Call(func=ast.Name() as function, args=args, keywords=[]):
            extreme = scopes.is_builtin(function, "min", "max", "abs") and len(args) != 1
            return args if extreme or scopes.is_builtin(function, "abs") else []
        case ast.Name():
            match scopes.bindings(node):
                case [binding] if binding.how == "value" and not binding.path:
                    return [binding.value] if binding.value is not None else []
    return []
