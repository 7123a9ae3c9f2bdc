"""A module with a call around each expression that may be a tensor or a module.

``x.sum()`` becomes ``seen(2, seen(1, x).sum())``: it is evaluated in the same order, in the same
frame, and is what it was. What Python gives no value to read (annotations, patterns, decorators)
and what is no expression of its own (pieces of f-strings) stays as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, cast

NAME: Final = "__devicefix_seen__"
"""What the call is named. Between underscores no class mangles it, and no program has it."""
_RECEIVERS: Final = frozenset({"self", "cls"})
_NUMBER: Final = "_devicefix_number"


@dataclass(frozen=True)
class Watched:
    """One expression, where it stands in the text: lines and columns from 1, in characters."""

    line: int
    column: int
    end_line: int
    end_column: int
    operands: tuple[int, ...] = ()
    """What it is computed of, by the numbers of those."""


def instrument(tree: ast.Module, text: str, first: int) -> tuple[ast.Module, list[Watched]]:
    """``tree``, changed in place, and its expressions: the first of them has number ``first``."""
    work = _Instrument(tree, text, first)
    return ast.fix_missing_locations(cast(ast.Module, work.visit(tree))), work.watched


class _Instrument(ast.NodeTransformer):
    def __init__(self, tree: ast.Module, text: str, first: int) -> None:
        self.watched: list[Watched] = []
        self._first = first
        self._lines = [line.encode("utf-8", "surrogatepass") for line in text.split("\n")]
        self._passed_over = _imported(tree) | _RECEIVERS

    # -- expressions ---------------------------------------------------------------------------

    def visit_Name(self, node: ast.Name) -> ast.expr:
        own = node.id not in self._passed_over and not node.id.startswith("__")
        return self._seen(node) if own and isinstance(node.ctx, ast.Load) else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if _root(node) in self._passed_over - _RECEIVERS:
            return node
        if not isinstance(node.value, ast.Name):
            node.value = self.visit(node.value)
        return self._seen(node) if isinstance(node.ctx, ast.Load) else node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        return self._seen(node, (node.value, node.slice))

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        return self._seen(node, (node.left, node.right))

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        return self._seen(node, (node.left, *node.comparators))

    def visit_Call(self, node: ast.Call) -> ast.expr:
        receiver = self._callee(node)
        node.args = [self.visit(arg) for arg in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        given = [k.value for k in node.keywords]
        return self._seen(node, (*receiver, *node.args, *given))

    def _callee(self, node: ast.Call) -> tuple[ast.expr, ...]:
        """Look at what is called where that may be a module; gives what a method belongs to."""
        func = node.func
        if isinstance(func, ast.Attribute) and _root(func) not in self._passed_over - _RECEIVERS:
            func.value = receiver = self.visit(func.value)
            node.func = self._seen(func)
            return (receiver,)
        if not isinstance(func, ast.Name) or func.id not in _BUILTINS:
            node.func = self.visit(func)
        return ()

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        return node  # where its pieces stand, older Pythons do not know

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        node.body = self.visit(node.body)
        return node

    def _seen(self, node: ast.expr, parts: Iterable[ast.expr] = ()) -> ast.expr:
        operands = tuple(getattr(p, _NUMBER) for p in parts if hasattr(p, _NUMBER))
        return self._call(node, node, operands)

    def _call(
        self, node: ast.expr | ast.arg, read: ast.expr, operands: tuple[int, ...] = ()
    ) -> ast.Call:
        number = self._first + len(self.watched)
        self.watched.append(self._place(node, operands))
        call = ast.Call(
            func=ast.Name(id=NAME, ctx=ast.Load()),
            args=[ast.Constant(value=number), read],
            keywords=[],
        )
        for part in (call, call.func, call.args[0]):
            ast.copy_location(part, node)
        setattr(call, _NUMBER, number)
        return call

    def _place(self, node: ast.expr | ast.arg, operands: tuple[int, ...]) -> Watched:
        end_line, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        start = self._column(node.lineno, node.col_offset)
        return Watched(node.lineno, start, end_line, self._column(end_line, end), operands)

    def _column(self, line: int, offset: int) -> int:
        return len(self._lines[line - 1][:offset].decode("utf-8", "surrogatepass")) + 1

    # -- what is bound -------------------------------------------------------------------------

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        self.generic_visit(node)
        unpacked = [t for t in node.targets if isinstance(t, (ast.Tuple, ast.List))]
        return [node, *self._bound(unpacked)]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        node.value = self.visit(node.value) if node.value is not None else None
        return node

    def visit_For(self, node: ast.For) -> ast.stmt:
        self.generic_visit(node)
        node.body = [*self._bound([node.target]), *node.body]
        return node

    def visit_AsyncFor(self, node: ast.AsyncFor) -> ast.stmt:
        self.generic_visit(node)
        node.body = [*self._bound([node.target]), *node.body]
        return node

    def visit_With(self, node: ast.With) -> ast.stmt:
        self.generic_visit(node)
        names = [item.optional_vars for item in node.items if item.optional_vars is not None]
        node.body = [*self._bound(names), *node.body]
        return node

    def _bound(self, targets: Sequence[ast.expr]) -> list[ast.stmt]:
        """Statements that look at names which have just been bound."""
        found: list[ast.stmt] = []
        for name in (n for target in targets for n in _names(target)):
            read = ast.copy_location(ast.Name(id=name.id, ctx=ast.Load()), name)
            found.append(ast.copy_location(ast.Expr(value=self._call(name, read)), name))
        return found

    def visit_AsyncWith(self, node: ast.AsyncWith) -> ast.stmt:
        self.generic_visit(node)
        names = [item.optional_vars for item in node.items if item.optional_vars is not None]
        node.body = [*self._bound(names), *node.body]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.stmt:
        return self._function(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.stmt:
        body = self._block(node.body)
        given = node.args
        parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs]
        looks: list[ast.stmt] = []
        for parameter in (p for p in parameters if p.arg not in _RECEIVERS):
            read = ast.copy_location(ast.Name(id=parameter.arg, ctx=ast.Load()), parameter)
            look = ast.Expr(value=self._call(parameter, read))
            looks.append(ast.copy_location(look, parameter))
        documented = int(ast.get_docstring(node, clean=False) is not None)
        node.body = [*body[:documented], *looks, *body[documented:]]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        node.body = self._block(node.body)
        return node

    def _block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for statement in body:
            new = self.visit(statement)
            found += new if isinstance(new, list) else [new]
        return found

    # -- what has no value to look at ----------------------------------------------------------

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        node.body = self._block(node.body)
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.match_case:
        node.guard = self.visit(node.guard) if node.guard is not None else None
        node.body = self._block(node.body)
        return node

    def visit_TypeAlias(self, node: ast.stmt) -> ast.stmt:
        return node


_BUILTINS: Final = frozenset(
    dir(__builtins__) if not isinstance(__builtins__, dict) else __builtins__
)


def _imported(tree: ast.Module) -> frozenset[str]:
    """The names that imports bind, and nothing else does."""
    bound: set[str] = set()
    others: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            bound.update((a.asname or a.name).partition(".")[0] for a in node.names)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            others.add(node.id)
        elif isinstance(node, ast.arg):
            others.add(node.arg)
    return frozenset(bound - others)


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _names(target: ast.expr) -> Iterator[ast.Name]:
    if isinstance(target, ast.Name):
        yield target
    elif isinstance(target, ast.Starred):
        yield from _names(target.value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for part in target.elts:
            yield from _names(part)
