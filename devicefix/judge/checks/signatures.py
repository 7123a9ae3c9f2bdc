"""Is a function that got a parameter still called as it wants to be, by everybody?

Every reference to it has to be a call that passes the parameter, or the function does exactly what
it did without it. A class that is handed on (``defaultdict(Meter)``), a method that other classes
have as well, a decorated function, a name that a package exports: callers of these are not seen.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import PurePath
from typing import Final

from msgspec import Struct

from devicefix.judge.comparison import Comparison, Move, Objection, enclosing
from devicefix.source import Source
from devicefix.source.walking import walk

NAME: Final = "signature"
_PLAIN_DECORATORS: Final = frozenset(
    ("staticmethod", "classmethod", "no_grad", "enable_grad", "inference_mode", "wraps")
)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class _Widened(Struct, frozen=True):
    """A function with a new parameter."""

    path: str
    tree: _Function
    parameter: ast.arg
    owner: ast.ClassDef | None

    @property
    def name(self) -> str:
        """What callers call."""
        if self.owner is not None and self.tree.name == "__init__":
            return self.owner.name
        return self.tree.name

    @property
    def position(self) -> int:
        """How many arguments a call gives before it, ``self`` left out."""
        names = [a.arg for a in (*self.tree.args.posonlyargs, *self.tree.args.args)]
        at = names.index(self.parameter.arg) if self.parameter.arg in names else 1000
        return at - (1 if self.owner is not None and not _is_static(self.tree) else 0)


def objections(comparison: Comparison) -> Iterator[Objection]:
    """For each function that the edits gave a parameter."""
    for path in comparison.maps:
        source = comparison.source(path)
        for tree in _functions(source):
            spec = tree.args
            for parameter in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs):
                if comparison.is_new(path, parameter) and not comparison.is_new(path, tree):
                    above = next(enclosing(comparison.after, tree), None)
                    owner = above if isinstance(above, ast.ClassDef) else None
                    widened = _Widened(path, tree, parameter, owner)
                    for node, reason in _complaints(comparison, widened):
                        yield comparison.objection(NAME, path, parameter, reason, *node)


def _complaints(
    comparison: Comparison, widened: _Widened
) -> Iterator[tuple[tuple[ast.AST, ...], str]]:
    name, parameter = widened.name, widened.parameter.arg
    for decorator in widened.tree.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if ast.unparse(called).rpartition(".")[2] not in _PLAIN_DECORATORS:
            yield (), f"`{name}` is decorated: not all callers are known"
    for node in walk(widened.tree):
        if isinstance(node, ast.Name) and node.id == parameter and isinstance(node.ctx, ast.Store):
            yield (), f"`{name}` overwrites its new parameter `{parameter}`"
    if widened.owner is not None and widened.tree.name != "__init__":
        yield from _namesakes(comparison, widened)
    needed = _needs_it(comparison, widened)
    if needed and _is_exported(comparison, widened):
        yield (), f"`{name}` is exported by its package: not all callers are known"
    for path, source in comparison.after.program.sources.items():
        for reference in _references(source.nodes, widened, path):
            above = next(enclosing(comparison.after, reference), None)
            line = f"{path}:{reference.lineno}"
            if isinstance(above, ast.Call) and above.func is reference:
                if needed and not _passes(above, widened):
                    yield (), f"the call of `{name}` at {line} does not pass `{parameter}`"
            elif not _is_harmless(above, reference):
                yield (), f"`{name}` is passed on at {line}: not all callers are known"


def _functions(source: Source) -> list[_Function]:
    return [*source.of_type(ast.FunctionDef), *source.of_type(ast.AsyncFunctionDef)]


def _references(
    nodes: tuple[ast.AST, ...], widened: _Widened, path: str
) -> Iterator[ast.Name | ast.Attribute]:
    """Where the program names the function."""
    method = widened.owner is not None and widened.tree.name != "__init__"
    for node in nodes:
        named = isinstance(node, ast.Name) and node.id == widened.name and not method
        held = isinstance(node, ast.Attribute) and node.attr == widened.name
        if not (named or held) or not isinstance(node, (ast.Name, ast.Attribute)):
            continue
        if isinstance(node.ctx, ast.Load):
            yield node


def _is_harmless(above: ast.AST | None, reference: ast.expr) -> bool:
    """``isinstance(x, Net)``, ``super(Net, self)``, ``Net.make()``, annotations."""
    if isinstance(above, ast.Attribute):
        return True
    if isinstance(above, ast.Call) and isinstance(above.func, ast.Name):
        return above.func.id in ("isinstance", "issubclass", "super")
    return reference is getattr(above, "annotation", None)


def _passes(call: ast.Call, widened: _Widened) -> bool:
    if any(k.arg in (None, widened.parameter.arg) for k in call.keywords):
        return True
    spread = any(isinstance(a, ast.Starred) for a in call.args)
    return spread or len(call.args) > widened.position


def _needs_it(comparison: Comparison, widened: _Widened) -> bool:
    """Whether the function does something else where it is not given.

    ``torch.zeros(n, device=None)`` is what it was; ``x.to(None)`` for ``x.cuda()`` is not.
    """
    return any(
        move.replaces is not None and _is_of(move, widened, comparison)
        for move in comparison.moves
        if move.path == widened.path
    )


def _is_of(move: Move, widened: _Widened, comparison: Comparison) -> bool:
    named = {n.id for n in walk(move.device) if isinstance(n, ast.Name)}
    inside = widened.tree in enclosing(comparison.after, move.call)
    return inside and widened.parameter.arg in named


def _namesakes(
    comparison: Comparison, widened: _Widened
) -> Iterator[tuple[tuple[ast.AST, ...], str]]:
    """Other classes with such a method: a call may reach any of them."""
    for path, source in comparison.after.program.sources.items():
        for tree in _functions(source):
            above = next(enclosing(comparison.after, tree), None)
            if tree.name != widened.tree.name or tree is widened.tree:
                continue
            spec = tree.args
            named = {a.arg for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)}
            takes = widened.parameter.arg in named or spec.kwarg is not None
            if isinstance(above, ast.ClassDef) and not takes:
                where = f"{path}:{tree.lineno}"
                yield (), f"`{above.name}.{tree.name}` at {where} does not take the new parameter"


def _is_exported(comparison: Comparison, widened: _Widened) -> bool:
    """Whether a package offers the function to others: ``__all__``, or its ``__init__.py``."""
    for path, source in comparison.after.program.sources.items():
        for node in source.of_type(ast.Assign):
            if any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
                texts = {c.value for c in walk(node.value) if isinstance(c, ast.Constant)}
                if widened.name in texts and path == widened.path:
                    return True
        if PurePath(path).name == "__init__.py":
            for statement in source.of_type(ast.ImportFrom):
                if any(alias.name == widened.name for alias in statement.names):
                    return True
    return False


def _is_static(tree: _Function) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in tree.decorator_list)
