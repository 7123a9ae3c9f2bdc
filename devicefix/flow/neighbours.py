"""Files that are only read: of their top level no more is evaluated than is asked for.

A library imports all and sundry, and most of that has nothing to do with what a program uses of it.
So a statement of such a file runs when a name that it binds is looked up, and the file is not even
read before.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from devicefix.flow.analysis import Analysis
from devicefix.flow.defined import DEFINES_CUDA, defines_cuda
from devicefix.flow.frame import Env, Frame, FunctionTree
from devicefix.flow.joins import parts_in
from devicefix.flow.values import (
    Const,
    External,
    FileRecord,
    Function,
    Instance,
    Opaque,
    Plain,
    Unknown,
    Value,
)
from devicefix.source import Source
from devicefix.source.imports import binds
from devicefix.source.parsing import link

_ALL: Final = "*"
"""Stands for the names that ``from … import *`` brings."""
_SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_TORCH: Final = (
    r"\b(?:nn|F)\.|register_(?:buffer|parameter)|\.(?:to|cuda|cpu|half|float|double|type)\("
)
_MOVING: Final = re.compile(_TORCH + r"|\.device\b|torch\.[a-z_]+\(|\bParameter\(")
"""What a method says that puts something of its module somewhere, or that tells where it is."""
_SPEAKING: Final = re.compile(
    _TORCH + r"|torch|cuda|cpu|gpu|device|numpy|\bnp\.|Tensor\(|argparse|ArgumentParser"
    r"|\bopts?\b|\bparse_(?:known_)?args"
)
"""What a function says that makes something which lives somewhere, or that tells where."""


class Neighbour(Frame):
    """The top level of a file that is only read."""

    def __init__(self, analysis: Analysis, file: FileRecord) -> None:
        source = _read(file)
        super().__init__(analysis, source.tree)
        self._tree = source.tree
        self._binders = source.once(_binders)
        self._known: Env = {}
        """What the statements that ran have bound."""
        self._asked: set[str] = set()
        self._begun: set[ast.stmt] = set()
        self.env = self._known

    def public(self) -> list[str]:
        """The names without an underscore that some statement binds."""
        self.file.note(_ALL)
        return _public(self._binders)

    def held(self, name: str) -> Value | None:
        """What ``name`` is at the end of the file, as far as it has got."""
        if self.env is not None and self.env is not self._known and name in self.env:
            return self.env[name]
        if name not in self._asked and not self.analysis.finished:
            self._asked.add(name)
            self.file.note(name)
            for statement in _binding(self._binders, name):
                self._run(statement)
        return self._known.get(name)

    def _run(self, statement: ast.stmt) -> None:
        """Run it by itself, whatever else of the file is on its way."""
        if statement in self._begun:
            return
        self._begun.add(statement)
        link(statement, self._tree)
        around = self.env
        before = {name: self._known[name] for name in bound_in(statement) if name in self._known}
        self.env = before
        self.touch()
        self.execute([statement])
        self.flush(forget=False)
        self._known.update(self.env if self.env is not None else before)
        self.env = around
        self.touch()


def _read(file: FileRecord) -> Source:
    """What is in a file, of which only those names count that are noted."""
    assert file.text is not None
    return file.text


def said_of(names: Iterable[str], source: Source) -> list[object]:
    """What an evaluation depends on that has noted ``names`` of a neighbour: plain data.

    Those are the statements that bind them, by their lines, and what no statement binds. A function
    is one statement, so its body counts, and a class with all its methods.
    """
    binders = source.once(_binders)
    found: list[object] = []
    for name in sorted(names):
        if name == DEFINES_CUDA:
            found.append(source.once(defines_cuda))
        elif name == _ALL:
            found.append(_public(binders))
        else:
            found.append([name, *(_said(one, source) for one in _binding(binders, name))])
    return found


def _said(statement: ast.stmt, source: Source) -> tuple[str, int, int | None]:
    """The lines of a statement, and where it begins and ends in them."""
    decorators = getattr(statement, "decorator_list", ())
    first = min([statement.lineno, *(one.lineno for one in decorators)])
    end = source.line_end(source.offset(statement.end_lineno or first, 0))
    text = source.text[source.offset(first, 0) : end]
    return text, statement.col_offset, statement.end_col_offset


def _public(binders: Iterable[str]) -> list[str]:
    return [name for name in binders if name.isidentifier() and not name.startswith("_")]


def _binding(binders: Mapping[str, Sequence[ast.stmt]], name: str) -> Sequence[ast.stmt]:
    return binders.get(name, binders.get(_ALL, ()))


def _binders(source: Source) -> Mapping[str, tuple[ast.stmt, ...]]:
    """The statements at the top level of a file that say what a name is, in their order."""
    found: dict[str, list[ast.stmt]] = {}
    for statement in source.tree.body:
        for name in bound_in(statement):
            found.setdefault(name, []).append(statement)
    return {name: tuple(statements) for name, statements in found.items()}


def bound_in(statement: ast.stmt) -> dict[str, None]:
    """The names that a statement binds in its own scope, or whose value it may change."""
    return dict.fromkeys(name for node in own_nodes(statement) for name in _touched(node))


def own_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """``tree`` and what is below it, but nothing that runs in a scope of its own."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _SCOPES):
            waiting += ast.iter_child_nodes(node)


