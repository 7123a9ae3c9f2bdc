"""Access paths: ``x``, ``self.device``, ``config["device"]``, and the operations on them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from devicefix.flow.ir import DELETES, WRITES, Body, Kind, Op

Path: TypeAlias = tuple[str, ...]
"""A name, then attributes as they are called, and items as ``repr`` of their key in brackets."""

READS = frozenset((Kind.LOAD, Kind.OUTER, Kind.ATTRIBUTE, Kind.ITEM))
_OF_NAMES = frozenset((*(Kind.LOAD, Kind.OUTER), *(Kind.STORE, Kind.STORE_OUTER), Kind.DELETE))
_ATTRIBUTES = frozenset((Kind.ATTRIBUTE, Kind.SET_ATTRIBUTE, Kind.DELETE_ATTRIBUTE))
_ITEMS = frozenset((Kind.ITEM, Kind.SET_ITEM, Kind.DELETE_ITEM))


@lru_cache(maxsize=4096)
def parsed(text: str) -> Path | None:
    """The path that an expression writes; None where it is none."""
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None
    return of_tree(tree)


def of_tree(tree: ast.expr) -> Path | None:
    """The path that an expression is; None where it is none."""
    match tree:
        case ast.Name(id=name):
            return (name,)
        case ast.Attribute(value=holder, attr=name):
            step = name
        case ast.Subscript(value=holder, slice=ast.Constant(value=key)):
            step = f"[{key!r}]"
        case _:
            return None
    above = of_tree(holder)
    return (*above, step) if above is not None else None


def path_of(op: Op) -> Path | None:
    """The path that an operation reads, binds or deletes; None where it is no such operation."""
    steps: list[str] = []
    while op.kind not in _OF_NAMES and op.kind is not Kind.DELETE_OUTER:
        if op.kind in _ATTRIBUTES:
            steps.append(op.name)
        elif op.kind in _ITEMS and isinstance(op.operands[1].node, ast.Constant):
            steps.append(f"[{op.operands[1].node.value!r}]")
        else:
            return None
        op = op.operands[0]
    return (op.name, *reversed(steps))


def changes_by_name(body: Body) -> Mapping[str, Sequence[Op]]:
    """The operations that bind or delete a name, or an attribute or item that hangs on it."""
    return _by_name(body.writes)


def reads_by_name(body: Body) -> Mapping[str, Sequence[Op]]:
    """Those that read one."""
    return _by_name(op for op in body.ops if op.kind in READS)


def _by_name(ops: Iterable[Op]) -> Mapping[str, Sequence[Op]]:
    found: dict[str, list[Op]] = {}
    for op in ops:
        root = op
        while root.kind in _ATTRIBUTES or root.kind in _ITEMS:
            root = root.operands[0]
        if root.kind in _OF_NAMES or root.kind is Kind.DELETE_OUTER:
            found.setdefault(root.name, []).append(op)
    return found


def changes(op: Op, path: Path) -> bool:
    """Whether an operation binds or deletes the path, what it hangs on, or a part of it."""
    found = path_of(op) if op.kind in WRITES or op.kind in DELETES else None
    shared = min(len(found), len(path)) if found is not None else 0
    return found is not None and found[:shared] == path[:shared]
