"""Streams and names of devices: what takes their place where there is no CUDA."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devicefix.source import Source

if TYPE_CHECKING:
    from devicefix.flow import LibraryCall

_WAITS: Final = frozenset({"wait_stream", "wait_event", "synchronize"})


def instead(source: Source, found: LibraryCall) -> str:
    """What a value of CUDA is where there is none; empty where nothing can take its place.

    ``torch.cuda.stream(None)`` does nothing:
    https://docs.pytorch.org/docs/stable/generated/torch.cuda.StreamContext.html
    """
    parent = source.parent(found.call)
    if found.names == {"torch.cuda.get_device_name"}:
        return "" if isinstance(parent, ast.Compare) else '"cpu"'
    if found.names != {"torch.cuda.Stream"}:
        return ""
    target = parent.targets[0] if isinstance(parent, ast.Assign) else None
    return "None" if target is not None and _is_only_waited_for(source, target) else ""


def waits(statement: ast.expr, call: ast.Call) -> bool:
    """``torch.cuda.current_stream().wait_stream(stream)``, or ``x.record_stream(…)`` of one."""
    if not (isinstance(statement, ast.Call) and isinstance(statement.func, ast.Attribute)):
        return False
    if statement.func.attr == "record_stream":
        return statement.args == [call]
    return statement.func.value is call and statement.func.attr in _WAITS


def _is_only_waited_for(source: Source, target: ast.expr) -> bool:
    """Whether all that the file does with a stream is to enter it, and to wait for it."""
    name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
    reads = [n for n in source.nodes if _name(n) == name and isinstance(_place(n), ast.Load)]
    given = [read for read in reads if not _is_called(source, read)]
    return bool(name) and all(_is_given(source, read) for read in given)


def _is_given(source: Source, read: ast.AST) -> bool:
    """``torch.cuda.stream(stream)``, ``current_stream().wait_stream(stream)``."""
    call = source.parent(read)
    if not (isinstance(call, ast.Call) and call.args == [read] and not call.keywords):
        return False
    return _name(call.func) in ("stream", "wait_stream")


def _is_called(source: Source, read: ast.AST) -> bool:
    """``torch.cuda.stream`` itself, where the stream has that name, too."""
    call = source.parent(read)
    return isinstance(call, ast.Call) and call.func is read and "cuda" in ast.unparse(read)


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _place(node: ast.AST) -> ast.expr_context | None:
    return getattr(node, "ctx", None)
