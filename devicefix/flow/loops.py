"""Loops around an expression, and what they change."""

from __future__ import annotations

import ast

from devicefix.source.parsing import Parents

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_BRANCHES = (ast.If, ast.IfExp, ast.Match, ast.Try)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def enclosing_loop(
    tree: ast.AST, parents: Parents, *, unconditional: bool = False
) -> ast.For | ast.AsyncFor | ast.While | None:
    """The innermost loop statement whose body runs ``tree`` in every iteration.

    None inside a comprehension, and for what a loop evaluates once. ``unconditional``: None below
    a condition of that loop's body, too.
    """
    child, parent = tree, parents.get(tree)
    while parent is not None and not isinstance(parent, _SCOPES):
        if isinstance(parent, _COMPREHENSIONS):
            return None
        if unconditional and isinstance(parent, _BRANCHES) and child is not _test(parent):
            return None
        if isinstance(parent, (ast.For, ast.AsyncFor, ast.While)):
            if child in parent.body or child is _test(parent):
                return parent
            if child in parent.orelse:
                return None
        child, parent = parent, parents.get(parent)
    return None


def _test(tree: ast.AST) -> ast.AST | None:
    """What a condition or a ``while`` loop asks: that is evaluated in any case."""
    return getattr(tree, "test", None) or getattr(tree, "subject", None)


def branches(tree: ast.AST, parents: Parents) -> frozenset[tuple[ast.AST, ast.AST]]:
    """The conditions around ``tree``, each with its part that holds ``tree``."""
    found = set()
    child, parent = tree, parents.get(tree)
    while parent is not None and not isinstance(parent, _SCOPES):
        if isinstance(parent, _BRANCHES) and child is not _test(parent):
            found.add((parent, _side(parent, child)))
        child, parent = parent, parents.get(parent)
    return frozenset(found)


def _side(tree: ast.AST, child: ast.AST) -> ast.AST:
    """The first statement of the block of ``tree`` that holds ``child``."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        block = getattr(tree, field, None)
        if isinstance(block, list) and child in block:
            return block[0] if field not in ("handlers", "cases") else child
    return child


def is_set_in(loop: ast.AST, place: ast.Name | ast.Attribute) -> bool:
    """Whether the loop binds, deletes or writes the name or attribute, or may by a call.

    Attributes are not followed through calls of methods: any other use of their object may set
    them.
    """
    text = ast.unparse(place)
    root = text.partition(".")[0]
    for node in ast.walk(loop):
        if isinstance(node, ast.Name) and node.id == root and not isinstance(node.ctx, ast.Load):
            return True
        stored = not isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        if stored and isinstance(node, ast.Attribute) and ast.unparse(node) == text:
            return True
        if stored and isinstance(node, ast.Subscript) and ast.unparse(node.value) == text:
            return True
        if isinstance(node, ast.Call) and _may_write(node, text, root):
            return True
    return False


def _may_write(call: ast.Call, text: str, root: str) -> bool:
    """``x.fill_(…)``; for ``self.x`` also ``self.step()`` and ``step(self)``."""
    if isinstance(call.func, ast.Attribute):
        holder = ast.unparse(call.func.value)
        if holder == text and call.func.attr.endswith("_"):
            return True
        if holder == root != text:
            return True
    return root != text and any(isinstance(a, ast.Name) and a.id == root for a in call.args)
