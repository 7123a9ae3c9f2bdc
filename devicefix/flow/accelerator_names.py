"""Names below ``torch.accelerator`` that a file uses, where nothing asks whether they are there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from devicefix.flow.cuda_checks import values_of
from devicefix.flow.imported import dotted, origins
from devicefix.source import Source
from devicefix.source.imports import bound_names
from devicefix.source.parsing import Parents
from devicefix.source.walking import walk

_NAMESPACE: Final = "torch.accelerator."
_CAUGHT: Final = frozenset({"AttributeError", "BaseException", "Exception", "ImportError"})
_STEPS: Final = 4
"""How many definitions are followed, one to the next."""
_ASKS: Final = frozenset({"hasattr", "getattr"})


def accelerator_names(source: Source) -> tuple[tuple[ast.AST, str], ...]:
    """The places and the names, and those of arguments: ``torch.accelerator.f(argument=)``."""
    if "accelerator" not in source.text:
        return ()
    found = (place for place in _named(source) if not _is_asked_for(source, place[0]))
    return tuple(sorted(found, key=lambda place: source.span(place[0])))


def _named(source: Source) -> Iterator[tuple[ast.AST, str]]:
    known, parents = source.once(origins), Parents()
    for statement in source.of_type(ast.ImportFrom):
        for origin in bound_names(statement).values():
            if origin.startswith(_NAMESPACE):
                yield statement, origin
    for tree in source.of_type(ast.Attribute):
        name = dotted(tree, known)
        if name.startswith(_NAMESPACE) and name.count(".") == _NAMESPACE.count("."):
            yield tree, name
            call = parents.get(tree)
            if isinstance(call, ast.Call) and call.func is tree:
                yield from ((k, f"{name}({k.arg}=)") for k in call.keywords)


def _is_asked_for(source: Source, tree: ast.AST) -> bool:
    """Whether an error is caught, or a condition asks what torch has, or which torch it is."""
    parents = Parents()
    child, parent = tree, parents.get(tree)
    while parent is not None:
        match parent:
            case ast.Try(body=body, handlers=handlers) if child in body:
                if any(map(_catches, handlers)):
                    return True
            case ast.If(test=test) | ast.IfExp(test=test) if child is not test:
                if _asks(source, test):
                    return True
            case ast.BoolOp(values=parts):
                if any(_asks(source, part) for part in parts if part is not child):
                    return True
        child, parent = parent, parents.get(parent)
    return False


def _catches(handler: ast.ExceptHandler) -> bool:
    types = walk(handler.type) if handler.type is not None else ()
    return handler.type is None or any(getattr(t, "id", "") in _CAUGHT for t in types)


def _asks(source: Source, test: ast.expr, depth: int = 0) -> bool:
    """``hasattr(torch, "accelerator")``, ``torch.__version__ >= "2.9"``."""
    for node in walk(test):
        if isinstance(node, ast.Attribute) and node.attr == "__version__":
            return True
        if isinstance(node, ast.Name) and node.id in _ASKS:
            return True
        values = values_of(source, node) if isinstance(node, ast.Name) and depth < _STEPS else []
        if any(_asks(source, value, depth + 1) for value in values):
            return True
    return False
