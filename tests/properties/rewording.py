"""Other ways of writing any program, made from its tree: the meaning stays."""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_IMPORTS: Final = (ast.Import, ast.ImportFrom)
_UNRELATED: Final = """
def unrelated_total(prices, rate=0.1):
    total = 0
    for price in prices:
        total += price * (1 + rate)
    return total


class UnrelatedShelf:
    kinds = ("paper", "tape")

    def __init__(self, width):
        self.width = width
        self.rows = {}

    def put(self, kind, count=1):
        self.rows[kind] = self.rows.get(kind, 0) + count
        return self.width - len(self.rows)
"""


def written_by_python(text: str) -> str:
    """As Python writes its own tree: no comments, no blank lines, other brackets."""
    return ast.unparse(ast.parse(text)) + "\n"


def names_changed(text: str) -> str:
    """Other names for all that the program names itself: variables, parameters, functions, classes.

    Those that are attributes, keywords or imports somewhere stay.
    """
    tree = ast.parse(text)
    own = set(_bound(tree)) - _imported(tree) - set(_fixed(tree)) - set(dir(builtins))
    return _with_names(tree, lambda name: f"zq_{name}" if name in own else name)


def imports_changed(text: str) -> str:
    """Other names for all that is imported."""
    tree = ast.parse(text)
    names = {}
    nodes = list(ast.walk(tree))
    plain = [alias for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    shared = {a.name.partition(".")[0] for a in plain if "." in a.name and a.asname is None}
    bound = set(_bound(tree))
    for node in tree.body:
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        for alias in node.names if isinstance(node, _IMPORTS) and not future else ():
            name = alias.asname or alias.name
            if "." not in name and name != "*" and name not in shared | bound:
                alias.asname = names[name] = f"zq_{name}"
    return _with_names(tree, lambda name: names.get(name, name))


def imports_reversed(text: str) -> str:
    """The imports at the top the other way round."""
    tree = ast.parse(text)
    at = [i for i, node in enumerate(tree.body) if _is_library_import(node)]
    for i, node in zip(at, [tree.body[i] for i in reversed(at)], strict=True):
        tree.body[i] = node
    return ast.unparse(tree) + "\n"


def _is_library_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import) or (
        isinstance(node, ast.ImportFrom) and node.module not in (None, "__future__")
    )


def definitions_reversed(text: str) -> str:
    """Neighbouring functions and classes the other way round, where they do not need each other."""
    tree = ast.parse(text)
    body: list[ast.stmt] = []
    group: list[ast.stmt] = []
    for node in (*tree.body, ast.Pass()):
        if isinstance(node, _DEFINITIONS):
            group.append(node)
            continue
        body += group if _depend(group) else group[::-1]
        group = []
        body.append(node)
    tree.body = body[:-1]
    return ast.unparse(tree) + "\n"


def _depend(group: list[ast.stmt]) -> bool:
    """Whether one of these has to be there when another is defined, or takes its name."""
    names = [node.name for node in group if isinstance(node, _DEFINITIONS)]
    used = {n.id for node in group for n in _at_once(node) if isinstance(n, ast.Name)}
    return len(set(names)) < len(names) or bool(used & set(names))


def _at_once(node: ast.AST) -> Iterator[ast.AST]:
    """What is evaluated where a definition stands."""
    for child in ast.iter_child_nodes(node):
        if isinstance(node, _FUNCTIONS) and child in node.body:
            continue
        yield child
        yield from _at_once(child)


def dead_code_added(text: str) -> str:
    """A function and a class that have nothing to do with it, before and behind."""
    tree = ast.parse(text)
    more = ast.parse(_UNRELATED).body
    at = max((i + 1 for i, node in enumerate(tree.body) if isinstance(node, _IMPORTS)), default=0)
    tree.body[at:at] = more[:1]
    tree.body += more[1:]
    return ast.unparse(tree) + "\n"


def _bound(tree: ast.AST) -> Iterator[str]:
    """Names that the program gives a meaning."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, _DEFINITIONS):
            yield node.name


def _fixed(tree: ast.AST) -> Iterator[str]:
    """Names that are more than variables."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr
        if isinstance(node, ast.keyword) and node.arg:
            yield node.arg
        if isinstance(node, ast.ClassDef):
            yield from (n.name for n in node.body if isinstance(n, _DEFINITIONS))
            yield from (n.id for s in node.body for n in ast.walk(s) if _is_class_variable(s, n))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("__"):
            yield node.name
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from node.value.replace(",", " ").split()


def _is_class_variable(statement: ast.stmt, node: ast.AST) -> bool:
    return isinstance(statement, (ast.Assign, ast.AnnAssign)) and isinstance(node, ast.Name)


def _imported(tree: ast.AST) -> set[str]:
    nodes = [node for node in ast.walk(tree) if isinstance(node, _IMPORTS)]
    return {(a.asname or a.name).partition(".")[0] for node in nodes for a in node.names}


T = TypeVar("T", bound=ast.AST)


def _with_names(tree: ast.Module, other: Callable[[str], str]) -> str:
    """The text of the tree with other names: everywhere the same for the same."""
    tree = copy.deepcopy(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = other(node.id)
        elif isinstance(node, ast.arg):
            node.arg = other(node.arg)
        elif isinstance(node, _DEFINITIONS):
            node.name = other(node.name)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            node.names = [other(name) for name in node.names]
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            node.name = other(node.name)
    return ast.unparse(tree) + "\n"


REWORDINGS: Final[tuple[Callable[[str], str], ...]] = (
    names_changed,
    imports_changed,
    imports_reversed,
    definitions_reversed,
    dead_code_added,
)
