"""Whether this very run has written a file that it loads: its tensors come from the same devices.

``torch.save(net.state_dict(), path)``, and then ``torch.load(path)``. A load reads what the run has
written where every way to it comes by a call that saves to a path of the same value. In a loop that
is over before the load, it is enough that some turns save: ``if score > best``. A condition that is
the same in each turn, ``if args.save``, is no such thing: it may hold in none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from typing import Final

from msgspec import Struct

from devicefix.flow.analysis import Analysis
from devicefix.flow.definitions import enclosing, is_shared, parameters
from devicefix.flow.given import given_by
from devicefix.flow.ir import Bodies, Body, Kind, Op
from devicefix.flow.queries.access import READS, changes, path_of
from devicefix.flow.queries.control import guards
from devicefix.flow.queries.terms import Term, Terms, leaves

_SAVE: Final = frozenset({"torch.save"})
_LOAD: Final = frozenset({"torch.load"})
_PURE: Final = frozenset({"os.path.join", "builtins.str", "pathlib.Path"})
_DEPTH: Final = 3
"""How many calls may lie between the function that loads and the one that saves."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class _Callee(Struct, frozen=True):
    """A function that a call surely runs."""

    function: _Function
    bound: int
    """How many of its parameters are bound before it is called."""
    receiver: ast.expr | None = None
    """What is bound to the first one: ``net`` in ``net.save()``, and in ``net()``."""

    def given(self, call: ast.Call, name: str) -> ast.expr | None:
        """What a parameter stands for, if that is known."""
        first = next(iter((*self.function.args.posonlyargs, *self.function.args.args)), None)
        if self.bound and first is not None and first.arg == name:
            return self.receiver
        return given_by(call, self.function, name, self.bound)


