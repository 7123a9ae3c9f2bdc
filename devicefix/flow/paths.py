"""Whether every path through the code gives a name its value before it is used.

A name is *settled* where something has bound it, or has read it already: had it been missing, the
program would have stopped there. ``self.device`` is settled in the same way.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final

from msgspec import Struct

_LEAVING: Final = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_EXITS: Final = frozenset(("exit", "quit", "sys.exit", "os._exit"))
_COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS: Final = ("body", "orelse", "finalbody")


class Paths(Struct, frozen=True):
    """The paths through one scope, as far as ``name`` (or ``self.name``) is concerned."""

    name: str
    called: Callable[[ast.Call], bool] = lambda _: False
    """Whether a call settles it."""
    starred: bool = False
    """``from … import *`` brings it."""
    filled: bool = False
    """It has to be bound to more than None: that something reads it says nothing then."""

    def through(self, body: Sequence[ast.stmt], *, settled: bool = False) -> bool:
        """Whether it is settled at the end of ``body``, if that is reached."""
        return self.until(body, (), settled=settled)

    def until(
        self, body: Sequence[ast.stmt], around: Collection[ast.AST], *, settled: bool = False
    ) -> bool:
        """Whether it is settled before the place that these nodes are ``around``."""
        for statement in body:
            if statement in around:
                return self._inside(statement, around, settled)
            if settled and self._is_deleted(statement):
                settled = False
            settled = settled or self.settles(statement)
        return settled

    def needed(self, body: Sequence[ast.stmt], around: Collection[ast.AST]) -> bool:
        """Whether what runs with the place, before it or after it, cannot do without it."""
        return self.until(body, around) or self._needed_after(body, around)

    def _needed_after(self, body: Sequence[ast.stmt], around: Collection[ast.AST]) -> bool:
        at = next((i for i, statement in enumerate(body) if statement in around), None)
        if at is None:
            return False
        inner = next((block for block in _blocks(body[at]) if _holds(block, around)), ())
        if self._needed_after(inner, around):
            return True
        for statement in body[at + 1 :]:
            if any(map(self._loads, _header(statement))):
                return True
            if self._is_bound_in(statement):
                return False
        return False

    def _is_bound_in(self, statement: ast.stmt) -> bool:
        return any(
            (self._is_it(n) and not isinstance(n.ctx, ast.Load))  # type: ignore[attr-defined]
            or (isinstance(n, ast.Call) and self.called(n))
            for n in ast.walk(statement)
        )

    def _inside(self, statement: ast.stmt, around: Collection[ast.AST], settled: bool) -> bool:
        for block in _blocks(statement):
            if _holds(block, around):
                settled = settled or any(map(self._reads, _header(statement)))
                if isinstance(statement, (ast.For, ast.AsyncFor)):
                    settled = settled or self._reads(statement.target)
                if block is getattr(statement, "orelse", None) and isinstance(statement, ast.Try):
                    settled = self.through(statement.body, settled=settled)
                return self.until(block, around, settled=settled)
        return settled or any(map(self._loads, _header(statement)))

    def settles(self, statement: ast.stmt) -> bool:
        """Whether it has a value once ``statement`` is through."""
        if self.filled and self.is_emptied(statement):
            return False
        match statement:
            case ast.If(body=body, orelse=orelse):
                both = (
                    bool(orelse) and self._settled_or_left(body) and self._settled_or_left(orelse)
                )
            case ast.With(body=body) | ast.AsyncWith(body=body):
                both = self.through(body)
            case ast.Try():
                both = self._tries(statement)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                bound = {(alias.asname or alias.name).partition(".")[0] for alias in names}
                return self.name in bound or ("*" in bound and self.starred)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                return name == self.name
            case ast.ClassDef(name=name):
                return name == self.name
            case _:
                both = False
        return both or any(map(self._reads, _header(statement)))

    def _tries(self, tree: ast.Try) -> bool:
        if self.through(tree.finalbody):
            return True
        handled = all(self._settled_or_left(handler.body) for handler in tree.handlers)
        return handled and self.through([*tree.body, *tree.orelse])

    def _settled_or_left(self, body: Sequence[ast.stmt]) -> bool:
        return self.through(body) or any(map(_leaves, body))

    def _is_deleted(self, statement: ast.stmt) -> bool:
        return any(
            (isinstance(s, ast.Delete) and self._is_among(s.targets))
            or (self.filled and self.is_emptied(s))
            for s in _within(statement)
        )

    def is_emptied(self, statement: ast.AST) -> bool:
        """Whether it is ``name = None``."""
        assigns = isinstance(statement, ast.Assign) and is_none(statement.value)
        return assigns and self._is_among(statement.targets)  # type: ignore[attr-defined]

    def _is_among(self, targets: Sequence[ast.expr]) -> bool:
        return any(self._is_it(target) for target in targets)

    def _reads(self, tree: ast.AST) -> bool:
        """Whether evaluating ``tree`` surely reads or binds it."""
        return any(
            self._is_it(node) or (isinstance(node, ast.Call) and self.called(node))
            for node in _certain(tree)
        )

    def _loads(self, tree: ast.AST) -> bool:
        """Whether evaluating ``tree`` surely reads it, as it was before."""
        return any(self._is_it(n) and isinstance(n.ctx, ast.Load) for n in _certain(tree))  # type: ignore[attr-defined]

    def _is_it(self, node: ast.AST) -> bool:
        if self.filled and isinstance(getattr(node, "ctx", None), ast.Load):
            return False
        if isinstance(node, ast.Name):
            return node.id == self.name
        if isinstance(node, ast.Attribute):  # the text of another one ends otherwise
            return self.name.endswith(f".{node.attr}") and ast.unparse(node) == self.name
        if isinstance(node, ast.Subscript):
            return self.name.endswith("]") and ast.unparse(node) == self.name
        return False


def is_none(tree: ast.expr) -> bool:
    """Whether it is the literal ``None``."""
    return isinstance(tree, ast.Constant) and tree.value is None


def _within(statement: ast.stmt) -> Iterator[ast.stmt]:
    """The statement and all those inside of it, without a look at expressions."""
    yield statement
    for part in (statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        for field in _BLOCKS:
            for inner in getattr(part, field, ()):
                yield from _within(inner)


def _blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    """The blocks that belong to the scope of the statement itself."""
    if isinstance(statement, _DEFINITIONS):
        return []
    found = [getattr(statement, field, []) for field in _BLOCKS]
    parts = [*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]
    return [block for block in (*found, *(part.body for part in parts)) if block]


def _holds(block: Sequence[ast.stmt], around: Collection[ast.AST]) -> bool:
    return any(statement in around for statement in block)


def _header(statement: ast.stmt) -> list[ast.AST]:
    """What the statement evaluates before, or without, any of its blocks."""
    match statement:
        case ast.If(test=test) | ast.While(test=test):
            return [test]
        case ast.For(iter=source) | ast.AsyncFor(iter=source):
            return [source]
        case ast.With(items=items) | ast.AsyncWith(items=items):
            return list(items)
        case ast.Match(subject=subject):
            return [subject]
        case ast.Try() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return []
        case ast.AnnAssign(value=None) | ast.Global() | ast.Nonlocal() | ast.Delete():
            return []
        case _:
            return [] if hasattr(statement, "handlers") else [statement]


def _certain(tree: ast.AST) -> Iterator[ast.AST]:
    """The parts of an expression or simple statement that are evaluated whatever happens."""
    yield tree
    match tree:
        case ast.IfExp(test=test):
            parts: list[ast.AST] = [test]
        case ast.BoolOp(values=values):
            parts = [values[0]]
        case ast.Lambda():
            parts = []
        case _ if isinstance(tree, _COMPREHENSIONS):
            parts = [tree.generators[0].iter]
        case _:
            parts = list(ast.iter_child_nodes(tree))
    for part in parts:
        yield from _certain(part)


def _leaves(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return ast.unparse(statement.value.func) in _EXITS
    return isinstance(statement, _LEAVING)
