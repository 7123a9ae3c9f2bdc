"""Which names belong to a scope, and which of them the scopes inside it use (PEP 227)."""

from __future__ import annotations

import ast
from typing import Final

from msgspec import Struct

from devicefix.source.walking import walk

FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_BY_TEXT: Final = frozenset(("eval", "exec", "globals", "locals", "vars"))


class Names(Struct, frozen=True):
    """The variables of one scope."""

    own: frozenset[str]
    shared: frozenset[str]
    free: frozenset[str]
    """Those of scopes around it that it uses, or a scope inside it."""
    dynamic: bool


def names_of(scope: ast.AST) -> Names:
    """What the text of a scope says about its names, without a look at those around it."""
    found = _Collector()
    found.enter(scope)
    inner: set[str] = set()
    for nested in found.nested:
        inner |= names_of(nested).free
    own = frozenset(found.bound - found.declared)
    used = found.read | found.declared
    if isinstance(scope, ast.ClassDef):  # functions inside it do not see its names
        shared, free = frozenset[str](), frozenset(used - own | inner)
    else:
        shared, free = own & inner, frozenset((used | inner) - own)
    return Names(own, shared, free, bool(found.read & _BY_TEXT - own))


def parameters_of(scope: ast.AST) -> list[ast.arg]:
    """The parameters of a function or lambda, in the order of the text."""
    if not isinstance(scope, (*FUNCTIONS, ast.Lambda)):
        return []
    spec = scope.args
    given = [*spec.posonlyargs, *spec.args, *([spec.vararg] if spec.vararg else [])]
    return [*given, *spec.kwonlyargs, *([spec.kwarg] if spec.kwarg else [])]


class _Collector(ast.NodeVisitor):
    """Goes through one scope; those inside it are only noted."""

    def __init__(self) -> None:
        self.bound: set[str] = set()
        self.read: set[str] = set()
        self.declared: set[str] = set()
        """``global`` and ``nonlocal``."""
        self.nested: list[ast.AST] = []
        self._hidden: list[set[str]] = []
        """The targets of the comprehensions around."""

    def enter(self, scope: ast.AST) -> None:
        self.bound.update(a.arg for a in parameters_of(scope))
        if isinstance(scope, ast.Lambda):
            self.visit(scope.body)
        elif isinstance(scope, ast.GeneratorExp):
            self._comprehension(scope, scope.generators[1:])
        else:
            for statement in getattr(scope, "body", ()):
                self.visit(statement)

    def visit_Name(self, node: ast.Name) -> None:
        if any(node.id in names for names in self._hidden):
            return
        (self.read if isinstance(node.ctx, ast.Load) else self.bound).add(node.id)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.bound.add(node.target.id)
        self.visit(node.value)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.bound.add(node.name)
        self.nested.append(node)
        for part in (*node.decorator_list, *defaults_of(node)):
            self.visit(part)

    visit_FunctionDef = _function
    visit_AsyncFunctionDef = _function

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.nested.append(node)
        for part in defaults_of(node):
            self.visit(part)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.bound.add(node.name)
        self.nested.append(node)
        for part in (*node.decorator_list, *node.bases, *(k.value for k in node.keywords)):
            self.visit(part)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self.nested.append(node)
        self.visit(node.generators[0].iter)

    def _inline(self, node: ast.ListComp | ast.SetComp | ast.DictComp) -> None:
        self._comprehension(node, node.generators)

    visit_ListComp = visit_SetComp = visit_DictComp = _inline

    def _comprehension(self, node: ast.AST, iterated: list[ast.comprehension]) -> None:
        self._hidden.append(targets_of(node))
        for generator in iterated:
            self.visit(generator.iter)
        for part in (*conditions_of(node), *elements_of(node)):
            self.visit(part)
        self._hidden.pop()

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> None:
        self.declared.update(node.names)

    visit_Nonlocal = visit_Global

    def visit_alias(self, node: ast.alias) -> None:
        if node.name != "*":
            self.bound.add((node.asname or node.name).partition(".")[0])

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self.bound.update([node.name] if node.name else [])
        self.generic_visit(node)

    def _pattern(self, node: ast.MatchAs | ast.MatchStar) -> None:
        self.bound.update([node.name] if node.name else [])
        self.generic_visit(node)

    visit_MatchAs = visit_MatchStar = _pattern

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self.bound.update([node.rest] if node.rest else [])
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        """Without the annotation, which functions do not evaluate."""
        for part in (*node.targets, node.value):
            self.visit(part)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.target)


def defaults_of(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[ast.expr]:
    """The default values of parameters, which are computed where the function is made."""
    return [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]


def targets_of(comprehension: ast.AST) -> set[str]:
    """The names that a comprehension binds for itself."""
    generators: list[ast.comprehension] = getattr(comprehension, "generators", [])
    nodes = (n for g in generators for n in walk(g.target))
    return {n.id for n in nodes if isinstance(n, ast.Name)}


def conditions_of(comprehension: ast.AST) -> list[ast.expr]:
    """All that a comprehension asks."""
    generators: list[ast.comprehension] = getattr(comprehension, "generators", [])
    return [test for generator in generators for test in generator.ifs]


def elements_of(comprehension: ast.AST) -> list[ast.expr]:
    """What a comprehension makes of each item."""
    if isinstance(comprehension, ast.DictComp):
        return [comprehension.key, comprehension.value]
    element: ast.expr = comprehension.elt  # type: ignore[attr-defined]
    return [element]
