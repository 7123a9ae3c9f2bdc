"""Conditions around a move that ask whether there is something to move, and not where to.

``x.cuda() if x is not None else x``, ``if isinstance(x, torch.Tensor): x = x.cuda()``. An option
under which alone the thing is made asks no more than that: ``if opt.train: critic.cuda()`` behind
``critic = Critic() if opt.train else None``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from devicefix.flow.analysis import Analysis
from devicefix.flow.deciders import decider
from devicefix.flow.definitions import enclosing
from devicefix.flow.imported import dotted, origins
from devicefix.flow.queries.access import Path, of_tree
from devicefix.flow.scopes import FUNCTIONS
from devicefix.source.walking import walk


def asks_if_there(analysis: Analysis, tree: ast.If | ast.IfExp) -> bool:
    """Whether the condition asks nothing about the accelerator."""
    moved = _moved(tree)
    match analysis.asked(tree):
        case ast.Compare(left, [ast.IsNot()], [ast.Constant(value=None)]):
            pass
        case ast.Call(func=ast.Name(id="isinstance"), args=[left, _]):
            pass
        case ast.Call(func=func, args=[left]) if (
            dotted(func, analysis.home(tree).source.once(origins)) == "torch.is_tensor"
        ):
            pass
        case _:
            return _is_made_there(analysis, tree, moved)
    return {ast.dump(one) for one in moved} == {ast.dump(left)}


def _moved(tree: ast.If | ast.IfExp) -> list[ast.expr]:
    """The ``x`` of each ``x.cuda()`` below the condition."""
    parts = tree.body if isinstance(tree, ast.If) else [tree.body]
    calls = (n for part in parts for n in walk(part) if isinstance(n, ast.Call))
    return [
        call.func.value
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr == "cuda"
    ]


def _is_made_there(analysis: Analysis, tree: ast.If | ast.IfExp, moved: list[ast.expr]) -> bool:
    """Whether the same question decides whether there is a value at all, for all that is moved."""
    roots = {of_tree(_root(one)) for one in moved}
    if (
        isinstance(tree, ast.If)
        and moved
        and all(p and _is_made_in(analysis, tree, p) for p in roots)
    ):
        return True
    asked, paths = _question(analysis, tree), {of_tree(one) for one in moved}
    if not asked or not moved or not isinstance(tree, ast.If) or tree.orelse:
        return False
    scope = _scope(analysis, tree)
    return all(path and _is_made_only_where(analysis, scope, path, tree, asked) for path in paths)


def _is_made_in(analysis: Analysis, tree: ast.If, path: Path) -> bool:
    """``if step > 1: net = Net(); net.cuda()``, and ``else: net = ""``: there is no other one."""
    ways = [[n for part in way for n in walk(part)] for way in (tree.body, tree.orelse)]
    made, other = ([node.value for node in way if _sets(node, path)] for way in ways)
    if not made or any(path in _read(value) for value in made):
        return False
    bound = sum(_is_bound(node, path) for way in ways for node in way)
    named = [n for n in ways[0] if isinstance(n, ast.expr) and of_tree(n) == path]
    begins = _is_bound(min(named, key=lambda n: (n.lineno, n.col_offset)), path)
    constant = all(isinstance(value, ast.Constant) for value in other)
    if not (begins and constant) or bound != len(made) + len(other):
        return False
    function, above = enclosing(analysis, tree), walk(_scope(analysis, tree))
    return not any(
        _is_bound(n, path)
        and getattr(n, "lineno", 0) < tree.lineno
        and _binds_in(analysis, n) is function
        for n in above
    )


def _root(tree: ast.expr) -> ast.expr:
    """``net`` in ``net.eval()``."""
    while isinstance(tree, ast.Call) and isinstance(tree.func, ast.Attribute):
        tree = tree.func.value
    return tree


def _read(value: ast.expr) -> set[Path | None]:
    return {of_tree(node) for node in walk(value) if isinstance(node, ast.expr)}


def _sets(node: ast.AST, path: Path) -> TypeGuard[ast.Assign]:
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return False
    return of_tree(node.targets[0]) == path


def _binds_in(analysis: Analysis, node: ast.AST) -> ast.AST | None:
    """The function, or the module, that a target or parameter belongs to."""
    if isinstance(node, ast.arg):
        return analysis.parents.get(analysis.parents.get(node, node))
    return enclosing(analysis, node)


def _is_bound(node: ast.AST, path: Path) -> bool:
    """Whether it is a target that gives ``path`` a value, or a parameter of that name."""
    if isinstance(node, ast.arg):
        return (node.arg,) == path
    stores = isinstance(getattr(node, "ctx", None), ast.Store)
    return stores and isinstance(node, ast.expr) and of_tree(node) == path


def _is_made_only_where(
    analysis: Analysis, scope: ast.AST, path: Path, tree: ast.If, asked: str
) -> bool:
    """Each value that the scope gives to ``path`` before is None, or made where it holds."""
    made = list(_values(scope, path, tree))
    return bool(made) and all(_holds_at(analysis, value, asked) for value in made)


def _values(scope: ast.AST, path: Path, tree: ast.If) -> Iterator[ast.expr | None]:
    """What the scope binds to ``path`` above ``tree``, but for None; None where that is no value
    of an assignment: a parameter, an item of a loop."""
    nodes = [node for node in walk(scope) if getattr(node, "lineno", tree.lineno) < tree.lineno]
    values = {
        target: node.value
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
    }
    for node in nodes:
        if isinstance(node, ast.arg) and (node.arg,) == path:
            yield None
        stores = isinstance(getattr(node, "ctx", None), ast.Store)
        if stores and isinstance(node, ast.expr) and of_tree(node) == path:
            value = values.get(node)
            if not (isinstance(value, ast.Constant) and value.value is None):
                yield value


def _holds_at(analysis: Analysis, value: ast.expr | None, asked: str) -> bool:
    """Whether the question has been answered with yes where ``value`` is made."""
    match value:
        case ast.IfExp(orelse=ast.Constant(value=None)) if _question(analysis, value) == asked:
            return True
    child: ast.AST | None = value
    while child is not None and not isinstance(child, FUNCTIONS):
        above = analysis.parents.get(child)
        if (
            isinstance(above, ast.If)
            and child in above.body
            and _question(analysis, above) == asked
        ):
            return True
        child = above
    return False


def _question(analysis: Analysis, tree: ast.AST) -> str:
    """As `Decider.question`; empty where it is not known who decides, or where the machine does."""
    if not isinstance(tree, (ast.If, ast.IfExp)):
        return ""
    found = decider(analysis, tree.test, analysis.seen.tests.get(tree))
    return found.question if found is not None and not found.machine else ""


def _scope(analysis: Analysis, tree: ast.AST) -> ast.AST:
    scope = tree
    while (above := analysis.parents.get(scope)) is not None and not isinstance(scope, FUNCTIONS):
        scope = above
    return scope