class Written:
    """What the calls of a program that save tensors write."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._saves = _saves(analysis)

    def is_own(self, load: ast.Call) -> bool:
        """Whether a call of ``torch.load`` reads what this run has written before."""
        if not self._saves or self._analysis.seen.calls.get(load, set()) != _LOAD:
            return False
        body, path = self._body(load), _path(load, 0)
        found = body.of(load)
        if path is None or len(found) != 1 or body.dynamic:
            return False
        terms = self._terms(body, {})
        wanted, around = terms.of_tree(path), _loops(body, found[0])
        own = (leaf for leaf in leaves(wanted) if leaf in body.of(leaf.node))
        if any(_loops(body, leaf) - around for leaf in own):
            return False  # each turn has a path of its own
        for op in self._saves_of(body):
            loop = next((one for one in body.blocks[op.block].loops if one not in around), None)
            if _comes_before(body, op, loop, found[0]):
                turns = Turns(body, loop) if loop is not None else None
                if wanted in self._written(op, terms, turns):
                    return True
        return False

    def _saves_of(self, body: Body) -> Iterator[Op]:
        return (op for op in body.ops if op.kind is Kind.CALL and op.node in self._saves)

    def _written(self, op: Op, terms: Terms, turns: Turns | None, depth: int = 0) -> Iterator[Term]:
        """The paths that a call writes to; with ``turns``, in some of them."""
        assert isinstance(op.node, ast.Call)
        callee = self._saves[op.node]
        path = _path(op.node, 1) if callee is None else None
        if path is not None:
            yield terms.of_tree(path)
        if callee is None or depth == _DEPTH:
            return
        given, changing = dict[str, Term](), set[str]()
        for name in parameters(callee.function):
            value = callee.given(op.node, name)
            if value is not None:
                given[name] = terms.of_tree(value)
            if value is not None and turns is not None and turns.change(value):
                changing.add(name)
        inner = self._body(callee.function.body[0])
        more = self._terms(inner, given)
        again = Turns(inner, None, changing) if turns is not None else None
        for save in self._saves_of(inner):
            if _is_done(inner, save) or (again is not None and again.some_do(save)):
                yield from self._written(save, more, again, depth + 1)

    def _body(self, tree: ast.AST) -> Body:
        return self._analysis.home(tree).source.once(Bodies).around(tree)

    def _terms(self, body: Body, given: dict[str, Term]) -> Terms:
        return Terms(body, given, self._outer, self._is_pure)

    def _outer(self, read: Op) -> Term:
        """What a name of the module is bound to once, and for all."""
        source = self._analysis.home(read.node).source
        body = source.once(Bodies).of(source.tree)
        stored = [op for op in body.writes if op.name == read.name and path_of(op) == (read.name,)]
        kept = len(stored) == 1 and not is_shared(source, read.name)
        if kept and stored[0].kind is Kind.STORE and not _loops(body, stored[0]):
            return self._terms(body, {}).of(stored[0])
        return read

    def _is_pure(self, call: ast.AST) -> bool:
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="format")):
                return True
            case ast.Call():
                names = self._analysis.seen.calls.get(call, set())
                return bool(names) and names <= _PURE
        return False


def _saves(analysis: Analysis) -> dict[ast.Call, _Callee | None]:
    """The calls that may save tensors: ``torch.save`` itself, and what calls a function that does
    so, with that function."""
    saves = [call for call, names in analysis.seen.calls.items() if names == _SAVE]
    found: dict[ast.Call, _Callee | None] = dict.fromkeys(
        call for call in saves if call not in analysis.seen.ambiguous
    )
    callees = dict(_callees(analysis)) if found else {}
    for _ in range(_DEPTH):
        saving = {enclosing(analysis, call) for call in found}
        found |= {call: callee for call, callee in callees.items() if callee.function in saving}
    return found


def _callees(analysis: Analysis) -> Iterator[tuple[ast.Call, _Callee]]:
    """The calls that surely run one function of the program."""
    ambiguous = analysis.seen.ambiguous
    for call, found in analysis.seen.reached.items():
        if isinstance(call, ast.Call) and len(found) == 1 and call not in ambiguous:
            function, bound = next(iter(found))
            if isinstance(function, _Function):
                yield call, _Callee(function, bound, _receiver(call, function))
    for call, run in analysis.seen.applied.items():
        if isinstance(call, ast.Call) and len(run) == 1 and call not in ambiguous:
            one = next(iter(run))
            if isinstance(one, _Function):
                yield call, _Callee(one, 1, call.func)


def _receiver(call: ast.Call, function: _Function) -> ast.expr | None:
    """``net`` in ``net.save()``; None for ``module.Net()``, which runs a constructor."""
    match call.func:
        case ast.Attribute(value=holder, attr=function.name):
            return holder
    return None


def _path(call: ast.Call, position: int) -> ast.expr | None:
    """The file that ``torch.save`` or ``torch.load`` is given."""
    if any(isinstance(a, ast.Starred) for a in call.args) or any(not k.arg for k in call.keywords):
        return None
    named = next((k.value for k in call.keywords if k.arg == "f"), None)
    return call.args[position] if position < len(call.args) else named


def _loops(body: Body, op: Op) -> Set[ast.AST]:
    return set(body.blocks[op.block].loops)


def _comes_before(body: Body, save: Op, loop: ast.AST | None, load: Op) -> bool:
    """Whether all ways to ``load`` come by ``save``, or by the loop that runs it in some turns."""
    if loop is not None:
        above = loop in body.loops and body.dominates(body.loops[loop][0], load.block)
        return above and Turns(body, loop).some_do(save)
    if save.block == load.block:
        return save.at < load.at
    return body.dominates(save.block, load.block)


def _is_done(body: Body, save: Op) -> bool:
    """Whether a function does not return without ``save``."""
    ends = (b.number for b in body.blocks if b.ops and b.ops[-1].kind is Kind.RETURN)
    return all(body.dominates(save.block, end) for end in ends if body.is_reached(end))


class Turns:
    """The turns of a loop, or the calls of a function that a loop makes in its turns."""

    def __init__(self, body: Body, loop: ast.AST | None, changing: Set[str] = frozenset()) -> None:
        """``loop``: None for a function, whose parameters ``changing`` are others in each turn."""
        self._body = body
        self._loop = loop
        self._changing = changing

    def some_do(self, op: Op) -> bool:
        """Whether the conditions around ``op`` are asked anew in each turn."""
        asked = (branch for branch, _ in guards(self._body, op.block) if self._runs(branch))
        return all(self._changes(branch.operands[0]) for branch in asked)

    def change(self, tree: ast.expr) -> bool:
        """Whether an expression rests on something that is bound anew in a turn."""
        return any(map(self._changes, self._body.of(tree)))

    def _runs(self, op: Op) -> bool:
        return self._loop is None or self._loop in self._body.blocks[op.block].loops

    def _changes(self, value: Op) -> bool:
        seen, queue = {value}, [value]
        for op in queue:  # which grows
            if self._is_new(op):
                return True
            queue += [operand for operand in op.operands if operand not in seen]
            seen.update(op.operands)
        return False

    def _is_new(self, op: Op) -> bool:
        if op.kind is Kind.ARGUMENT:
            return op.name in self._changing
        if op.kind is Kind.NEXT or op.kind is Kind.PHI:
            begins = op.kind is Kind.NEXT or op.block in {at for at, _ in self._body.loops.values()}
            return begins and self._runs(op)
        path = path_of(op) if op.kind in READS else None
        written = (w for w in self._body.writes if path is not None and changes(w, path))
        return path is not None and len(path) > 1 and any(map(self._runs, written))
