"""`ast.walk` for trees that stay as they are: what a statement holds is found once.

The analysis asks the same statements, functions and modules again and again what lies in them; a
quarter of its time went into `ast.walk`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Final, TypeVar, cast

_ANSWERS: Final = "devicefix_answers"
_Tree = TypeVar("_Tree", bound=ast.AST)
_Answer = TypeVar("_Answer")


def once(tree: _Tree, question: Callable[[_Tree], _Answer]) -> _Answer:
    """The answer to a question about a tree alone, found once and kept by the tree.

    The answer must not hold ``tree`` itself, nor what is above it.
    """
    answers: dict[Callable[[_Tree], _Answer], object] = vars(tree).setdefault(_ANSWERS, {})
    if question not in answers:
        answers[question] = question(tree)
    return cast(_Answer, answers[question])


def walk(tree: ast.AST) -> Sequence[ast.AST]:
    """All nodes of ``tree``, itself first, in the order of `ast.walk`.

    ``tree`` must not be changed afterwards.
    """
    if not isinstance(tree, (ast.stmt, ast.mod)):
        return _nodes(tree)
    return (tree, *once(tree, _within))


def _within(tree: ast.AST) -> Sequence[ast.AST]:
    return _nodes(tree)[1:]


def _nodes(tree: ast.AST) -> list[ast.AST]:
    found = [tree]
    for node in found:  # which grows
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                found.append(value)
            elif isinstance(value, list):
                found += [item for item in value if isinstance(item, ast.AST)]
    return found
