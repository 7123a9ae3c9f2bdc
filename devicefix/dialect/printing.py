"""``print >>file, x``, which Python 3 reads as an expression."""

from __future__ import annotations

import ast

from devicefix.dialect.draft import Draft


def print_to_files(draft: Draft) -> None:
    """``print >>file, a, b`` -> ``print(a, b, file=file)``."""
    for node in draft.walk():
        if isinstance(node, ast.Expr):
            _print(draft, node)


def _print(draft: Draft, node: ast.Expr) -> None:
    whole = node.value
    parts = whole.elts if isinstance(whole, ast.Tuple) and whole.elts else [whole]
    match parts[0]:
        case ast.BinOp(left=ast.Name() as name, op=ast.RShift(), right=file):
            if not draft.scopes.is_builtin(name, "print"):
                return
            source = draft.source
            comma = source.text[: source.span(node).end].rstrip().endswith(",")
            end = ['end=" "'] if comma else []
            texts = [*map(source.segment, parts[1:]), *end, f"file={source.segment(file)}"]
            draft.replace(node, f"print({', '.join(texts)})", "print >>")
