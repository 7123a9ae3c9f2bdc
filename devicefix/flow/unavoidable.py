"""What needs CUDA on every path of a program through a place.

A need is *unavoidable* at a place where all paths through it come by the need: before the place (it
dominates it), or behind (it postdominates it). A path that fails is none. What stands below a
condition, or in a ``try`` that goes on, can be avoided, but where the condition has one answer
only, as far as the place is concerned, or only leaves out some of what a loop goes through. A loop
comes to its body. A function that nothing but calls that were seen can reach is as all these calls
are.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from types import MappingProxyType
from typing import Final

from devicefix.flow.analysis import Analysis
from devicefix.flow.cuda_guards import Guards, catches
from devicefix.flow.deciders import ASKS, decider
from devicefix.flow.facts import Need
from devicefix.flow.imported import dotted, origins
from devicefix.flow.kernels import extension_built, kernel_in, raises_without_cuda
from devicefix.flow.nccl import Groups
from devicefix.flow.references import References
from devicefix.flow.scopes import COMPREHENSIONS, FUNCTIONS, block_of
from devicefix.flow.scripts import is_main_guard
from devicefix.flow.values import Const, FileRecord, Value
from devicefix.source import Source
from devicefix.source.imports import bindings

_LOADED: Final = frozenset({"flash_attn", "pycuda"})
"""Libraries that load CUDA when they are imported."""
_STARTS: Final = frozenset({
    "multiprocessing.Process", "torch.multiprocessing.Process", "torch.multiprocessing.spawn",
})  # fmt: skip
_EXITS: Final = frozenset({"exit", "os._exit", "quit", "sys.exit"})
_LOOPS: Final = (ast.For, ast.AsyncFor, ast.While)
_LATER: Final = (*FUNCTIONS, ast.ClassDef, ast.Lambda, *COMPREHENSIONS)
_Asked = dict[str, bool]
"""Conditions, as `ast.dump` spells them, and their answers."""
_NOTHING: Final = _Asked()
_Kept = Mapping[ast.AST, str]


def _unknown(_: ast.AST) -> Sequence[Value]:
    return ()


class Unavoidable:
    """The needs of one program, statement by statement; each function is read once.

    ``kept``: what else raises where there is no CUDA, as it will be left, and why; ``values`` gives
    what an expression is in each context that it was evaluated in.
    """

    def __init__(
        self,
        analysis: Analysis,
        kept: _Kept = MappingProxyType({}),
        values: Callable[[ast.AST], Sequence[Value]] = _unknown,
    ) -> None:
        self._analysis = analysis
        self._kept = kept
        self._values = values
        self._known: dict[ast.AST, Need | None] = {}
        self._statements: dict[ast.stmt, Need | None] = {}
        self._entered: dict[ast.AST, Need | None] = {}
        self._left: dict[ast.AST, bool] = {}
        self._references = References(analysis)
        self._groups = Groups(analysis, self._names)

    def of_file(self, file: FileRecord) -> Need | None:
        """Of the kernels in a file, of what importing it does, or of its main block."""
        if (kernel := kernel_in(self._analysis, file)) is not None:
            return Need(*kernel)
        mains = [s.body for s in file.source.tree.body if is_main_guard(s)]
        own = self._of(file.source.tree)
        return own or next((n for body in mains if (n := self._block(body)) is not None), None)

    # -- a place -----------------------------------------------------------------------------------

    def at(self, tree: ast.AST) -> Need | None:
        """What every path through ``tree`` comes by."""
        parents, goes_on, asked = self._analysis.parents, True, _Asked()
        child, parent = tree, parents.get(tree)
        if parent is None:
            return None  # a call that the text does not spell: `x.y` of a class with `__getattr__`
        while parent is not None and not isinstance(parent, ast.Lambda):
            if isinstance(child, ast.stmt):
                goes_on = goes_on and not self._may_leave(child)
                need = self._beside(parent, child, asked, goes_on=goes_on)
                if need is not None:
                    return need
            asked.update(_answers(parent, child))
            if isinstance(parent, FUNCTIONS):
                return self._on_entry(parent)
            child, parent = parent, parents.get(parent)
        return self._of(self._analysis.home(tree).source.tree)

    def _beside(
        self, parent: ast.AST, child: ast.stmt, asked: _Asked, *, goes_on: bool
    ) -> Need | None:
        """Of a statement in a block of ``parent``, of those before it, and of those after it."""
        block = block_of(parent, child)
        tried = isinstance(parent, ast.Try) and block is parent.body
        if not block or (tried and _goes_on(parent)):
            return None
        at = block.index(child) + 1
        before = (self._statement(statement) for statement in block[:at])
        need = next((n for n in before if n is not None), None)
        return need or (self._block(block[at:], asked) if goes_on else None)

    def _on_entry(self, function: ast.AST) -> Need | None:
        """What importing its file comes by, or every call, where all of them were seen.

        A method is called on an object that was made, and its constructor has run.
        """
        if function not in self._entered:
            self._entered[function] = None  # what calls itself is being read
            makers = list(_constructor(self._analysis.parents.get(function), function))
            ways = [function, *makers]
            found = next((n for way in ways if (n := self._by_calls(way)) is not None), None)
            found = found or next((n for maker in makers if (n := self._of(maker))), None)
            whole = self._analysis.home(function).source.tree
            self._entered[function] = found or self._of(whole)
        return self._entered[function]

    def _by_calls(self, function: ast.AST) -> Need | None:
        needs = [self.at(call) for call in self._calls.get(function, [])]
        known = all(needs) and self._references.are_only_calls(function)
        return next(iter(needs), None) if known else None

    @cached_property
    def _calls(self) -> dict[ast.AST, list[ast.AST]]:
        """By function the calls that reach it."""
        found: dict[ast.AST, list[ast.AST]] = {}
        for call, reached in self._analysis.seen.reached.items():
            for function in {function for function, _ in reached}:
                found.setdefault(function, []).append(call)
        return found

    # -- what always runs --------------------------------------------------------------------------

    def _of(self, scope: ast.AST) -> Need | None:
        """Of what a function does whenever it is called, or a module when it is imported."""
        if scope not in self._known:
            self._known[scope] = None  # what calls itself is being read
            own = self._expression(scope.body) if isinstance(scope, ast.Lambda) else None
            lines = () if isinstance(scope, ast.Lambda) else getattr(scope, "body", ())
            self._known[scope] = own or self._block(lines)
        return self._known[scope]

    def _block(self, statements: Sequence[ast.stmt], asked: _Asked = _NOTHING) -> Need | None:
        """``asked``: the conditions that are known there, and their answers."""
        for at, statement in enumerate(statements):
            need = self._statement(statement)
            if need is None and isinstance(statement, ast.If):
                answer = asked.get(ast.dump(statement.test))
                if answer is not None and not _binds_any(statements[:at], statement.test):
                    need = self._block(statement.body if answer else statement.orelse)
            if need is not None:
                return need
            if self._may_leave(statement):
                return None
        return None

    def _may_leave(self, statement: ast.stmt) -> bool:
        """Whether it decides if the next one runs at all; where it fails, the program ends."""
        if statement not in self._left:
            self._left[statement] = self._has_left(statement)
        return self._left[statement]

    def _has_left(self, statement: ast.stmt) -> bool:
        """Each ``elif`` is a part of what is before it, and asked about first: it is not read
        again."""
        waiting: list[tuple[ast.AST, bool]] = [(statement, False)]
        while waiting:
            tree, looped = waiting.pop()
            known = None if looped else self._left.get(tree)
            if known is None and not isinstance(tree, _LATER):
                stays = looped and isinstance(tree, (ast.Break, ast.Continue))
                known = not stays and (_leaves(tree) or self._is_over(tree))
                inside = looped or isinstance(tree, _LOOPS)
                waiting += ((child, inside) for child in ast.iter_child_nodes(tree))
            if known:
                return True
        return False

    def _is_over(self, tree: ast.AST) -> bool:
        """``sys.exit()``: the program has done what it is for."""
        if not self._exits(tree):
            return False
        status = tree.args[0] if isinstance(tree, ast.Call) and tree.args else None
        return not (isinstance(status, ast.Constant) and status.value)

    def _exits(self, tree: ast.AST) -> bool:
        return isinstance(tree, ast.Call) and not self._names(tree).isdisjoint(_EXITS)

    def _names(self, call: ast.Call) -> set[str]:
        """What is called, by evaluation or else by the imports."""
        known = self._analysis.home(call).source.once(origins)
        name = dotted(call.func, known) or getattr(call.func, "id", "")
        return {*self._analysis.seen.calls.get(call, ()), name}

    def _statement(self, tree: ast.stmt) -> Need | None:
        if tree not in self._statements:
            self._statements[tree] = self._read(tree)
        return self._statements[tree]

    def _read(self, tree: ast.stmt) -> Need | None:
        match tree:
            case ast.Assert(test=test) if self._means_cuda(test) is True:
                return Need(tree, f"`{ast.unparse(test)}` is asserted")
            case ast.If(test=test):
                ends = self._ends_without_cuda(tree)
                reason = "the program ends here where there is no CUDA"
                return Need(tree, reason) if ends else self._expression(test) or self._taken(tree)
            case ast.Try(body=body):
                return None if _goes_on(tree) else self._block(body)
            case ast.Import() | ast.ImportFrom():
                return self._import(tree)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return None
        parts = [c for c in ast.iter_child_nodes(tree) if isinstance(c, (ast.expr, ast.withitem))]
        return self._first(parts) or self._block(getattr(tree, "body", ()))

    def _taken(self, tree: ast.If) -> Need | None:
        """Of both branches, or of the one that a constant of the file chooses."""
        chosen = self._constant(tree.test)
        if chosen is None and (self._sifts(tree) or self._starts(tree)):
            chosen = True
        if chosen is not None:
            return self._block(tree.body if chosen else tree.orelse)
        otherwise = self._block(tree.orelse)
        return self._block(tree.body) if otherwise is not None else None

    def _constant(self, test: ast.expr) -> bool | None:
        """``if FUSED:`` below ``FUSED = True``, where nothing else binds the name."""
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=part):
                inner = self._constant(part)
                return None if inner is None else not inner
            case ast.Name(id=name):
                known = self._analysis.home(test).source.once(_switches).get(name)
                return known if known is not None else self._evaluated(test)
        return self._evaluated(test)

    def _evaluated(self, test: ast.expr) -> bool | None:
        """``if gpu:`` in a function that all calls give ``gpu=True``."""
        values = self._values(test)
        found = {bool(v.value) if isinstance(v, Const) else None for v in values}
        return found.pop() if len(found) == 1 else None

    def _starts(self, tree: ast.If) -> bool:
        """The main block of a file that nothing imports."""
        return is_main_guard(tree) and not self._analysis.home(tree).imported

    def _sifts(self, tree: ast.If) -> bool:
        """``if key != "meta":`` in ``for key in batch:``; something goes through."""
        match tree.test:
            case ast.Compare(left=ast.Name(id=name), ops=[ast.NotEq() | ast.NotIn() | ast.IsNot()]):
                pass
            case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), _]):
                pass
            case _:
                return False
        above = self._analysis.parents.get(tree)
        targets = above.target if isinstance(above, ast.For) else ast.Tuple([], ast.Load())
        return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(targets))

    def _means_cuda(self, test: ast.expr) -> bool | None:
        """Which answer there is with CUDA, where the other one means that there is none."""
        asked = decider(self._analysis, test, None)
        if asked is not None and asked.question in (ASKS, f"Not({ASKS})"):
            return asked.question == ASKS
        return self._guards(test).holds(test)

    def _guards(self, tree: ast.AST) -> Guards:
        return Guards(self._analysis, self._analysis.home(tree).source)

    def _ends_without_cuda(self, tree: ast.If) -> bool:
        if not any(map(self._ends, (tree.body, tree.orelse))):
            return False  # whatever the condition asks
        meant = self._means_cuda(tree.test)
        return meant is not None and self._ends(tree.orelse if meant else tree.body)

    def _ends(self, block: Sequence[ast.stmt]) -> bool:
        last = block[-1] if block else None
        ended = isinstance(last, ast.Expr) and self._exits(last.value)
        return ended or isinstance(last, ast.Raise)

    def _import(self, tree: ast.Import | ast.ImportFrom) -> Need | None:
        modules = [alias.name for alias in tree.names]
        if isinstance(tree, ast.ImportFrom):
            modules = [tree.module or ""] if not tree.level else []
        loaded = [module for module in modules if module.partition(".")[0] in _LOADED]
        if loaded:
            return Need(tree, f"`{loaded[0]}` loads CUDA")
        home, program = self._analysis.home(tree), self._analysis.program
        if (built := extension_built(program, home.path, tree)) is not None:
            return Need(tree, f"`{built}` is compiled for CUDA")
        files = imported_files(self._analysis, home, [tree])
        return next((n for file in files if (n := self._of(file.source.tree)) is not None), None)

    # -- expressions -----------------------------------------------------------------------------

    def _first(self, parts: Iterable[ast.AST]) -> Need | None:
        return next((n for part in parts if (n := self._expression(part)) is not None), None)

    def _expression(self, tree: ast.AST) -> Need | None:
        if isinstance(tree, (ast.ListComp, ast.SetComp, ast.DictComp)):
            return self._comprehension(tree)
        if isinstance(tree, _LATER):
            return None
        own = self._call(tree) if isinstance(tree, ast.Call) else None
        return own or self._first(_evaluated(tree))

    def _comprehension(self, tree: ast.ListComp | ast.SetComp | ast.DictComp) -> Need | None:
        parts: list[ast.expr] = [part.iter for part in tree.generators]
        if not any(part.ifs for part in tree.generators):
            parts += [tree.key, tree.value] if isinstance(tree, ast.DictComp) else [tree.elt]
        return self._first(parts)

    def _call(self, call: ast.Call) -> Need | None:
        if call in self._kept and not self._guards(call).are_around(call):
            return Need(call, self._kept[call])
        names = self._names(call)
        reason = raises_without_cuda(call, names)
        if reason and not self._guards(call).are_around(call):
            return Need(call.func, reason)
        if (need := self._groups.need(call)) is not None:
            return need
        called = self._called(call, names)
        return next((n for function in called if (n := self._of(function)) is not None), None)

    def _called(self, call: ast.Call, names: set[str]) -> Iterator[ast.AST]:
        """The functions of the program that run; a module that is made is called, too."""
        for function in self._analysis.seen.callees.get(call, ()):
            if function is None or not self._analysis.home(function).owned:
                continue
            yield function
            owner = self._analysis.parents.get(function)
            if isinstance(owner, ast.ClassDef) and getattr(function, "name", "") == "__init__":
                yield from (s for s in owner.body if getattr(s, "name", "") == "forward")
        handed = [*call.args, *(k.value for k in call.keywords)] if names & _STARTS else []
        own = self._analysis.home(call).source.once(_functions)
        named = [n.id for n in (call.func, *handed) if isinstance(n, ast.Name)]
        yield from (own[name] for name in named if name in own)


def _evaluated(tree: ast.AST) -> Iterable[ast.AST]:
    """The parts of an expression that are evaluated whatever the others are."""
    match tree:
        case ast.IfExp(test=test):
            return [test]
        case ast.BoolOp(values=values):
            return values[:1]
    return ast.iter_child_nodes(tree)


def _functions(source: Source) -> dict[str, ast.stmt]:
    """The functions at the top of a file, by name."""
    return {s.name: s for s in source.tree.body if isinstance(s, FUNCTIONS)}


def _constructor(owner: ast.AST | None, method: ast.AST) -> list[ast.stmt]:
    """That of the class of a method, as far as it needs an object."""
    decorated = bool(getattr(method, "decorator_list", None))
    if decorated or not isinstance(owner, ast.ClassDef):
        return []
    return [s for s in owner.body if getattr(s, "name", "") == "__init__" and s is not method]


def _switches(source: Source) -> dict[str, bool]:
    """The names that a file binds once, at its top, to True or False."""
    bound, found = source.once(bindings), {}
    for tree in source.tree.body:
        match tree:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=bool() as value)):
                if bound[name] == 1:
                    found[name] = value
    return found


def _answers(parent: ast.AST, child: ast.AST) -> _Asked:
    """What is known where ``parent`` comes to its part ``child``."""
    match parent:
        case ast.If(test=test, body=body) if child is not test:
            return {ast.dump(test): child in body}
        case ast.BoolOp(op=ast.And(), values=values):
            before = takewhile(lambda value: value is not child, values)
            return {ast.dump(value): True for value in before}
    return {}


def _binds_any(statements: Iterable[ast.stmt], test: ast.expr) -> bool:
    """Whether one of ``statements`` binds a name of a condition anew."""
    names = {n.id for n in ast.walk(test) if isinstance(n, ast.Name)}
    trees = (n for s in statements for n in ast.walk(s) if isinstance(n, ast.Name))
    return any(n.id in names and isinstance(n.ctx, ast.Store) for n in trees)


def _goes_on(tree: ast.AST) -> bool:
    """Whether it takes the errors of a missing CUDA."""
    return any(map(catches, getattr(tree, "handlers", ())))


def _leaves(tree: ast.AST) -> bool:
    return isinstance(tree, (ast.Return, ast.Break, ast.Continue))


def imported_files(
    analysis: Analysis, file: FileRecord, nodes: Iterable[ast.Import | ast.ImportFrom]
) -> Iterator[FileRecord]:
    """The files of the program that import statements of ``file`` read."""
    for node in nodes:
        asked = [(alias.name, 0) for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            base = f"{node.module}." if node.module else ""
            inner = [f"{base}{alias.name}" for alias in node.names]
            asked = [(name, node.level) for name in (node.module or "", *inner)]
        for name, level in asked:
            path = analysis.program.modules.find(file.path, name, level)
            record = analysis.files.get(path) if path is not None else None
            if record is not None and record.owned and record is not file:
                yield record
