"""Where only an integer will do.

A float as a bound of a slice, as a size of a tensor or in ``range`` is an error in Python 2 and 3
alike, so what stands there was an integer in Python 2, and ``/`` in it stood between integers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final

from devicefix.dialect.scopes import Binding, Scopes, package_of
from devicefix.dialect.stores import stores

SIZED: Final = frozenset({"zeros", "ones", "empty", "rand", "randn", "eye", "full"})
"""Of torch and numpy: the sizes come first, in a sequence or one by one."""
LEGACY: Final = ("Tensor", "FloatTensor", "LongTensor", "IntTensor", "ByteTensor", "DoubleTensor")
_LIBRARIES: Final = frozenset({"torch", "numpy"})
_SIZING: Final = frozenset({"cuda", "random"})
"""Their modules that have these functions, too."""
METHODS: Final = frozenset({"view", "reshape", "expand", "repeat", "narrow", "resize_", "chunk"})
"""Of tensors: all their arguments are integers (docs.pytorch.org/docs/stable/tensors.html)."""
LAYERS: Final = {
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
KEYWORDS: Final = frozenset(
    {"padding", "stride", "kernel_size", "dilation", "groups", "hidden_size", "num_layers"}
)
_LABELLED: Final = frozenset({"loc", "ix"})
"""Of tables of pandas, whose slices go by labels."""
_ARITHMETIC: Final = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)


def needed(nodes: Sequence[ast.AST], scopes: Scopes) -> frozenset[ast.expr]:
    """The expressions of a file that surely are integers, as they stand where others fail."""
    found: set[ast.expr] = set()
    own = {n.name for n in nodes if isinstance(n, ast.FunctionDef)}
    stored = stores(nodes)
    waiting = [place for node in nodes for place in _places(node, scopes, own)]
    while waiting:
        expression = waiting.pop()
        if expression not in found:
            found.add(expression)
            waiting += _parts(expression, scopes, stored)
    return frozenset(found)


def _places(node: ast.AST, scopes: Scopes, own: Set[str]) -> Iterator[ast.expr]:
    """What has to be an integer, or an array of them, right in ``node``."""
    match node:
        case ast.Subscript(value=ast.Attribute(attr=attr)) if attr in _LABELLED:
            return
        case ast.Subscript(slice=ast.Slice() as bounds):
            yield from _bounds(bounds)
        case ast.Subscript(slice=ast.Tuple(elts=elements)):
            if any(isinstance(e, ast.Slice) for e in elements):  # else it may be a key
                for element in elements:
                    yield from _bounds(element) if isinstance(element, ast.Slice) else [element]
        case ast.BinOp(left=ast.List(), op=ast.Mult(), right=times):
            yield times
        case ast.Call(func=ast.Name() as function, args=args):
            if scopes.is_builtin(function, "range", "xrange"):
                yield from args
            elif package_of(function, scopes) == "torch":
                yield from _of_layer(function.id, node)
        case ast.Call(func=ast.Attribute() as function):
            yield from _of_call(function, node, scopes, own)


def _bounds(node: ast.Slice) -> list[ast.expr]:
    return [bound for bound in (node.lower, node.upper, node.step) if bound is not None]


def _of_call(
    function: ast.Attribute, call: ast.Call, scopes: Scopes, own: Set[str]
) -> Iterator[ast.expr]:
    """The sizes among the arguments of ``torch.zeros``, ``nn.Linear``, ``x.view`` …"""
    name, args = function.attr, call.args
    root: ast.expr = function.value
    inside = []
    while isinstance(root, ast.Attribute):
        inside.append(root.attr)
        root = root.value
    library = package_of(root, scopes)
    # `torch.sparse.FloatTensor(indices, values, size)`, `nn.init.eye(weight)`
    sized = library in _LIBRARIES and _SIZING.issuperset(inside)
    if library is None:
        only_numbers = name in METHODS and name not in own and _is_several(args)
        yield from args if only_numbers else ()
    elif name in LAYERS:
        yield from _of_layer(name, call) if library == "torch" else ()
    elif sized and name in SIZED and _is_several(args):
        yield from _sizes(name, args)
    elif sized and name in LEGACY and len(args) > 1:
        yield from _sizes(name, args)  # one alone may be data, also where it is computed


def _of_layer(name: str, call: ast.Call) -> Iterator[ast.expr]:
    if name in LAYERS:
        yield from call.args[: LAYERS[name]]
        yield from (keyword.value for keyword in call.keywords if keyword.arg in KEYWORDS)


def _sizes(name: str, args: list[ast.expr]) -> Iterator[ast.expr]:
    for size in args[:1] if name == "full" else args:
        if not isinstance(size, (ast.Tuple, ast.List)):
            yield size
        elif name in SIZED:  # a list given to torch.Tensor holds data
            yield from size.elts


def _is_several(args: list[ast.expr]) -> bool:
    """Whether the arguments are numbers; one alone may be a sequence of them."""
    return len(args) != 1 or _is_number(args[0])


def _is_number(node: ast.expr) -> bool:
    """Whether ``node`` is arithmetic that no sequence has."""
    if isinstance(node, (ast.Tuple, ast.List)):
        return True  # whose elements are looked at one by one
    return isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Add)


def _parts(
    node: ast.expr, scopes: Scopes, stored: Mapping[str, Sequence[Binding]]
) -> list[ast.expr]:
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
            return _bound(scopes.bindings(node))
        case ast.Attribute(value=ast.Name(), attr=attr):
            return _bound(stored.get(attr, ()))
    return []


def _bound(bindings: Sequence[Binding]) -> list[ast.expr]:
    """What is all that a name, or an attribute of whatever object, gets."""
    match bindings:
        case [Binding(how="value", value=ast.expr() as value, path=path)]:
            return _unpacked(value, path)
    return []


def _unpacked(value: ast.expr, path: Sequence[int]) -> list[ast.expr]:
    """What ``a, b = value`` gives one name, where it is written there."""
    for number in path:
        if not isinstance(value, (ast.Tuple, ast.List)) or number not in range(len(value.elts)):
            return []
        if any(isinstance(element, ast.Starred) for element in value.elts):
            return []
        value = value.elts[number]
    return [value]
