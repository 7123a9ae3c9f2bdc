"""A name that a file gives to the answer whether there is CUDA: ``use_cuda = …is_available()``.

Where more reads it than what chooses CUDA, a new device is built from it: two questions
would be two sources of what the program runs on. Other names go with the conditions that ask them.
"""

from __future__ import annotations

import ast

from devicefix.flow.imported import dotted, origins
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.scripts import bound_at_top
from devicefix.source import Source
from devicefix.source.walking import walk

_ASKS = "torch.cuda.is_available"
_MOVES = frozenset({"cuda", "load", "to", "type"})


def answer(source: Source) -> ast.Assign | None:
    """The statement at the top of a file that binds the name, if nothing above needs a device."""
    own = {s.name for s in source.tree.body if isinstance(s, (*FUNCTIONS, ast.ClassDef))}
    for statement in source.tree.body:
        if isinstance(statement, ast.Assign) and answer_name(statement, source):
            return statement
        if not isinstance(statement, (*FUNCTIONS, ast.ClassDef)) and _may_need(statement, own):
            return None
    return None


def answer_name(statement: ast.stmt | None, source: Source) -> str:
    """``use_cuda``, where the statement says nothing else and no other one binds it."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(args=[], keywords=[]) as call):
            asks = dotted(call.func, source.once(origins)) == _ASKS
            stays = asks and _is_bound_once(name, source) and _lives_on(name, source)
            return name if stays else ""
    return ""


def _is_bound_once(name: str, source: Source) -> bool:
    """At the top of the file; functions may have one of that name, too."""
    shared = {n for node in source.of_type(ast.Global) for n in getattr(node, "names", ())}
    found = [s for s in source.tree.body if name in bound_at_top(s)]
    return len(found) == 1 and name not in shared


def _lives_on(name: str, source: Source) -> bool:
    """Whether something else reads it than choices of what CUDA has, which go with their moves."""
    choices = (
        tree.test
        for kind in (ast.If, ast.IfExp)
        for tree in source.of_type(kind)
        if isinstance(tree, (ast.If, ast.IfExp)) and _is_of_cuda(tree)
    )
    read = (n for n in source.of_type(ast.Name) if isinstance(n, ast.Name) and n.id == name)
    return not {n for n in read if isinstance(n.ctx, ast.Load)} <= set(choices)


def _is_of_cuda(tree: ast.If | ast.IfExp) -> bool:
    """As it reads: ``x = x.cuda()`` or ``model.cuda()`` below it, or a type of ``torch.cuda``."""
    body = tree.body if isinstance(tree.body, list) else [tree.body]
    return all(map(_names_cuda, body))


def _names_cuda(tree: ast.AST) -> bool:
    if isinstance(tree, ast.Expr):
        func = getattr(tree.value, "func", None)
        return isinstance(func, ast.Attribute) and func.attr == "cuda"
    return any(isinstance(n, ast.Attribute) and n.attr == "cuda" for n in walk(tree))


def _may_need(statement: ast.stmt, own: set[str]) -> bool:
    """Whether it calls what the file defines, or moves or loads something."""
    return any(
        (isinstance(n, ast.Name) and n.id in own)
        or (isinstance(n, ast.Attribute) and n.attr in _MOVES)
        for n in walk(statement)
    )
