"""Who has to do with whom as far as the names in a program's text tell: classes by those of their
bases, functions by those that they mention."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from devicefix.source import Program
from devicefix.source.walking import walk


class NameIndex:
    """The classes and functions of the files of one program: ``program.once(NameIndex)``."""

    def __init__(self, program: Program) -> None:
        sources = program.sources.values()
        classes = [c for source in sources for c in source.of_type(ast.ClassDef)]
        self._bases = {c: _bases_of(c) for c in classes}
        self._functions = {f.name: f for s in sources for f in s.of_type(ast.FunctionDef)}
        self._related: dict[ast.ClassDef, list[ast.ClassDef]] = {}
        self._mentioned: dict[ast.AST, frozenset[str]] = {}

    def relatives(self, owner: ast.ClassDef) -> Sequence[ast.ClassDef]:
        """A class, and those that are named as its bases or name it as theirs.

        It may be one of a file beside the program, which was only read.
        """
        if owner not in self._related:
            self._related[owner] = found = [owner]
            for cls in found:  # it grows meanwhile
                above = self._bases.get(cls) or _bases_of(cls)
                near = [c for c, b in self._bases.items() if c.name in above or cls.name in b]
                found += [c for c in near if c not in found]
        return self._related[owner]

    def is_above(self, base: ast.AST | None, owner: ast.ClassDef) -> bool:
        """Whether ``base`` is named as a base of the class, or of one of its bases."""
        above = [owner]
        for cls in above:  # it grows meanwhile
            bases = _bases_of(cls)
            above += [c for c in self.relatives(owner) if c.name in bases and c not in above]
        return base in above[1:]

    def may_call(self, scope: ast.AST, function: ast.AST) -> bool:
        """Whether a function may run while ``scope`` does."""
        name = getattr(function, "name", "")
        return not name or name in self._run_by(scope)

    def _run_by(self, scope: ast.AST) -> frozenset[str]:
        """What is mentioned in ``scope``, and in all functions that are."""
        if scope not in self._mentioned:
            waiting, found = [scope], set[str]()
            while waiting:
                tree = waiting.pop()
                new = {name for node in walk(tree) if (name := last_name(node))} - found
                found |= new
                waiting += [self._functions[name] for name in new if name in self._functions]
            self._mentioned[scope] = frozenset(found)
        return self._mentioned[scope]


def _bases_of(cls: ast.ClassDef) -> frozenset[str]:
    return frozenset(map(last_name, cls.bases))


def last_name(tree: ast.AST) -> str:
    """``x`` of ``x`` and of ``anything.x``; empty for what is no name."""
    if isinstance(tree, ast.Attribute):
        return tree.attr
    return tree.id if isinstance(tree, ast.Name) else ""
