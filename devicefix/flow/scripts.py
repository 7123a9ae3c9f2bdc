"""Files that do something when they are run, and the names that their top level binds."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, TypeGuard

from devicefix.flow.scopes import FUNCTIONS
from devicefix.source import Source
from devicefix.source.imports import bound_names as imported_names
from devicefix.source.parsing import Parents
from devicefix.source.walking import once, walk

"""The names that a tree binds, on its root."""
NEW_NAMES: Final = ("device", "torch_device", "run_device")
"""What a new device may be called, the best name first."""


def new_names(source: Source) -> list[str]:
    """Names for a device that mean nothing yet at the top level of the file."""
    taken = {name for statement in source.tree.body for name in bound_at_top(statement)}
    taken |= {
        name for n in source.nodes if isinstance(n, (ast.Global, ast.Nonlocal)) for name in n.names
    }
    return [name for name in NEW_NAMES if name not in taken]


def bound_at_top(statement: ast.stmt) -> set[str]:
    """The names that a top-level statement binds, not those of functions and classes inside it."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    found: set[str] = set()
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.stmt):
            found |= bound_at_top(child)
        elif not isinstance(child, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp)):
            found |= bound_names(child)
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        found |= {(a.asname or a.name).split(".")[0] for a in statement.names}
    return found


def bound_anywhere(source: Source) -> frozenset[str]:
    """Every name that is bound somewhere in a file; what is not bound there is bound nowhere."""
    return frozenset(_bound_by(source.nodes))


def bound_names(tree: ast.AST) -> frozenset[str]:
    """Every name that is bound anywhere inside ``tree``, which is walked once."""
    return once(tree, _bound_within)


def _bound_within(tree: ast.AST) -> frozenset[str]:
    return frozenset(_bound_by(walk(tree)))


def _bound_by(nodes: Iterable[ast.AST]) -> set[str]:
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
    return found


def is_script(tree: ast.Module) -> bool:
    """Whether running the file does something: only then may it get a module-level device."""
    local = {n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    assigned = {
        t.id
        for n in tree.body
        if isinstance(n, ast.Assign)
        for t in n.targets
        if isinstance(t, ast.Name)
    }
    return any(_does_something(node, local | assigned) for node in tree.body)


def _does_something(node: ast.stmt, own: set[str]) -> bool:
    if isinstance(node, (ast.For, ast.While, ast.With)):
        return True
    if isinstance(node, ast.If):
        return is_main_guard(node) or any(_does_something(n, own) for n in node.body)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        name = start_of(node.value.func)
        return name == "print" or name in own
    return False


def start_of(tree: ast.AST) -> str:
    """``x`` of ``x.clone().clamp(0, 1)[0]``; empty where no name is at its start."""
    while isinstance(tree, (ast.Attribute, ast.Call, ast.Subscript)):
        tree = tree.func if isinstance(tree, ast.Call) else tree.value
    return tree.id if isinstance(tree, ast.Name) else ""


def is_unconditional(parents: Parents, tree: ast.AST) -> bool:
    """A call that is a statement, and nothing decides about it but who runs the file."""
    statement = parents.get(tree)
    above = parents.get(statement) if isinstance(statement, ast.Expr) else None
    while above is not None and (isinstance(above, FUNCTIONS) or is_main_guard(above)):
        above = parents.get(above)
    return isinstance(above, ast.Module)


def is_main_guard(tree: ast.AST) -> TypeGuard[ast.If]:
    """``if __name__ == "__main__":``."""
    return isinstance(tree, ast.If) and any(
        isinstance(part, ast.Constant) and part.value == "__main__" for part in walk(tree.test)
    )


def is_for_types(tree: ast.AST) -> TypeGuard[ast.If]:
    """``if TYPE_CHECKING:``, whose body no run of the program reaches (docs.python.org/typing)."""
    if not isinstance(tree, ast.If):
        return False
    asked = tree.test
    name = asked.attr if isinstance(asked, ast.Attribute) else getattr(asked, "id", "")
    return name == "TYPE_CHECKING"


def is_always(tree: ast.AST) -> TypeGuard[ast.If]:
    """``if True:``, which decides nothing."""
    if not isinstance(tree, ast.If) or tree.orelse:
        return False
    return isinstance(tree.test, ast.Constant) and bool(tree.test.value)


def main_guard(source: Source, lines: Collection[int]) -> ast.If | None:
    """The ``if __name__ == "__main__":`` whose body holds all of ``lines``, if there is one."""
    guard = source.once(_main_guard)
    if guard is None:
        return None
    first, last = guard.body[0].lineno, guard.end_lineno or 0
    one_line = first == guard.lineno
    inside = bool(lines) and all(first <= line <= last for line in lines)
    return guard if inside and not one_line else None


def _main_guard(source: Source) -> ast.If | None:
    return next(filter(is_main_guard, source.tree.body), None)


def torch_name(tree: ast.Module) -> str:
    """The name that the file's own top level gives to torch; empty where it imports only parts.

    What only the main program imports is not there for functions, nor above that import.
    """
    for node in _at_top([s for s in tree.body if not is_main_guard(s)]):
        if isinstance(node, ast.Import):
            for name, origin in imported_names(node).items():
                if origin == "torch":
                    return name
    return ""


def _at_top(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that importing the file runs, those inside others included."""
    for statement in body:
        yield statement
        if is_for_types(statement):
            yield from _at_top(statement.orelse)
        elif not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            inner = [n for n in ast.iter_child_nodes(statement) if isinstance(n, ast.stmt)]
            inner += [s for h in getattr(statement, "handlers", ()) for s in h.body]
            yield from _at_top(inner)
