"""What the command line says of an option: its name, and what it may be."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.flow.values import Const, as_device
from devicefix.source import Source


def is_option(call: ast.Call, name: str) -> bool:
    """``parser.add_argument("--name")``."""
    return name in _names(call)


def unfit_options(source: Source) -> frozenset[str]:
    """The options of a file that may be something that is no name of a device.

    ``type=int``, ``default="0,1"`` …: what such an option is good for, only the program knows.
    """
    calls = source.of_type(ast.Call)
    return frozenset(name for call in calls for name in _names(call) if not _names_devices(call))


def number_options(source: Source) -> frozenset[str]:
    """The options of a file that are numbers: ``type=int``, or ``default=0`` and no type."""
    calls = source.of_type(ast.Call)
    return frozenset(name for call in calls for name in _names(call) if _gives_number(call))


def _gives_number(call: ast.Call) -> bool:
    said = {k.arg: k.value for k in call.keywords}
    kind = said.get("type")
    if kind is not None:
        return isinstance(kind, ast.Name) and kind.id == "int"
    return any(type(value) is int for value in _values(said.get("default")))


def _names(call: ast.Call) -> Iterator[str]:
    if isinstance(call.func, ast.Attribute) and call.func.attr == "add_argument":
        given = [*call.args, *(k.value for k in call.keywords if k.arg == "dest")]
        words = (str(a.value) for a in given if isinstance(a, ast.Constant))
        yield from (word.lstrip("-").replace("-", "_") for word in words)


def _names_devices(call: ast.Call) -> bool:
    """Whether all values that are understood are names of devices."""
    said = {k.arg: k.value for k in call.keywords}
    kind, action = said.get("type"), said.get("action")
    if "nargs" in said or not (kind is None or ast.unparse(kind) in ("str", "torch.device")):
        return False
    if action is not None and ast.unparse(action) != "'store'":
        return False
    values = [*_values(said.get("default")), *_values(said.get("choices"))]
    return all(v is None or (isinstance(v, str) and as_device(Const(v))) for v in values)


def _values(tree: ast.expr | None) -> Iterator[object]:
    """The constants that an expression may give."""
    match tree:
        case ast.Constant(value=value):
            yield value
        case ast.IfExp(body=body, orelse=other):
            yield from (*_values(body), *_values(other))
        case ast.List(elts=items) | ast.Tuple(elts=items):
            for item in items:
                yield from _values(item)
