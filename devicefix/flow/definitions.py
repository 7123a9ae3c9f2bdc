"""Which statements bind a name, or set what hangs on it: ``args``, ``args.cuda``, ``self.gpu``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from devicefix.flow.analysis import Analysis
from devicefix.flow.scopes import COMPREHENSIONS, FUNCTIONS, declared, declares
from devicefix.flow.scripts import is_always, is_main_guard
from devicefix.source import Source
from devicefix.source.walking import once, walk

_OWN_NAMES: Final = (*FUNCTIONS, ast.Lambda, ast.ClassDef, *COMPREHENSIONS)
_IMPORTS: Final = (ast.Import, ast.ImportFrom)


class Path(Struct, frozen=True):
    """``args.cuda`` as it is read at one place."""

    name: str
    attributes: tuple[str, ...]
    scope: ast.AST
    """The function, or the module, whose name it is."""


def path_of(analysis: Analysis, tree: ast.expr, place: ast.AST | None = None) -> Path | None:
    """What a name, or a name with attributes, is read from; None for other expressions.

    ``place``: where it would be read, if ``tree`` is not in the text.
    """
    attributes: list[str] = []
    base = tree
    while isinstance(base, ast.Attribute):
        attributes.append(base.attr)
        base = base.value
    if not isinstance(base, ast.Name):
        return None
    scope = _scope(analysis, base.id, place or base)
    return Path(base.id, tuple(reversed(attributes)), scope) if scope is not None else None


def _scope(analysis: Analysis, name: str, tree: ast.AST) -> ast.AST | None:
    """The function around a place that binds a name, or the module; None for parts of those."""
    while (above := analysis.parents.get(tree)) is not None:
        if isinstance(above, FUNCTIONS) and tree in above.body:
            own = name in parameters(above) or any(binds(s, name) for s in above.body)
            if own and not declares(above, name):
                return above
        bound = isinstance(above, ast.Lambda) and name in parameters(above)
        if bound or (isinstance(above, COMPREHENSIONS) and _is_bound_by(above, name)):
            return None
        tree = above
    return tree


def _is_bound_by(tree: ast.AST, name: str) -> bool:
    generators = getattr(tree, "generators", [])
    return any(name in _stored(n) for g in generators for n in walk(g.target))


def parameters(function: ast.AST) -> frozenset[str]:
    """The names of all parameters of a function."""
    return once(function, _parameters)


def _parameters(function: ast.AST) -> frozenset[str]:
    spec = getattr(function, "args", None)
    names = (a.arg for a in walk(spec) if isinstance(a, ast.arg)) if spec is not None else ()
    return frozenset(names)


def receiver(analysis: Analysis, function: ast.AST) -> str:
    """``self`` of a method, as its signature calls it; empty for other functions."""
    if not isinstance(function, FUNCTIONS):
        return ""
    if not isinstance(analysis.parents.get(function), ast.ClassDef) or function.decorator_list:
        return ""
    first = [*function.args.posonlyargs, *function.args.args][:1]
    return first[0].arg if first else ""


def spine(scope: ast.AST) -> list[ast.stmt]:
    """The statements that a scope runs one after the other, those of a main block among them."""
    return once(scope, _spine)


def _spine(scope: ast.AST) -> list[ast.stmt]:
    body = getattr(scope, "body", [])
    return list(_run(body)) if isinstance(body, list) else []


def _run(block: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in block:
        if is_main_guard(statement) or is_always(statement):
            yield from _run(statement.body)
        else:
            yield statement


def binds(statement: ast.AST, name: str) -> bool:
    """Whether a statement binds a name of the scope that it stands in."""
    return name in once(statement, _bound)


def _bound(statement: ast.AST) -> frozenset[str]:
    """The names that a statement binds in the scope that it stands in."""
    found: list[str] = []
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            found.append(node.name)
        elif isinstance(node, _IMPORTS):
            found += ((a.asname or a.name).partition(".")[0] for a in node.names)
        elif node is statement or not isinstance(node, _OWN_NAMES):
            found += _stored(node)
            waiting += ast.iter_child_nodes(node)
    return frozenset(found)


def _stored(node: ast.AST) -> Iterator[str]:
    """The name that a node binds or deletes, what lies in it apart."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    if isinstance(node, ast.ExceptHandler) and node.name is not None:
        yield node.name


