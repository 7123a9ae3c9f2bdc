"""Lowers statements: blocks, loops, early exits, exceptions.

Any statement inside ``try`` may raise before it has done anything: there a block ends, and goes on
or to the handlers. What stands in ``finally`` is lowered once for each way that leads through it,
as CPython compiles it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

from msgspec import Struct

from devicefix.flow.ir.expressions import Expressions
from devicefix.flow.ir.names import FUNCTIONS, Names, defaults_of, parameters_of
from devicefix.flow.ir.ops import Block, Kind, Op
from devicefix.source.walking import walk

_Loop: TypeAlias = ast.For | ast.AsyncFor | ast.While
_EXITS: Final = frozenset(("exit", "quit", "sys.exit", "os._exit"))
_CATCH_ALL: Final = frozenset(("BaseException", "Exception"))


class _Around(Struct, frozen=True, eq=False):
    """What an early exit has to leave: a loop, handlers, a ``finally``."""

    leave: Block | None = None
    """Where ``break`` leads."""
    again: Block | None = None
    """Where ``continue`` leads."""
    handlers: Block | None = None
    """Where an exception leads."""
    last: tuple[ast.stmt, ...] = ()
    """What runs in any case."""


class Lowering(Expressions):
    """Lowers one scope."""

    def __init__(self, scope: ast.AST, names: Names) -> None:
        super().__init__(scope, names)
        self._around: list[_Around] = []

    def lower(self) -> None:
        """Fill the blocks."""
        scope = self._scope
        for parameter in parameters_of(scope):
            self.emit(Kind.ARGUMENT, parameter, name=parameter.arg)
        if isinstance(scope, ast.Lambda):
            self.end(Kind.RETURN, scope, [], [self.value(scope.body)])
        elif isinstance(scope, ast.GeneratorExp):
            self.end(Kind.RETURN, scope, [], [self._comprehension(scope)])  # type: ignore[arg-type]
        else:
            self._run(getattr(scope, "body", ()))
            self.end(Kind.RETURN, scope, [])

    # -- statements ----------------------------------------------------------------------------

    def _run(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            self._may_raise(statement)
            self.start(statement)
            lower = _LOWER.get(type(statement))
            if lower is not None:
                lower(self, statement)

    def _expression(self, tree: ast.Expr) -> None:
        self.value(tree.value)
        if isinstance(tree.value, ast.Call) and self._dotted(tree.value.func) in _EXITS:
            self._raised(tree)

    def _dotted(self, tree: ast.expr) -> str:
        """``sys.exit``, where the name is none that a function binds itself."""
        if isinstance(tree, ast.Attribute):
            return f"{self._dotted(tree.value)}.{tree.attr}"
        known = isinstance(tree, ast.Name) and not (
            tree.id in self.own and isinstance(self._scope, (*FUNCTIONS, ast.Lambda))
        )
        return tree.id if known and isinstance(tree, ast.Name) else ""

    def _assign(self, tree: ast.Assign) -> None:
        value = self.value(tree.value)
        for target in tree.targets:
            self._assigned(target, tree.value, value)

    def _assigned(self, target: ast.expr, given: ast.expr, value: Op) -> None:
        """``x, y = a, b`` binds each name to its own value."""
        pairs = (ast.Tuple, ast.List)
        if isinstance(target, pairs) and isinstance(given, pairs):
            spread = any(isinstance(p, ast.Starred) for p in (*target.elts, *given.elts))
            if not spread and len(target.elts) == len(given.elts):
                for part, own, result in zip(target.elts, given.elts, value.operands, strict=True):
                    self._assigned(part, own, result)
                return
        self.bind(target, value)

    def _changed(self, tree: ast.AugAssign) -> None:
        match tree.target:
            case ast.Name():
                before = self._name(tree.target)
                held: list[Op] = []
            case ast.Attribute(value=holder, attr=name):
                held = [self.value(holder)]
                before = self.emit(Kind.ATTRIBUTE, tree.target, held, name)
            case ast.Subscript(value=holder, slice=key):
                held = self.values([holder, key])
                before = self.emit(Kind.ITEM, tree.target, held)
        after = self.emit(Kind.COMPUTE, tree, [before, self.value(tree.value)])
        if isinstance(tree.target, ast.Name):
            self.bind_name(tree.target, tree.target.id, after)
        elif isinstance(tree.target, ast.Attribute):
            self.emit(Kind.SET_ATTRIBUTE, tree.target, [*held, after], tree.target.attr)
        else:
            self.emit(Kind.SET_ITEM, tree.target, [*held, after])

    def _deleted(self, tree: ast.Delete) -> None:
        for target in tree.targets:
            self._delete(target)

    def _delete(self, target: ast.expr) -> None:
        match target:
            case ast.Name(id=name):
                kind = Kind.DELETE if self.slot(name) in self.own else Kind.DELETE_OUTER
                self.emit(kind, target, name=self.slot(name))
            case ast.Attribute(value=holder, attr=name):
                self.emit(Kind.DELETE_ATTRIBUTE, target, [self.value(holder)], name)
            case ast.Subscript(value=holder, slice=key):
                self.emit(Kind.DELETE_ITEM, target, self.values([holder, key]))
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part in parts:
                    self._delete(part)

    def _imported(self, tree: ast.Import | ast.ImportFrom) -> None:
        for alias in tree.names:
            found = self.emit(Kind.IMPORT, alias, name=alias.name)
            if alias.name != "*":
                name = (alias.asname or alias.name).partition(".")[0]
                self.bind_name(alias, name, found)

    def _function(self, tree: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        decorators = self.values(tree.decorator_list)
        made = self.emit(Kind.CLOSURE, tree, self.values(defaults_of(tree)), tree.name)
        self._decorated(tree, decorators, made)

    def _class(self, tree: ast.ClassDef) -> None:
        decorators = self.values(tree.decorator_list)
        bases = self.values([*tree.bases, *(k.value for k in tree.keywords)])
        self._decorated(tree, decorators, self.emit(Kind.CLOSURE, tree, bases, tree.name))

    def _decorated(
        self,
        tree: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
        decorators: Sequence[Op],
        made: Op,
    ) -> None:
        for decorator in reversed(decorators):
            made = self.emit(Kind.CALL, tree, [decorator, made])
        self.bind_name(tree, tree.name, made)

    # -- choices and loops ---------------------------------------------------------------------

    def _if(self, tree: ast.If) -> None:
        behind = self.new_block()
        while True:  # a chain of `elif` is no nest
            true, false = self.new_block(), self.new_block()
            self.condition(tree.test, true, false)
            self.current = true
            self._run(tree.body)
            self.jump(tree, behind)
            self.current = false
            if not (len(tree.orelse) == 1 and isinstance(tree.orelse[0], ast.If)):
                break
            tree = tree.orelse[0]
            self._may_raise(tree)
            self.start(tree)
        self._run(tree.orelse)
        self.go_on(tree, behind)

    def _while(self, tree: ast.While) -> None:
        header, body, rest, behind = self._loop(tree)
        self._may_raise(tree)
        self.condition(tree.test, body, rest)
        self.current = body
        self._turn(tree, header, rest, behind)

    def _for(self, tree: ast.For | ast.AsyncFor) -> None:
        source = self.value(tree.iter)
        header, body, rest, behind = self._loop(tree)
        self._may_raise(tree)
        item = self.emit(Kind.NEXT, tree, [source])
        self.branch(tree, item, body, rest)
        self.current = body
        self.bind(tree.target, item)
        self._turn(tree, header, rest, behind)

    def _loop(self, tree: _Loop) -> tuple[Block, Block, Block, Block]:
        """Enter a loop: what begins each turn, the body, ``else``, and what follows."""
        rest, behind = self.new_block(), self.new_block()
        self.loops = (*self.loops, tree)
        header, body = self.new_block(), self.new_block()
        self.turns[tree] = header.number, rest.number
        self.go_on(tree, header)
        return header, body, rest, behind

    def _turn(self, tree: _Loop, header: Block, rest: Block, behind: Block) -> None:
        """The body of a loop, and ``else``."""
        with self._inside(_Around(leave=behind, again=header)):
            self._run(tree.body)
        self.jump(tree, header)
        self.loops, self.current = self.loops[:-1], rest
        self._run(tree.orelse)
        self.go_on(tree, behind)

    def _with(self, tree: ast.With | ast.AsyncWith) -> None:
        for item in tree.items:
            entered = self.emit(Kind.ENTER, item, [self.value(item.context_expr)])
            if item.optional_vars is not None:
                self.bind(item.optional_vars, entered)
        self._run(tree.body)

    def _match(self, tree: ast.Match) -> None:
        subject, behind = self.value(tree.subject), self.new_block()
        for case in tree.cases:
            taken, following = self.new_block(), self.new_block()
            whatever = isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None
            asked = self.emit(Kind.COMPUTE, case, [subject, *self._asked(case.pattern)])
            if whatever:
                self.jump(case, taken)
            else:
                self.branch(case, asked, taken, following)
            self.current = taken
            self._captured(case.pattern, subject)
            if case.guard is not None:
                passed = self.new_block()
                self.condition(case.guard, passed, following)
                self.current = passed
            self._run(case.body)
            self.jump(case, behind)
            self.current = following
        self.go_on(tree, behind)

    def _asked(self, pattern: ast.pattern) -> list[Op]:
        """What a pattern compares with."""
        nodes = (n for n in walk(pattern) if isinstance(n, (ast.MatchValue, ast.MatchClass)))
        return [self.value(n.value if isinstance(n, ast.MatchValue) else n.cls) for n in nodes]

    def _captured(self, pattern: ast.pattern, subject: Op) -> None:
        for node in walk(pattern):
            name = getattr(node, "rest", None) or getattr(node, "name", None)
            if isinstance(name, str):
                self.bind_name(node, name, self.emit(Kind.CAUGHT, node, [subject]))

    # -- early exits ---------------------------------------------------------------------------

    @contextmanager
    def _inside(self, around: _Around) -> Iterator[None]:
        self._around.append(around)
        yield
        self._around.pop()

    def _leave(self, depth: int) -> None:
        """Run what stands in ``finally`` on the way out, down to so many surroundings."""
        around = self._around
        for number in range(len(around) - 1, depth - 1, -1):
            if around[number].last:
                self._around = around[:number]
                self.go_on(self._scope, self.new_block())
                self._run(around[number].last)
        self._around = around

    def _return(self, tree: ast.Return) -> None:
        results = self.values([tree.value])
        self._leave(0)
        self.end(Kind.RETURN, tree, [], results)

    def _break(self, tree: ast.Break) -> None:
        self._jump_out(tree, lambda around: around.leave)

    def _continue(self, tree: ast.Continue) -> None:
        self._jump_out(tree, lambda around: around.again)

    def _jump_out(self, tree: ast.stmt, to: Callable[[_Around], Block | None]) -> None:
        for depth in range(len(self._around) - 1, -1, -1):
            block = to(self._around[depth])
            if block is not None:
                self._leave(depth + 1)
                self.jump(tree, block)
                return

    def _raise(self, tree: ast.Raise) -> None:
        self._raised(tree, self.values([tree.exc, tree.cause])[:1])

    def _assert(self, tree: ast.Assert) -> None:
        holds, fails = self.new_block(), self.new_block()
        self.condition(tree.test, holds, fails)
        self.current = fails
        self.values([tree.msg])
        self._raised(tree)
        self.current = holds

    def _handlers(self) -> Block | None:
        """Where an exception leads from here."""
        found = (around.handlers for around in reversed(self._around))
        return next((block for block in found if block is not None), None)

    def _raised(self, tree: ast.AST, exception: Sequence[Op] = ()) -> None:
        handlers = self._handlers()
        kind = Kind.RAISE if handlers is None else Kind.JUMP
        self.end(kind, tree, [] if handlers is None else [handlers], exception)

    def _may_raise(self, tree: ast.stmt) -> None:
        handlers = self._handlers()
        if handlers is not None:
            following = self.new_block()
            self.end(Kind.MAY_RAISE, tree, [following, handlers])
            self.current = following

    def _try(self, tree: ast.Try) -> None:
        raised, failed, done = self.new_block(), self.new_block(), self.new_block()
        last = tuple(tree.finalbody)
        with self._inside(_Around(handlers=failed if last else None, last=last)):
            with self._inside(_Around(handlers=raised if tree.handlers else None)):
                self._run(tree.body)
            self.go_on(tree, self.new_block())
            self._run(tree.orelse)
            self.jump(tree, done)
            if tree.handlers:
                self.current = raised
                self._handled(tree, done)
        if last:
            self.current = failed
            caught = self.emit(Kind.CAUGHT, tree)
            self._run(last)
            self._raised(tree, [caught])
        self.current = done
        self._run(last)

    def _handled(self, tree: ast.Try, done: Block) -> None:
        caught = self.emit(Kind.CAUGHT, tree)
        for handler in tree.handlers:
            matched, other = self.new_block(), self.new_block()
            asked = self.values([handler.type])
            if handler.type is None or self._dotted(handler.type) in _CATCH_ALL:
                self.jump(handler, matched)
            else:
                tested = self.emit(Kind.COMPUTE, handler, [caught, *asked])
                self.branch(handler, tested, matched, other)
            self.current = matched
            if handler.name is not None:
                self.bind_name(handler, handler.name, caught)
            self._run(handler.body)
            if handler.name is not None:
                self.emit(Kind.DELETE, handler, name=self.slot(handler.name))
            self.jump(handler, done)
            self.current = other
        self._raised(tree, [caught])


_LOWER: Final[dict[type[ast.stmt], Callable[[Lowering, Any], None]]] = {
    ast.Assert: Lowering._assert,
    ast.Assign: Lowering._assign,
    ast.AsyncFor: Lowering._for,
    ast.AsyncFunctionDef: Lowering._function,
    ast.AsyncWith: Lowering._with,
    ast.AugAssign: Lowering._changed,
    ast.Break: Lowering._break,
    ast.ClassDef: Lowering._class,
    ast.Continue: Lowering._continue,
    ast.Delete: Lowering._deleted,
    ast.Expr: Lowering._expression,
    ast.For: Lowering._for,
    ast.FunctionDef: Lowering._function,
    ast.If: Lowering._if,
    ast.Import: Lowering._imported,
    ast.ImportFrom: Lowering._imported,
    ast.Match: Lowering._match,
    ast.Raise: Lowering._raise,
    ast.Return: Lowering._return,
    ast.Try: Lowering._try,
    getattr(ast, "TryStar", ast.Try): Lowering._try,
    ast.While: Lowering._while,
    ast.With: Lowering._with,
}
