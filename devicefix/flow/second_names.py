"""Second names: ``y = x``, where every read of ``y`` may as well read ``x``."""

from __future__ import annotations

import ast
from typing import Final

from devicefix.flow.scopes import FUNCTIONS, block_of
from devicefix.source.parsing import Parents

_SCOPES: Final = (*FUNCTIONS, ast.Lambda, ast.ClassDef, ast.Module)
_BY_TEXT: Final = frozenset({"eval", "exec", "globals", "locals", "vars"})
"""Built-in functions that reach names as texts."""


def reads_of_second_name(
    second: ast.Name, first: ast.Name, parents: Parents
) -> tuple[ast.Name, ...]:
    """The reads of ``second``, which is bound to what ``first`` is; none where that may differ.

    All of them have to stand behind the statement in its block, where nothing may bind ``first``.
    Functions and classes inside the scope read a name at any time.
    """
    scope = _scope(second, parents)
    statement = _statement(second, parents)
    names = [n for n in ast.walk(scope) if isinstance(n, ast.Name)]
    own = [n for n in names if n.id == second.id and n is not second]
    others = [n for n in names if n.id == first.id and not isinstance(n.ctx, ast.Load)]
    block = block_of(parents.get(statement), statement)
    behind = {n for s in block[block.index(statement) + 1 :] for n in ast.walk(s)}
    sole = all(isinstance(n.ctx, ast.Load) and n in behind for n in own)
    local = all(_scope(n, parents) is scope for n in (*own, *others))
    rebound = not behind.isdisjoint(others) or any(n in others for n in ast.walk(statement))
    if not (sole and local) or rebound or isinstance(scope, ast.ClassDef):
        return ()
    if any(n.id in _BY_TEXT for n in names) or _is_bound_otherwise(scope, {first.id, second.id}):
        return ()
    return tuple(own)


def bound_to(value: ast.expr, parents: Parents) -> ast.Name | None:
    """The name that an assignment gives to ``value``, alone or as one of several."""
    match parents.get(value):
        case ast.Assign(targets=[ast.Name() as name]):
            return name
        case ast.Tuple(elts=values) as held:
            match parents.get(held):
                case ast.Assign(targets=[ast.Tuple(elts=names)]) if len(names) == len(values):
                    target = names[values.index(value)]
                    return target if isinstance(target, ast.Name) else None
    return None


def _is_bound_otherwise(scope: ast.AST, names: set[str]) -> bool:
    """``global x``, parameters of the functions inside, imports, ``except … as x``, patterns."""
    for node in ast.walk(scope):
        match node:
            case ast.Global(names=found) | ast.Nonlocal(names=found):
                bound = set(found)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                bound = {name}
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                bound = {name}
            case ast.alias():
                bound = {(node.asname or node.name).partition(".")[0]}
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() if node is not scope:
                bound = {node.name}
            case ast.arg(arg=name):
                bound = set() if _is_parameter(node, scope) else {name}
            case _:
                continue
        if bound & names:
            return True
    return False


def _is_parameter(node: ast.arg, scope: ast.AST) -> bool:
    return isinstance(scope, FUNCTIONS) and any(n is node for n in ast.walk(scope.args))


def _scope(tree: ast.AST, parents: Parents) -> ast.AST:
    """The function, class or module around it; a comprehension is a part of those."""
    above = parents.get(tree)
    while above is not None and not isinstance(above, _SCOPES):
        above = parents.get(above)
    return above or tree


def _statement(tree: ast.AST, parents: Parents) -> ast.stmt:
    while not isinstance(tree, ast.stmt):
        tree = parents[tree]
    return tree
