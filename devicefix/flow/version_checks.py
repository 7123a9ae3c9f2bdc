"""Conditions that ask which version of a library there is: what stands below them is for that."""

from __future__ import annotations

import ast

from devicefix.flow.queries.meaning import meaning
from devicefix.source import Source
from devicefix.source.imports import module_constants
from devicefix.source.walking import walk


def version_checks(source: Source) -> tuple[ast.If | ast.IfExp, ...]:
    """``if torch.__version__ >= "1.6":``, also by a name that a file gives to the version once."""
    if "__version__" not in source.text:
        return ()
    named = _named_versions(source)
    tests = source.of_type(ast.If, ast.IfExp)
    return tuple(
        tree
        for tree in tests
        if isinstance(tree, (ast.If, ast.IfExp)) and _asks(source, tree.test, named)
    )


def _asks(source: Source, test: ast.expr, named: frozenset[str]) -> bool:
    names = (n for n in walk(test) if isinstance(n, ast.Name))
    meant = [test, *(meaning(source, name) for name in names)]
    return any(_reads_version(tree, named) for tree in meant)


def _reads_version(tree: ast.AST, named: frozenset[str]) -> bool:
    return any(
        (isinstance(n, ast.Attribute) and n.attr == "__version__")
        or (isinstance(n, ast.Name) and n.id in named)
        for n in walk(tree)
    )


def _named_versions(source: Source) -> frozenset[str]:
    """The names that a file binds once, at its top, to a version or to what it makes of one."""
    found = frozenset[str]()
    for name, value in source.once(module_constants).items():
        found |= {name} if _reads_version(value, found) else frozenset()
    return found
