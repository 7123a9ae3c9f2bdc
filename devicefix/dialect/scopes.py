"""Who binds a name, and what may be bound to it: scopes of one file, as Python 3 has them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

from msgspec import Struct, field

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_MUTE = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)
Definition: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"


class Binding(Struct, frozen=True):
    """One way in which a name gets a value."""

    how: str
    """``value``, ``each`` (an element of ``value``), ``augmented`` (by ``value``), ``import``,
    ``parameter``, ``definition`` or ``other``."""
    node: ast.AST
    value: ast.expr | None = None
    path: tuple[int, ...] = ()
    """Which item of it, where it is unpacked; -1 where that is not known."""


class Scope(Struct, eq=False):
    """A module, class, function or comprehension."""

    node: ast.AST
    parent: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    elsewhere: set[str] = field(default_factory=set)
    """What ``global`` and ``nonlocal`` name."""

    @property
    def is_class(self) -> bool:
        return isinstance(self.node, ast.ClassDef)


class Scopes:
    """All scopes of a tree."""

    def __init__(self, tree: ast.Module) -> None:
        self.module = Scope(tree, None)
        self._of: dict[ast.AST, Scope] = {}
        for statement in tree.body:
            self._visit(statement, self.module)

    def of(self, node: ast.AST) -> Scope:
        """The scope in which a name, a call or a definition is evaluated."""
        return self._of[node]

    def holder(self, name: str, scope: Scope) -> Scope | None:
        """The scope that binds ``name`` for who reads it in ``scope``; None for builtins."""
        at: Scope | None = scope
        while at is not None:
            if (at is scope or not at.is_class) and name in at.bindings:
                return at
            at = at.parent
        return None

    def is_builtin(self, node: ast.AST, *names: str) -> bool:
        """Whether ``node`` is one of ``names``, and nothing in the file binds it."""
        if not isinstance(node, ast.Name) or node.id not in names:
            return False
        return self.holder(node.id, self._of[node]) is None

    def bindings(self, node: ast.Name) -> list[Binding]:
        """How the name that is read may have got its value; empty for builtins."""
        holder = self.holder(node.id, self._of[node])
        return holder.bindings[node.id] if holder is not None else []

    # -- building ----------------------------------------------------------------------------------

    def _bind(self, scope: Scope, name: str, binding: Binding) -> None:
        at = scope
        if name in scope.elsewhere:
            at = self.module
        at.bindings.setdefault(name, []).append(binding)

    def _visit(self, node: ast.AST, scope: Scope) -> None:
        self._of[node] = scope
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            self._function(node, scope)
        elif isinstance(node, ast.ClassDef):
            self._class(node, scope)
        elif isinstance(node, COMPREHENSIONS):
            self._comprehension(node, scope)
        else:
            if not isinstance(node, ast.expr) or isinstance(node, ast.NamedExpr):
                self._note(node, scope)
            for child in _children(node):
                self._visit(child, scope)

    def _function(self, node: Definition, scope: Scope) -> None:
        inner = Scope(node, scope)
        outside: list[ast.AST] = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
        body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else [*node.body]
        if not isinstance(node, ast.Lambda):
            self._bind(scope, node.name, Binding("definition", node))
            outside += [*node.decorator_list, *([node.returns] if node.returns else [])]
        for arg in _arguments(node.args):
            inner.bindings.setdefault(arg.arg, []).append(Binding("parameter", arg))
            outside += [arg.annotation] if arg.annotation else []
        inner.elsewhere = {name for child in body for name in _declared(child)}
        for child in outside:
            self._visit(child, scope)
        for child in body:
            self._visit(child, inner)

    def _class(self, node: ast.ClassDef, scope: Scope) -> None:
        self._bind(scope, node.name, Binding("definition", node))
        for child in [*node.bases, *node.keywords, *node.decorator_list]:
            self._visit(child, scope)
        inner = Scope(node, scope)
        for statement in node.body:
            self._visit(statement, inner)

    def _comprehension(self, node: ast.AST, scope: Scope) -> None:
        inner = Scope(node, scope)
        for number, generator in enumerate(node.generators):  # type: ignore[attr-defined]
            self._visit(generator.iter, scope if number == 0 else inner)
            self._targets(generator.target, "each", generator.iter, (), inner, generator)
            self._visit(generator.target, inner)
            for condition in generator.ifs:
                self._visit(condition, inner)
        for name in ("elt", "key", "value"):
            if hasattr(node, name):
                self._visit(getattr(node, name), inner)

    def _note(self, node: ast.AST, scope: Scope) -> None:
        """What a statement or an expression binds."""
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._targets(target, "value", node.value, (), scope, node)
        elif isinstance(node, ast.AnnAssign):
            self._targets(node.target, "value", node.value, (), scope, node)
        elif isinstance(node, ast.AugAssign):
            self._targets(node.target, "augmented", node.value, (), scope, node)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self._targets(node.target, "each", node.iter, (), scope, node)
        elif isinstance(node, ast.NamedExpr):
            self._targets(node.target, "value", node.value, (), scope, node)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self._targets(node.optional_vars, "with", node.context_expr, (), scope, node)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            self._bind(scope, node.name, Binding("except", node))
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                self._bind(scope, name, Binding("import", node))

    def _targets(
        self,
        target: ast.expr,
        how: str,
        value: ast.expr | None,
        path: tuple[int, ...],
        scope: Scope,
        node: ast.AST,
    ) -> None:
        if isinstance(target, ast.Name):
            self._bind(scope, target.id, Binding(how, node, value, path))
        elif isinstance(target, (ast.Tuple, ast.List)):
            starred = any(isinstance(e, ast.Starred) for e in target.elts)
            for number, element in enumerate(target.elts):
                inner = (*path, -1 if starred else number)
                self._targets(element, how, value, inner, scope, node)
        elif isinstance(target, ast.Starred):
            self._targets(target.value, "other", None, (), scope, node)


def package_of(node: ast.expr, scopes: Scopes) -> str | None:
    """The package that a name was imported from; None for what was not imported."""
    if not isinstance(node, ast.Name):
        return None
    for binding in scopes.bindings(node):
        if isinstance(binding.node, ast.ImportFrom):
            return (binding.node.module or "").partition(".")[0]
        for alias in binding.node.names if isinstance(binding.node, ast.Import) else ():
            if (alias.asname or alias.name.partition(".")[0]) == node.id:
                return alias.name.partition(".")[0]
    return None


def _arguments(arguments: ast.arguments) -> Iterator[ast.arg]:
    yield from (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    yield from (a for a in (arguments.vararg, arguments.kwarg) if a is not None)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """As `ast.iter_child_nodes` at twice its speed, and without nodes that say nothing."""
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            for child in value:
                if isinstance(child, ast.AST) and not isinstance(child, _MUTE):
                    yield child
        elif isinstance(value, ast.AST) and not isinstance(value, _MUTE):
            yield value


def _declared(node: ast.AST) -> Iterator[str]:
    """The names of ``global`` statements of one function."""
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        yield from node.names
    if not isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.expr)):
        for child in _children(node):
            yield from _declared(child)
