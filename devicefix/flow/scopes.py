"""Where names are bound and read in the text: scopes, blocks, what comes before and behind."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from devicefix.flow.dtype_names import only_casts
from devicefix.source.parsing import Parents
from devicefix.source.walking import once, walk

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
TRANSFERS = frozenset({"cpu", "cuda", "to", "xpu"})
_MAKERS = (ast.Call, ast.Dict, ast.List, ast.Set, *COMPREHENSIONS)


def scope_of(parents: Parents, tree: ast.AST) -> ast.AST:
    """The function, class, comprehension or module that ``tree`` stands in."""
    walrus = isinstance(parents.get(tree), ast.NamedExpr)
    current = parents.get(tree)
    while current is not None:
        if isinstance(current, (*FUNCTIONS, ast.Lambda, ast.ClassDef, ast.Module)):
            return current
        if isinstance(current, COMPREHENSIONS) and isinstance(tree, ast.Name) and not walrus:
            return current
        current = parents.get(current)
    raise ValueError("the tree has no module")


def binding_scope(parents: Parents, target: ast.Name) -> ast.AST:
    """The scope in which an assignment to ``target`` binds its name, or one around it."""
    scope = scope_of(parents, target)
    if isinstance(scope, COMPREHENSIONS) and isinstance(target.ctx, ast.Load):
        scope = scope_of(parents, scope)
    if isinstance(scope, FUNCTIONS) and declares(scope, target.id):
        while parents.get(scope) is not None:
            scope = parents[scope]
    return scope


def declares(scope: ast.AST, name: str) -> bool:
    """``global name`` or ``nonlocal name``."""
    return name in once(scope, declared)


def declared(scope: ast.AST) -> frozenset[str]:
    """The names that it declares so."""
    shared = (n for n in walk(scope) if isinstance(n, (ast.Global, ast.Nonlocal)))
    return frozenset(name for node in shared for name in node.names)


def names_within(scope: ast.AST) -> Mapping[str, Sequence[ast.Name]]:
    """All names in it, functions in it included, by how they are written."""
    found: dict[str, list[ast.Name]] = {}
    for node in walk(scope):
        if isinstance(node, ast.Name):
            found.setdefault(node.id, []).append(node)
    return found


def is_fresh(scope: ast.AST, name: str) -> bool:
    """Whether nothing else refers to the container of this name: it is made where it is bound."""
    made = [
        value
        for tree in walk(scope)
        for where, value in _assignments(tree)
        if isinstance(where, ast.Name) and where.id == name
    ]
    return bool(made) and all(isinstance(v, _MAKERS) for v in made)


def unreached(parents: Parents, target: ast.Name) -> frozenset[ast.AST]:
    """All that cannot see what is bound to ``target`` as it is.

    That is what stands before it, and what stands behind ``target.to(device)`` in its block.
    """
    statement: ast.AST = target
    while not isinstance(statement, ast.stmt):
        statement = parents[statement]
    return _moved(parents, statement, target.id) | _before(parents, statement)


def _before(parents: Parents, statement: ast.stmt) -> frozenset[ast.AST]:
    """What has run when ``statement`` runs: the statements above it, but no functions."""
    found: set[ast.AST] = set()
    current: ast.AST = statement
    while isinstance(current, ast.stmt) and not isinstance(current, FUNCTIONS):
        if isinstance(current, (ast.For, ast.AsyncFor, ast.While)):
            return frozenset()
        block = block_of(parents.get(current), current)
        for earlier in block[: block.index(current)] if block else []:
            found |= _run(earlier)
        current = parents[current]
    return frozenset(found)


def _run(tree: ast.AST) -> set[ast.AST]:
    """What runs when a statement runs, the bodies of functions left out."""
    if isinstance(tree, (*FUNCTIONS, ast.Lambda, ast.ClassDef)):
        return set()
    found = {tree}
    for child in ast.iter_child_nodes(tree):
        found |= _run(child)
    return found


def _moved(parents: Parents, statement: ast.stmt, name: str) -> frozenset[ast.AST]:
    """All that stands behind ``name.to(device)`` in the block of ``statement``."""
    block = block_of(parents.get(statement), statement)
    behind = block[block.index(statement) + 1 :] if block else []
    mover = next((i for i, s in enumerate(behind) if _moves(s, name)), None)
    later = behind[mover + 1 :] if mover is not None else []
    return frozenset(node for s in later for node in walk(s))


def block_of(parent: ast.AST | None, statement: ast.AST) -> list[ast.stmt]:
    """The statements among which ``statement`` stands."""
    fields = [value for _, value in ast.iter_fields(parent)] if parent is not None else []
    return next((f for f in fields if isinstance(f, list) and statement in f), [])


def _moves(statement: ast.stmt, name: str) -> bool:
    """``x.to(device)``, ``x = x.cuda()``, or nothing else below a condition."""
    if isinstance(statement, ast.If):
        return not statement.orelse and all(_moves(s, name) for s in statement.body)
    if not isinstance(statement, (ast.Expr, ast.Assign)):
        return False
    call = statement.value
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
        return False
    bound = isinstance(statement, ast.Expr) or [ast.unparse(t) for t in statement.targets] == [name]
    return (
        bound
        and call.func.attr in TRANSFERS
        and ast.unparse(call.func.value) == name
        and not (call.func.attr == "to" and only_casts(call))
    )


def holds_number(scope: ast.AST, target: ast.AST) -> bool:
    """Whether a number is put there elsewhere: what a checkpoint puts there is one, too."""
    return ast.unparse(target) in once(scope, _numbers)


def _numbers(scope: ast.AST) -> frozenset[str]:
    """Where numbers are put, as it is written."""
    put = (pair for tree in walk(scope) for pair in _assignments(tree))
    return frozenset(ast.unparse(where) for where, value in put if is_number(value))


def _assignments(tree: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    if not isinstance(tree, ast.Assign):
        return
    for target in tree.targets:
        if isinstance(target, ast.Tuple) and isinstance(tree.value, ast.Tuple):
            yield from zip(target.elts, tree.value.elts, strict=False)
        else:
            yield target, tree.value


def is_number(tree: ast.AST) -> bool:
    if isinstance(tree, ast.UnaryOp):
        tree = tree.operand
    return isinstance(tree, ast.Constant) and isinstance(tree.value, (int, float))
