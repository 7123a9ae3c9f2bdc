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
from types import MappingProxyType
from typing import Final

from devicefix.flow.analysis import Analysis
from devicefix.flow.counts import called_names, divisions, given_zero, takes_remainder
from devicefix.flow.cuda_guards import Guards, catches
from devicefix.flow.deciders import ASKS, decider
from devicefix.flow.definitions import enclosing
from devicefix.flow.facts import Need
from devicefix.flow.ir import Bodies, Body, Kind, Op, Point
from devicefix.flow.kernels import extension_built, kernel_in, raises_without_cuda
from devicefix.flow.nccl import Groups
from devicefix.flow.queries.control import guards
from devicefix.flow.queries.paths import Ways
from devicefix.flow.queries.reaching import alternatives
from devicefix.flow.references import References
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.scripts import is_main_guard
from devicefix.flow.values import Const, FileRecord, Value
from devicefix.source import Source
from devicefix.source.imports import module_constants
from devicefix.source.walking import walk

_LOADED: Final = frozenset({"flash_attn", "pycuda"})
"""Libraries that load CUDA when they are imported."""
_REMOVED: Final = "torch.utils.ffi"
"""Before torch 1.0 it loaded extensions in C and CUDA. Now importing it fails, and what takes its
place is compiled for CUDA, too: https://docs.pytorch.org/docs/stable/cpp_extension.html."""
_STARTS: Final = frozenset({
    "multiprocessing.Process", "torch.multiprocessing.Process", "torch.multiprocessing.spawn",
})  # fmt: skip
_Kept = Mapping[ast.AST, str]


def _unknown(_: ast.AST) -> Sequence[Value]:
    return ()


_READ: Final = frozenset((Kind.CALL, Kind.IMPORT, Kind.BRANCH, Kind.COMPUTE, Kind.LOAD))
"""What may need something."""


