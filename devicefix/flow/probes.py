"""Moves whose failure is caught: the program asks for CUDA by trying it."""

from __future__ import annotations

import ast

from devicefix.flow.analysis import Analysis
from devicefix.source.walking import walk

_CAUGHT = frozenset(("AssertionError", "BaseException", "Exception", "RuntimeError"))
"""What a move raises where there is no CUDA (torch/cuda/__init__.py, ``_lazy_init``), and above."""
_SIMPLE = (ast.Assign, ast.Expr, ast.Return)


def is_probe(analysis: Analysis, tree: ast.expr) -> bool:
    """``tree`` stands directly in a short ``try`` that goes on in another way where it fails.

    Loops, contexts and definitions in the body make it more than a question: it is a program that
    reports its own errors, and moves as others do.
    """
    child: ast.AST = tree
    parent = analysis.parents.get(child)
    while isinstance(parent, (ast.expr, ast.keyword)):
        child, parent = parent, analysis.parents.get(parent)
    block = analysis.parents.get(parent) if parent is not None else None
    if not isinstance(block, ast.Try) or parent not in block.body:
        return False
    return all(isinstance(s, _SIMPLE) for s in block.body) and any(map(_goes_on, block.handlers))


def _goes_on(handler: ast.ExceptHandler) -> bool:
    types = [handler.type]
    if isinstance(handler.type, ast.Tuple):
        types = [*handler.type.elts]
    names = {ast.unparse(t).rpartition(".")[2] if t is not None else "Exception" for t in types}
    raises = any(isinstance(node, ast.Raise) for s in handler.body for node in walk(s))
    return bool(names & _CAUGHT) and not raises
