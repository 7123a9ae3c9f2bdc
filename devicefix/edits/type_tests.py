"""Questions for a type that is another one today: ``isinstance(x, Variable)``."""

from __future__ import annotations

import ast

from devicefix.edits.expressions import replace_expression
from devicefix.findings import Edit
from devicefix.source import Source


def ask_for(source: Source, name: ast.expr, new: str) -> Edit | None:
    """``isinstance(x, Variable)``, ``type(x) == Variable``, ``x: Variable`` ask for ``new``.

    None where ``name`` is part of something else.
    """
    parent = source.parent(name)
    if isinstance(parent, ast.Tuple):
        parent = source.parent(parent)
    if isinstance(parent, ast.Compare):
        text = _comparison(source, parent, name, new)
        return replace_expression(source, parent, text) if text else None
    return replace_expression(source, name, new) if _is_type(parent, name) else None


def _comparison(source: Source, tree: ast.Compare, name: ast.expr, new: str) -> str:
    """``type(x) == Variable`` -> ``isinstance(x, torch.Tensor)``; empty for other comparisons."""
    asked = tree.left
    same = isinstance(tree.ops[0], (ast.Eq, ast.Is))
    known = same or isinstance(tree.ops[0], (ast.NotEq, ast.IsNot))
    if not (known and tree.comparators == [name] and isinstance(asked, ast.Call)):
        return ""
    if ast.unparse(asked.func) != "type" or len(asked.args) != 1 or asked.keywords:
        return ""
    test = f"isinstance({source.segment(asked.args[0])}, {new})"
    return test if same else f"not {test}"


def _is_type(parent: ast.AST | None, tree: ast.expr) -> bool:
    if isinstance(parent, ast.Call):
        return ast.unparse(parent.func) == "isinstance" and tree not in parent.args[:1]
    return any(getattr(parent, field, None) is tree for field in ("annotation", "returns"))
