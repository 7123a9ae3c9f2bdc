"""How many dimensions an array surely has; None: it may be a NumPy scalar.

A tensor takes a NumPy scalar from the host wherever it lives, but no array.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Final

from devicefix.flow.annotations import says_number
from devicefix.flow.frame import Arguments
from devicefix.flow.joins import exact_items
from devicefix.flow.values import (
    Array,
    Const,
    Flat,
    Listing,
    Opaque,
    Plain,
    Tensor,
    Tuple,
    Unknown,
    Value,
    is_number,
)
from devicefix.torch_api import NumpyFunction

_FLAT: Final = frozenset({"arange", "geomspace", "linspace", "logspace"})
_JOINS: Final = frozenset({"append", "concatenate", "hstack"})
"""Of arrays of one dimension they make such an array; the others must have as many."""
_FLATTENS: Final = frozenset({"flatten", "masked_select", "ravel", "repeat_interleave"})
_BARE: Final = frozenset({"flatten", "ravel"})
"""Those of them that flatten no more than they are told by arguments."""
_KEEPS_SHAPE: Final = frozenset({"float", "double", "half", "int", "long", "byte", "cpu", "cuda"})


def dimensions_of_call(row: NumpyFunction, args: Arguments) -> int | None:
    """What a call of a NumPy function returns has at least so many dimensions."""
    first = args.value(0)
    match row.dims:
        case int() as least:
            return least
        case "shape":
            return _of_shape(args.value(0, "shape"))
        case "sizes":
            return len(args.positional) or None
        case "size":
            return _of_shape(args.value(row.size_position, "size"))
        case "data":
            return dimensions_of(first) if first is not None else None
        case "reduced":
            return _reduced(args)
        case "kept":
            return largest([v for _, v in args.positional])
        case _:
            return _reshaped(row, args)


def dimensions_of(value: Value) -> int | None:
    """The dimensions of ``np.array(value)``, at least."""
    match value:
        case Array(least=least):
            return least
        case Tuple(items=items) if items:
            return 1 + min((dimensions_of(item) or 0) for item in items)
        case Listing() | Tuple():
            return 1
        case Tensor(scalar=False):
            return 0
        case _:
            return None


def _of_shape(value: Value | None) -> int | None:
    match value:
        case Tuple(items=items):
            return len(items) or None
        case Listing() | Plain():
            return 1
        case Const(value=int()):
            return 1
        case _:
            return None


def largest(values: Iterable[Value]) -> int | None:
    """The dimensions of what is computed from ``values``, at least."""
    found = [dimensions_of(value) for value in values]
    # of arrays without dimensions NumPy makes scalars
    return max((n for n in found if n), default=None)


def _reduced(args: Arguments) -> int | None:
    """Without ``axis`` a scalar, else one dimension less."""
    axis = args.value(1, "axis")
    least = dimensions_of(args.value(0) or Plain())
    if isinstance(axis, Const) and isinstance(axis.value, int) and least is not None:
        return least - 1 if least > 1 else None
    return None


def _reshaped(row: NumpyFunction, args: Arguments) -> int | None:
    least = dimensions_of(args.value(0) or Plain())
    if row.name in ("reshape", "view") and len(args.positional) > 1:
        shapes = args.positional[1:]
        return _of_shape(shapes[0][1]) if len(shapes) == 1 else len(shapes)
    if row.name == "expand_dims":
        return (least or 0) + 1
    return least if row.name in ("broadcast_to", "moveaxis", "swapaxes") else None


def flat_array(row: NumpyFunction, args: Arguments) -> Flat:
    """Whether what a NumPy function returns has one dimension."""
    if row.name in _FLAT:
        return Flat.SURE if all(is_number(v) for _, v in args.positional) else Flat.OPEN
    if row.name in _JOINS and args.value(None, "axis") is None:
        first, second = args.value(0), args.value(1)
        joined = (first, second) if row.name == "append" else exact_items(first or Unknown())
        return Flat.SURE if any(flat_data(v) is Flat.SURE for v in joined) else Flat.OPEN
    if row.name == "interp":
        return flat_data(args.value(0))
    return flat_data(args.value(0)) if row.name in ("array", "asarray") else Flat.OPEN


def flat_data(value: Value | None) -> Flat:
    """Whether what ``torch.tensor(value)`` makes has one dimension."""
    match value:
        case Tensor(scalar=False, flat=flat):
            return flat
        case Tuple(items=items) if items:
            return Flat.SURE if all(map(_is_single, items)) else Flat.NO
        case Listing(records=records):
            held = [record.element for record in records]
            return Flat.SURE if held and all(map(_is_single, held)) else _open(held)
        case Plain(number=False, text=False) | Opaque() | Unknown():
            return Flat.OPEN
        case Array(least=None | 0 | 1, flat=flat):
            return flat
        case _:
            return Flat.NO


def _is_single(value: Value | None) -> bool:
    return value is not None and (is_number(value) or (isinstance(value, Tensor) and value.scalar))


def _open(values: Iterable[Value | None]) -> Flat:
    """Whether these may be numbers: of an empty list nothing is known."""
    known = all(isinstance(v, (Const, Opaque, Plain, Unknown)) for v in values)
    return Flat.OPEN if known else Flat.NO


def item_flat(holder: Tensor, tree: ast.expr, index: Value) -> Flat:
    """What speaks for ``holder[index]`` being one element of a tensor of one dimension."""
    if isinstance(tree, ast.Slice) or holder.flat < Flat.LIKELY:
        return Flat.NO
    if isinstance(index, Tensor):
        sure = index.scalar and index.dtype not in ("bool", "uint8")
    else:
        sure = is_number(index) and not isinstance(getattr(index, "value", 0), bool)
    if not sure and not _may_be_number(tree, index):
        return Flat.NO
    return min(holder.flat, Flat.SURE) if sure else Flat.LIKELY


def _may_be_number(tree: ast.expr, index: Value) -> bool:
    """Whether an index that is not known may be one; None is what is not set yet."""
    match index:
        case Plain() | Unknown() | Array(least=None):
            return True
        case Opaque(parameter=parameter, part=False):
            return says_number(parameter)
        case Const(value=None):
            return not isinstance(tree, ast.Constant)
        case _:
            return False


def flattened(name: str, args: Arguments) -> Flat:
    """Whether a method gives one dimension whatever it is called on: ``x.flatten()``."""
    given = [value for _, value in args.positional]
    if name in ("reshape", "view"):
        match given:
            case [Const(value=int() as length)]:
                return Flat.SINGLE if length == 1 else Flat.SURE
        return Flat.NO
    flattens = name in _FLATTENS and not args.keywords and len(given) <= (name not in _BARE)
    return Flat.SURE if flattens else Flat.NO


def keeps_dimensions(args: Arguments) -> bool:
    """``torch.argmax(x, keepdim=True)``: of one element, and of as many dimensions as ``x`` has."""
    given = args.value(None, "keepdim") or args.value(None, "keepdims")
    return given is not None and given != Const(False)


def is_flattened(tree: ast.expr) -> bool:
    """``x.view(-1).float().sum(0)``: of what surely has one dimension."""
    while isinstance(tree, ast.Call) and isinstance(tree.func, ast.Attribute):
        tree = tree.func.value
        if not (isinstance(tree, ast.Call) and isinstance(tree.func, ast.Attribute)):
            return False
        name, given = tree.func.attr, [ast.unparse(a) for a in tree.args]
        if name == "flatten" or (name in ("view", "reshape") and given == ["-1"]):
            return not tree.keywords and (name != "flatten" or not given)
        if name not in _KEEPS_SHAPE or tree.args or tree.keywords:
            return False
    return False


def item_dimensions(array: Array, index: Value, slices: bool) -> int | None:
    """The dimensions of ``array[index]``, at least."""
    if slices or isinstance(index, (Array, Listing, Tensor)):
        return array.least
    if array.least is None:
        return None
    count = len(index.items) if isinstance(index, Tuple) else 1
    return array.least - count if array.least > count else None
