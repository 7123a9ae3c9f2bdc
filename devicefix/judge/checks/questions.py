"""May the program ask for CUDA where the edits have it ask?

In a process that later forks others which use CUDA, the question alone keeps them from it. Where
work is sent to other machines, the answer is that of the wrong machine.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from devicefix.flow.scopes import FUNCTIONS
from devicefix.judge.comparison import Comparison, Objection, enclosing
from devicefix.source.walking import walk

NAME: Final = "question"
_QUESTIONS: Final = frozenset({"is_available", "device_count", "current_device"})
_CHOSEN: Final = "current_accelerator"
"""It asks with ``check_available=True``."""


def objections(comparison: Comparison) -> Iterator[Objection]:
    """For each call of ``torch.cuda.is_available()`` and its like that is new."""
    for path in comparison.maps:
        for call in comparison.source(path).of_type(ast.Call):
            if not (_asks(call) and comparison.is_new(path, call)):
                continue
            place = _old_place(comparison, path, call)
            reason = comparison.before.analysis.processes.why_not(place, path)
            if reason and not _has_asked(place):
                yield comparison.objection(NAME, path, call, reason)


def _asks(call: ast.AST) -> bool:
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
        return False
    name = call.func.attr
    return name in _QUESTIONS or (name == _CHOSEN and bool(call.args or call.keywords))


def _has_asked(place: ast.AST) -> bool:
    """Whether the statement, or its condition, asks already: one question stands for another."""
    if isinstance(place, (ast.If, ast.While)):
        place = place.test
    simple = isinstance(place, (ast.expr, ast.Assign, ast.Expr, ast.Return))
    return simple and any(map(_asks, walk(place)))


def _old_place(comparison: Comparison, path: str, call: ast.Call) -> ast.AST:
    """What is around the call in the original: the statement, the function or the module."""
    source = comparison.before.program.sources[path]
    for node in enclosing(comparison.after, call):
        key = comparison.key(path, node) if isinstance(node, ast.stmt) else None
        if not isinstance(node, ast.stmt) or key is None:
            continue
        for old in source.of_type(type(node)):
            span = source.span(old)
            if (path, span.start, span.end) == key:
                return _inside(node, call, old)
    return source.tree


def _inside(node: ast.stmt, call: ast.Call, old: ast.stmt) -> ast.AST:
    """The default of a parameter is evaluated where the function is defined."""
    body = node.body if isinstance(node, FUNCTIONS) else ()
    within = any(call is part for statement in body for part in walk(statement))
    return old.args if isinstance(old, FUNCTIONS) and not within else old