def _touched(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.ImportFrom(names=[ast.alias(name="*")]):
            yield _ALL
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=holder))):
            yield from _root(holder)  # `names.append(x)`
        case ast.Attribute(value=holder, ctx=ast.Store()):
            yield from _root(holder)
        case ast.Subscript(value=holder, ctx=ast.Store()):
            yield from _root(holder)
        case _:
            yield from binds(node)


def _root(tree: ast.expr) -> Iterator[str]:
    while isinstance(tree, (ast.Attribute, ast.Subscript)):
        tree = tree.value
    if isinstance(tree, ast.Name):
        yield tree.id


# -- calls -----------------------------------------------------------------------------------------


def is_idle(function: Function, values: Iterable[Value] = ()) -> bool:
    """Whether a function of a file that is only read does nothing to what lives anywhere.

    It is given none of that as ``values``, but for modules, and its text says nothing about it.
    """
    file = function.frame.file
    if file.owned:
        return False
    source = _read(file)
    parts = [part for value in values for part in parts_in(value)]
    if all(map(is_nowhere, parts)):
        return not _says(_SPEAKING, source, function.tree)
    # what a constructor is given by nobody knows whom is mostly its configuration
    harmless = (Instance, Opaque) if _is_constructor(function) else Instance
    modules_only = all(isinstance(part, harmless) or is_nowhere(part) for part in parts)
    return modules_only and not _says(_MOVING, source, function.tree)


def _is_constructor(function: Function) -> bool:
    return getattr(function.tree, "name", "") == "__init__"


def is_nowhere(value: Value) -> bool:
    """Whether a value has no place, and nothing in it has."""
    if isinstance(value, Instance):
        return not any(record.module for record in value.records)
    return isinstance(value, (Plain, Const, Unknown, External))


def _says(words: re.Pattern[str], source: Source, tree: FunctionTree) -> bool:
    """Whether one of ``words`` is in the body of a function, its docstring and comments aside."""
    known = source.once(_said_in)
    if (words, tree) not in known:
        known[words, tree] = _is_said(words, source, tree)
    return known[words, tree]


def _said_in(_: Source) -> dict[tuple[re.Pattern[str], FunctionTree], bool]:
    """What functions say, as far as somebody has asked: of most files few are ever called."""
    return {}


def _is_said(words: re.Pattern[str], source: Source, tree: FunctionTree) -> bool:
    if isinstance(tree, ast.Lambda):
        first, last = tree.body.lineno, tree.body.end_lineno
    else:
        documented = len(tree.body) > 1 and ast.get_docstring(tree, clean=False) is not None
        first, last = tree.body[documented].lineno, tree.body[-1].end_lineno
    start, end = source.offset(first, 0), source.line_end(source.offset(last or first, 0))
    for match in words.finditer(source.text, start, end):
        if "#" not in source.text[source.line_start(match.start()) : match.start()]:
            return True
    return False
