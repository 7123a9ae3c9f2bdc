"""Conditions that ask what tensors hold, and so nothing about devices."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Final

from devicefix.flow.joins import join_all, tensors_in
from devicefix.flow.values import (
    Array,
    External,
    Instance,
    Listing,
    Loader,
    Tensor,
    Tuple,
    Value,
    is_none,
)
from devicefix.flow.values import Mapping as Dictionary

_DATA: Final = (Array, Loader, Tensor)
_HOLDERS: Final = (Dictionary, Listing, Tuple)
_PLACES: Final = frozenset({"cuda", "device", "get_device", "is_cpu", "is_cuda", "type"})


def asks_about_data(test: ast.expr, names: Mapping[str, Value]) -> bool:
    """``if loss.sum() > 0:``, ``if self.state is None:``, ``if self.training:``.

    Surely nothing but tensors is read. ``names`` say what they mean there: options, parameters and
    constants may stand for anything.
    """
    match test:
        case ast.Constant(value=value):
            return not isinstance(value, (bool, str))
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[holder]):
            return asks_about_data(holder, names)  # whatever the key is
        case ast.Compare(left=left, comparators=others):
            return _compares_data((left, *others), names)
        case ast.BoolOp(values=parts):
            return all(asks_about_data(part, names) for part in parts)
        case ast.UnaryOp(operand=part) | ast.Subscript(value=part):
            return asks_about_data(part, names)
        case ast.BinOp(left=left, right=right):
            return asks_about_data(left, names) and asks_about_data(right, names)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return all(asks_about_data(part, names) for part in parts)
        case ast.Call(func=function, args=arguments):
            asked = [*arguments, *([] if _is_library(function, names) else [function])]
            return bool(asked) and all(asks_about_data(part, names) for part in asked)
        case ast.Attribute(attr=attribute) if attribute in _PLACES:
            return False
        case ast.Attribute(value=ast.Name(id=name), attr=attribute) if isinstance(
            names.get(name), Instance
        ):
            return attribute == "training" or _is_data(_held(names, name, attribute))
        case ast.Attribute(value=part):
            return asks_about_data(part, names)
        case ast.Name(id=name):
            return _is_data(names.get(name))
    return False


def _compares_data(parts: Sequence[ast.expr], names: Mapping[str, Value]) -> bool:
    """``loss < args.limit``: what is compared with a tensor, whatever it is, is no device."""
    asked = [part for part in parts if not isinstance(part, ast.Constant)]
    constants = (part for part in parts if isinstance(part, ast.Constant))
    return all(asks_about_data(part, names) for part in constants) and (
        not asked or any(asks_about_data(part, names) for part in asked)
    )


def _is_data(value: Value | None) -> bool:
    """A list of numbers may be one of GPUs: ``if gpu_ids:``."""
    if isinstance(value, _HOLDERS):
        return bool(tensors_in(value))
    return is_none(value) or isinstance(value, _DATA)


def _held(names: Mapping[str, Value], name: str, attribute: str) -> Value | None:
    """What an object has under that name."""
    known = names.get(f"{name}.{attribute}")
    holder = names.get(name)
    if known is not None or not isinstance(holder, Instance):
        return known
    return join_all(record.attributes.get(attribute) for record in holder.records)


def _is_library(function: ast.expr, names: Mapping[str, Value]) -> bool:
    """``len``, ``torch.isnan``: what is asked are the arguments."""
    root = function
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name):
        return False
    if root is function:
        return root.id in ("all", "any", "len", "max", "min", "sum") and root.id not in names
    return isinstance(names.get(root.id), External)