def is_shared(source: Source, name: str) -> bool:
    """Whether functions of a file bind a name of its top level, or of a function around them."""
    return name in source.once(_shared)


def _shared(source: Source) -> frozenset[str]:
    found: set[str] = set()
    for function in source.of_type(*FUNCTIONS):
        if shared := once(function, declared):
            found |= shared & {name for n in walk(function) for name in _stored(n)}
    return frozenset(found)


def setters(analysis: Analysis, attribute: str) -> list[ast.Attribute]:
    """Where the program sets, or deletes, an attribute of that name, of whatever object."""
    known = [file.source.once(_setters) for file in analysis.owned if file.text is not None]
    return [node for nodes in known for node in nodes.get(attribute, ())]


def _setters(source: Source) -> dict[str, list[ast.Attribute]]:
    found: dict[str, list[ast.Attribute]] = {}
    for node in source.of_type(ast.Attribute):
        if not isinstance(node.ctx, ast.Load):
            found.setdefault(node.attr, []).append(node)
    return found


def setters_by_name(scope: ast.AST, holder: str, attribute: str) -> Iterator[ast.AST]:
    """Where ``scope`` sets attributes of ``holder`` by names that may be this one: ``setattr(x,
    name, …)``, ``x.__dict__.update(…)``, ``vars(x)[name] = …``."""
    for node in once(scope, _naming_setters):
        match node:
            case ast.Call(ast.Name("setattr"), [ast.Name(id=own), name, *_]):
                sets = own == holder and not isinstance(name, ast.Constant)
                sets = sets or (own == holder and getattr(name, "value", "") == attribute)
            case ast.Call(ast.Attribute(ast.Name(id=own), "__setattr__"), [_, _]):
                sets = own == holder
            case ast.Call(ast.Attribute(_, "__setattr__"), [ast.Name(id=own), _, _]):
                sets = own == holder
            case ast.Call(ast.Attribute(names, "update" | "setdefault")):
                sets = _are_attributes_of(names, holder)
            case ast.Subscript(names, ctx=ast.Store()):
                sets = _are_attributes_of(names, holder)
            case ast.Attribute(ast.Name(id=own), "__dict__", ast.Store()):
                sets = own == holder
            case _:
                continue
        if sets:
            yield node


def _naming_setters(scope: ast.AST) -> tuple[ast.AST, ...]:
    """What may be one of those, of whatever holder."""
    return tuple(
        node
        for node in walk(scope)
        if (isinstance(node, ast.Call) and _may_set(node.func))
        or (isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store))
    )


def _may_set(called: ast.expr) -> bool:
    if isinstance(called, ast.Attribute):
        return called.attr in ("__setattr__", "update", "setdefault")
    return isinstance(called, ast.Name) and called.id == "setattr"


def _are_attributes_of(tree: ast.expr, holder: str) -> bool:
    match tree:
        case ast.Attribute(ast.Name(id=own), "__dict__"):
            return own == holder
        case ast.Call(ast.Name("vars"), [ast.Name(id=own)]):
            return own == holder
    return False


def enclosing(analysis: Analysis, tree: ast.AST) -> ast.AST:
    """The function that ``tree`` stands in, or the module."""
    while (above := analysis.parents.get(tree)) is not None:
        if isinstance(above, FUNCTIONS) and isinstance(tree, ast.stmt) and tree in above.body:
            return above
        tree = above
    return tree


def statement_in(analysis: Analysis, scope: ast.AST, tree: ast.AST) -> ast.stmt | None:
    """The statement of the `spine` of ``scope`` that holds ``tree``."""
    statements = spine(scope)
    current: ast.AST | None = tree
    while current is not None:
        if isinstance(current, ast.stmt) and current in statements:
            return current
        current = analysis.parents.get(current)
    return None