class Unavoidable:
    """The needs of one program; each function is read once.

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
        self._needs: dict[Op, Need | None] = {}
        self._ways: dict[ast.AST, Ways] = {}
        self._called_names: dict[ast.Call, set[str]] = {}
        self._entered: dict[ast.AST, Need | None] = {}
        self._references = References(analysis)
        self._groups = Groups(analysis, self._names)

    def of_file(self, file: FileRecord) -> Need | None:
        """Of the kernels in a file, of what importing it does, or of its main block."""
        if (kernel := kernel_in(self._analysis, file)) is not None:
            return Need(*kernel)
        own = self._of(file.source.tree)
        mains = [s.body[0] for s in file.source.tree.body if is_main_guard(s)]
        return own or next((n for first in mains if (n := self._behind(first)) is not None), None)

    # -- a place -----------------------------------------------------------------------------------

    def at(self, tree: ast.AST) -> Need | None:
        """What every path through ``tree`` comes by."""
        if tree not in self._analysis.parents:
            return None  # a call that the text does not spell: `x.y` of a class with `__getattr__`
        body, points = self._bodies(tree).moments(tree)
        found = [ways for point in points if (ways := self._around(body, point)) is not None]
        if points and len(found) == len(points):
            return found[0]
        if isinstance(body.scope, FUNCTIONS):
            return self._on_entry(body.scope)
        if isinstance(body.scope, (ast.ClassDef, ast.GeneratorExp)):
            return self.at(body.scope)
        return self._of(self._analysis.home(tree).source.tree)

    def _bodies(self, tree: ast.AST) -> Bodies:
        return self._analysis.home(tree).source.once(Bodies)

    def _around(self, body: Body, point: Point) -> Need | None:
        ways = self._through(body)
        return self._first(ways.before(point)) or self._first(ways.behind(point))

    def _behind(self, statement: ast.stmt) -> Need | None:
        """Of a statement, and what follows it."""
        body, points = self._bodies(statement).moments(statement)
        return self._first(self._through(body).behind(points[0])) if points else None

    def _on_entry(self, function: ast.AST) -> Need | None:
        """What importing its file comes by, or every call, where all of them were seen.

        A method is called on an object that was made, and its constructor has run; an inner
        function, after the one around it has come to its definition.
        """
        if function not in self._entered:
            self._entered[function] = None  # what calls itself is being read
            makers = list(_constructor(self._analysis.parents.get(function), function))
            ways = [function, *makers]
            found = next((n for way in ways if (n := self._by_calls(way)) is not None), None)
            found = found or next((n for maker in makers if (n := self._of(maker))), None)
            if found is None and isinstance(enclosing(self._analysis, function), FUNCTIONS):
                found = self.at(function)
            whole = self._analysis.home(function).source.tree
            self._entered[function] = found or self._of(whole)
        return self._entered[function]

    def _by_calls(self, function: ast.AST) -> Need | None:
        first: Need | None = None
        for call in self._calls.get(function, ()):
            need = self.at(call)
            if need is None:
                return None  # the other calls make no difference
            first = first or need
        return first if self._references.are_only_calls(function) else None

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
            body = self._bodies(scope).of(scope)
            self._known[scope] = self._first(self._through(body).behind((0, 0)))
        return self._known[scope]

    def _through(self, body: Body) -> Ways:
        if body.scope not in self._ways:
            stops = self._need
            self._ways[body.scope] = Ways(
                body, self._answer, lambda op: stops(op) is not None, self._is_over, _READ
            )
        return self._ways[body.scope]

    def _first(self, needs: Sequence[Op] | None) -> Need | None:
        found = [need for op in needs or () if (need := self._need(op)) is not None]
        return min(found, key=lambda need: getattr(need.tree, "lineno", 0), default=None)

    def _is_over(self, end: Op) -> bool:
        """``sys.exit()``: the program has done what it is for."""
        call = end.node.value if isinstance(end.node, ast.Expr) else None
        status = call.args[0] if isinstance(call, ast.Call) and call.args else None
        return call is not None and not (isinstance(status, ast.Constant) and status.value)

    def _names(self, call: ast.Call) -> set[str]:
        if call not in self._called_names:
            self._called_names[call] = called_names(self._analysis, call)
        return self._called_names[call]

    def _need(self, op: Op) -> Need | None:
        if op not in self._needs:
            self._needs[op] = None  # it is being read
            self._needs[op] = self._read(op)
        return self._needs[op]

    def _read(self, op: Op) -> Need | None:
        match op.kind, op.node:
            case Kind.CALL, ast.Call() as call:
                return self._call(call) or self._counted(op, call)
            case Kind.COMPUTE, tree if tree in self._kept:
                return Need(tree, self._kept[tree])
            case Kind.COMPUTE, ast.BinOp() | ast.AugAssign():
                return self._divided(op) if takes_remainder(op, self._names) else None
            case Kind.IMPORT, alias:
                statement = self._analysis.parents[alias]
                assert isinstance(statement, (ast.Import, ast.ImportFrom))
                return self._import(statement)
            case Kind.BRANCH, ast.expr() as test:
                return self._ends_without_cuda(op, test)
            case Kind.LOAD, ast.Name() as name if self._is_bound_with_cuda(op):
                return Need(name, f"`{name.id}` is only assigned where CUDA is available")
        return None

    def _is_bound_with_cuda(self, load: Op) -> bool:
        """``if torch.cuda.is_available(): net = Net().cuda()``, and ``net.eval()`` behind that."""
        if not any(operand.kind is Kind.PHI for operand in load.operands):
            return False
        bound = alternatives(load.operands[0])
        body = self._bodies(load.node).around(load.node)
        own = [op for op in bound if op.kind is Kind.STORE]
        lost = {op.kind for op in bound.difference(own)} == {Kind.UNBOUND}
        if not lost or not own or self._asks_for_cuda(body, load.block):
            return False
        return all(self._asks_for_cuda(body, op.block) for op in own)

    def _asks_for_cuda(self, body: Body, block: int) -> bool:
        asked = ((branch.operands[0].node, holds) for branch, holds in guards(body, block))
        return any(
            isinstance(test, ast.expr) and self._means_cuda(test) is holds for test, holds in asked
        )

    def _divided(self, op: Op) -> Need | None:
        """``rank % torch.cuda.device_count()``."""
        assert isinstance(op.node, (ast.expr, ast.stmt))
        if self._guards(op.node).are_around(op.node):
            return None
        return Need(op.node, "it divides by the number of GPUs, which is 0 without CUDA")

    def _counted(self, op: Op, call: ast.Call) -> Need | None:
        """The same in a function that is given how many there are."""
        if not any(isinstance(argument, ast.Call | ast.Name) for argument in call.args):
            return None
        for function in self._called(call, self._names(call)):
            if isinstance(function, FUNCTIONS):
                zero = given_zero(op, self._names, function.args)
                body = self._bodies(function).of(function) if zero else None
                found = divisions(body, self._names, zero) if body is not None else ()
                if (need := next(map(self._divided, found), None)) is not None:
                    return need
        return None

    def _ends_without_cuda(self, branch: Op, test: ast.expr) -> Need | None:
        """Where one answer ends the program, and the other one means that there is CUDA."""
        body = self._bodies(test).around(test)
        own = body.blocks[branch.block].ops if branch.block < len(body.blocks) else []
        if branch not in own:
            return None  # the filter of a generator expression, which is a scope of its own
        yes, no = body.blocks[branch.block].successors
        with_cuda, without = (yes, no) if self._means_cuda(test) else (no, yes)
        fails = body.blocks[with_cuda].ops[-1].kind is Kind.RAISE
        if fails or self._means_cuda(test) is None or not self._fails_without_cuda(body, without):
            return None
        whole = test
        while isinstance(above := self._analysis.parents[whole], ast.expr):
            whole = above
        if isinstance(above, ast.Assert):
            return Need(above, f"`{ast.unparse(above.test)}` is asserted")
        return Need(above, "it exits here without CUDA")

    def _fails_without_cuda(self, body: Body, block: int) -> bool:
        """Whether the program raises behind a block; what asks for CUDA there has its answer."""
        waiting = set(range(len(body.blocks)))
        while block in waiting:
            waiting.remove(block)
            end = body.blocks[block].ops[-1]
            if end.kind is not Kind.BRANCH or not isinstance(end.node, ast.expr):
                return end.kind is Kind.RAISE
            means_cuda = self._means_cuda(end.node)
            if means_cuda is None:
                return False
            yes, no = body.blocks[block].successors
            block = no if means_cuda else yes
        return False

    def _answer(self, branch: Op) -> bool | None:
        """What a branch asks, where there is one answer only, or one that is of interest."""
        match branch.node:
            case ast.ExceptHandler() as handler:
                return None if catches(handler) and not _raises(handler) else False
            case ast.expr() as test:
                known = self._constant(test)
                taken = self._starts(test) or _sifts(branch.operands[0])
                return known if known is not None or not taken else True
        return None

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

    def _starts(self, test: ast.expr) -> bool:
        """The main block of a file that nothing imports."""
        above = self._analysis.parents.get(test)
        main = isinstance(above, ast.If) and is_main_guard(above)
        return main and not self._analysis.home(test).imported

    def _means_cuda(self, test: ast.expr) -> bool | None:
        """Which answer there is with CUDA, where the other one means that there is none."""
        asked = decider(self._analysis, test, None)
        if asked is not None and asked.question in (ASKS, f"Not({ASKS})"):
            return asked.question == ASKS
        return self._guards(test).holds(test)

    def _guards(self, tree: ast.AST) -> Guards:
        return Guards(self._analysis, self._analysis.home(tree).source)

    def _import(self, tree: ast.Import | ast.ImportFrom) -> Need | None:
        modules = [alias.name for alias in tree.names]
        if isinstance(tree, ast.ImportFrom):
            modules = [tree.module or ""] if not tree.level else []
        loaded = [module for module in modules if module.partition(".")[0] in _LOADED]
        if loaded:
            return Need(tree, f"importing `{loaded[0]}` loads CUDA libraries")
        if _REMOVED in modules:
            return Need(tree, f"`{_REMOVED}`, which loaded CUDA extensions, was removed from torch")
        home, program = self._analysis.home(tree), self._analysis.program
        if (built := extension_built(program, home.path, tree)) is not None:
            return Need(tree, f"`{built}` is compiled for CUDA")
        files = imported_files(self._analysis, home, [tree])
        return next((n for file in files if (n := self._of(file.source.tree)) is not None), None)

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
        applied = self._analysis.seen.applied.get(call, set())
        yield from (function for function in applied if function is not None and len(applied) == 1)
        handed = [*call.args, *(k.value for k in call.keywords)] if names & _STARTS else []
        own = self._analysis.home(call).source.once(_functions)
        named = [n.id for n in (call.func, *handed) if isinstance(n, ast.Name)]
        yield from (own[name] for name in named if name in own)


def _sifts(asked: Op) -> bool:
    """``if key != "meta":`` in ``for key in batch:``; something goes through."""
    match asked.node:
        case ast.Compare(ops=[ast.NotEq() | ast.NotIn() | ast.IsNot()]):
            item = asked.operands[0]
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, _]):
            item = asked.operands[1]
        case _:
            return False
    while item.kind in (Kind.LOAD, Kind.STORE, Kind.UNPACK) and item.operands:
        item = item.operands[0]
    return item.kind is Kind.NEXT


def _functions(source: Source) -> dict[str, ast.stmt]:
    """The functions at the top of a file, by name."""
    return {s.name: s for s in source.tree.body if isinstance(s, FUNCTIONS)}


def _constructor(owner: ast.AST | None, method: ast.AST) -> list[ast.stmt]:
    """That of the class of a method, as far as it needs an object."""
    decorated = bool(getattr(method, "decorator_list", None))
    if decorated or not isinstance(owner, ast.ClassDef):
        return []
    return [s for s in owner.body if getattr(s, "name", "") == "__init__" and s is not method]


def _raises(handler: ast.ExceptHandler) -> bool:
    """``except ImportError: if not building: raise``: what is missing has no replacement."""
    return any(isinstance(node, ast.Raise) for node in walk(handler))


def _switches(source: Source) -> dict[str, bool]:
    """The names that a file binds once, at its top, to True or False."""
    values = {n: getattr(v, "value", None) for n, v in source.once(module_constants).items()}
    return {name: value for name, value in values.items() if isinstance(value, bool)}


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
