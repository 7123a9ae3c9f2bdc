"""What of a volatile value is in an expression, and whether somebody asks for its gradient.

Since torch 0.4 ``volatile=`` does nothing, so what is computed of such a value has a gradient in
the program as it runs today. It may be computed without one only where nobody can tell: where
nothing asks for the gradient (``backward``, ``requires_grad`` …), and no code that was not seen
keeps the value. Numbers, arrays, integers and what ``.data`` and ``.detach()`` give have none.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from devicefix.flow.legacy_facts import Belief, Sort
from devicefix.source.walking import walk
from devicefix.torch_api import World, function, method, world

if TYPE_CHECKING:
    from devicefix.flow.analysis import Analysis
    from devicefix.flow.volatile_calls import Volatile
    from devicefix.flow.volatile_slice import Slice
    from devicefix.torch_api import Function, Method

_DEPTH: Final = 4
"""Functions of the program that are looked through."""
_LEAVES: Final = frozenset(
    {"data", "detach", "dim", "dtype", "is_cuda", "item", "ndim", "numpy", "shape", "size"}
    | {"device", "tolist", "type"}
)
_VALUES: Final = frozenset({"bool", "float", "int", "isinstance", "len", "print", "repr", "str"})
_ASKING: Final = frozenset(
    {"backward", "creator", "grad", "grad_fn", "is_leaf", "register_hook", "requires_grad"}
    | {"requires_grad_", "retain_grad"}
)
"""Attributes of a tensor that tell whether it has a gradient."""
_ENGINE: Final = frozenset({"torch.autograd.backward", "torch.autograd.grad"})
_COLLECTING: Final = frozenset({"add", "append", "appendleft", "extend", "insert", "update"})
_BUILTINS: Final = frozenset(dir(builtins)) - {"eval", "exec", "setattr", "vars"}
_WITHOUT_GRADIENT: Final = frozenset({Sort.ARRAY, Sort.NUMBER, Sort.TEXT})


class Values:
    """Of one function; ``reads`` knows what its names hold where they are read."""

    def __init__(
        self,
        analysis: Analysis,
        beliefs: Mapping[ast.AST, Belief],
        seeds: Mapping[ast.AST, Volatile],
        reads: Slice,
    ) -> None:
        self._analysis = analysis
        self._beliefs = beliefs
        self.seeds = seeds
        self._reads = reads
        self._holds = reads.holds
        self._given: frozenset[str] = frozenset()
        """The parameters of the lambda that is looked at, if they get such a value."""

    # -- what is in an expression ------------------------------------------------------------------

    def is_tainted(self, tree: ast.expr) -> bool:
        """Whether something of a volatile value is in what ``tree`` gives."""
        if tree in self.seeds:
            return True
        match tree:
            case ast.Name(id=name):
                return name in self._given or self._holds(tree)
            case ast.Attribute(attr=attr, value=value):
                return attr not in _LEAVES and self.is_tainted(value)
            case ast.Compare() | ast.Lambda() | ast.Constant():
                return False
            case ast.Subscript(value=value):  # an index has no gradient, and passes none on
                return self.is_tainted(value)
            case ast.Call():
                return self._call_is_tainted(tree)
        return any(map(self.is_tainted, parts(tree)))

    def _call_is_tainted(self, call: ast.Call) -> bool:
        match call:
            case ast.Call(func=ast.Attribute(attr=attr)) if attr in _LEAVES:
                return False
            case ast.Call(func=ast.Name(id=name)) if name in _VALUES:
                return False
            case ast.Call(func=ast.Name(id="map"), args=[ast.Lambda() as each, *given]):
                return any(map(self.is_tainted, given)) and self._gives_tainted(each)
        if self._is_variable(call):
            return False
        if self._is_of_torch(call):
            return any(self.is_tainted(p) and not self._is_index(p) for p in parts(call))
        if self._takes_no_gradient(call):
            return False
        return any(map(self.is_tainted, parts(call)))

    def _is_of_torch(self, call: ast.Call) -> bool:
        """Whether it is a function of the library: indices are no differentiable inputs of it."""
        names = self._analysis.seen.calls.get(call)
        if names:
            return all(name.startswith("torch.") for name in names)
        return isinstance(call.func, ast.Attribute) and self._row(call) is not None

    def _takes_no_gradient(self, call: ast.Call) -> bool:
        """Whether functions of the program take nothing but ``.data``, sizes and the like of such
        values that they are given."""
        reached = self._analysis.seen.reached.get(call, ())
        return bool(reached) and all(
            isinstance(tree, ast.FunctionDef) and self._asks_for_leaves(tree, bound, call)
            for tree, bound in reached
        )

    def _asks_for_leaves(self, function: ast.FunctionDef, bound: int, call: ast.Call) -> bool:
        names, parents = _arguments(function)[bound:], self._analysis.parents
        spread = any(isinstance(a, ast.Starred) for a in call.args)
        places = len(function.args.posonlyargs) + len(function.args.args) - bound
        spread = spread or len(call.args) > places or any(k.arg is None for k in call.keywords)
        given = {n for n, a in zip(names, call.args, strict=False) if spread or self.is_tainted(a)}
        given |= {k.arg for k in call.keywords if k.arg is not None and self.is_tainted(k.value)}
        given |= set(names) if spread else set()
        reads = (n for n in walk(function) if isinstance(n, ast.Name) and n.id in given)
        holders = (parents.get(name) for name in reads if isinstance(name.ctx, ast.Load))
        return all(isinstance(h, ast.Attribute) and h.attr in _LEAVES for h in holders)

    def _is_index(self, tree: ast.expr) -> bool:
        belief = self._beliefs.get(tree, Belief())
        return belief.sort is Sort.TENSOR and _is_whole(belief.dtype)

    def _gives_tainted(self, each: ast.Lambda) -> bool:
        """What a function makes of volatile values: numbers and arrays have nothing of them."""
        before, self._given = self._given, self._given | set(_arguments(each))
        try:
            return self.is_tainted(each.body)
        finally:
            self._given = before

    def is_sure(self, tree: ast.expr) -> bool:
        """Whether something of a value that is volatile on all ways to here is in ``tree``."""
        before, self._holds = self._holds, self._reads.surely_holds
        try:
            return self.is_tainted(tree)
        finally:
            self._holds = before

    def is_given(self, tree: ast.expr, *, loses: bool) -> bool:
        """Whether what gets the result of ``tree`` is to count: it has something of such a value,
        or loses its gradient with the statement it stands in."""
        return self.escapes(tree) or (loses and not self.is_free(tree))

    def lacks(self, tree: ast.expr, place: int) -> bool:
        """Whether one item of it surely has nothing of such a value."""
        seed = self.seeds.get(tree)
        volatile = seed is None or not seed.places or place in seed.places
        return not volatile or self.part_is_free(tree, place)

    def is_raw(self, tree: ast.expr) -> bool:
        """Whether ``tree`` may be a volatile value itself, and no result of a module."""
        if isinstance(tree, ast.Call) and tree not in self.seeds and not self.is_quiet(tree):
            return False
        if not self.is_tainted(tree):
            return False
        if isinstance(tree, ast.Name):
            return self._reads.is_raw(tree)
        return tree in self.seeds or any(map(self.is_raw, parts(tree)))

    def escapes(self, tree: ast.expr) -> bool:
        """Whether it matters who gets what ``tree`` gives."""
        return self.is_tainted(tree) and (self.is_raw(tree) or not self.is_free(tree))

    def is_free(self, tree: ast.expr) -> bool:
        """Whether what ``tree`` gives surely has no gradient, whatever it was computed of."""
        belief = self._beliefs.get(tree, Belief())
        if belief.sort in _WITHOUT_GRADIENT or self._is_index(tree):
            return True
        match tree:
            case ast.Constant() | ast.Compare() | ast.JoinedStr():
                return True
            case ast.Attribute(attr=attr):
                return attr in _LEAVES
            case ast.Subscript(value=ast.Call() as call, slice=ast.Constant(value=int(place))):
                return self.is_free(call) or self._part_is_whole(call, place)
            case ast.Subscript(value=value) | ast.UnaryOp(operand=value):
                return self.is_free(value)
            case ast.BinOp(left=left, right=right):
                return self.is_free(left) and self.is_free(right)
            case ast.Tuple(elts=items) | ast.List(elts=items):
                return all(map(self.is_free, items))
            case ast.Call():
                return self._call_is_free(tree)
        return False

    def _call_is_free(self, call: ast.Call) -> bool:
        match call:
            case ast.Call(func=ast.Name(id=name)) if name in _VALUES:
                return True
            case ast.Call(func=ast.Attribute(attr=attr)) if attr in _LEAVES:
                return True
        row = self._row(call)
        if self._is_variable(call):
            return True
        if row is None:
            return False
        if _is_whole(row.result_dtype):
            return True
        return isinstance(call.func, ast.Attribute) and self.is_free(call.func.value)

    def part_is_free(self, tree: ast.expr, place: int) -> bool:
        """The same of one item of it: ``_, predicted = outputs.max(1)``."""
        return isinstance(tree, ast.Call) and (self._part_is_whole(tree, place))

    def _part_is_whole(self, call: ast.Call, place: int) -> bool:
        row = self._row(call)
        if row is None:
            return False
        both = ("operands", "int64") if row.parts_with_dim else ()
        given = row.parts or both
        return -len(given) <= place < len(given) and _is_whole(given[place])

    def _row(self, call: ast.Call) -> Function | Method | None:
        """The row of the library's function that is called."""
        names = self._analysis.seen.calls.get(call)
        if names:
            return function(next(iter(names))) if len(names) == 1 else None
        known = call not in self._analysis.seen.reached
        func = call.func
        return method(func.attr) if isinstance(func, ast.Attribute) and known else None

    # -- what is done with it ----------------------------------------------------------------------

    def meeting(self, tree: ast.expr) -> Iterator[ast.expr]:
        """What is passed by the calls in ``tree`` where a volatile value meets what may learn."""
        for call in _calls(tree):
            if call in self.seeds or self.is_quiet(call):
                continue
            given = [*call.args, *(k.value for k in call.keywords)]
            if any(self.is_tainted(g) for g in given):
                yield ast.Tuple(given)

    def asks(self, statement: ast.stmt, tree: ast.expr) -> str:
        """Why what is in ``tree`` may need its gradient; empty: nobody there can tell."""
        reasons = (self._asks(statement, node) for node in walk(tree))
        return next(filter(None, reasons), "")

    def _asks(self, statement: ast.stmt, node: ast.AST) -> str:
        if isinstance(node, ast.Attribute) and node.attr in _ASKING and self.is_tainted(node.value):
            return "something uses its gradient"
        if not isinstance(node, ast.Call) or node in self.seeds:
            return ""
        given = [*node.args, *(k.value for k in node.keywords)]
        if not any(map(self.escapes, given)):
            return ""
        if self._learns(node, set()):
            return "a function that is called with it uses gradients"
        if node in self._analysis.seen.module_calls or self._is_collected(node):
            return ""
        if self._keeps(node, set()):
            return "a function that is called with it stores its argument"
        alone = isinstance(statement, ast.Expr) and statement.value is node
        if alone and not self._is_seen(node):
            return "it is passed to code that was not analysed"
        return ""

    def _is_seen(self, call: ast.Call) -> bool:
        if self._analysis.seen.reached.get(call):
            return True
        adds = isinstance(call.func, ast.Attribute) and call.func.attr in _COLLECTING
        return self.is_quiet(call) and not adds

    def _learns(self, call: ast.Call, seen: set[ast.AST]) -> bool:
        """Whether ``backward`` or the like is called below."""
        names = self._analysis.seen.calls.get(call, set())
        if names & _ENGINE or (isinstance(call.func, ast.Attribute) and call.func.attr in _ASKING):
            return True
        return any(self._learns(inner, seen) for inner in self._inner(call, seen))

    def _keeps(self, call: ast.Call, seen: set[ast.AST]) -> bool:
        """Whether functions of the program that it reaches store anything beyond their end."""
        for tree, _ in self._analysis.seen.reached.get(call, ()):
            if tree not in seen and any(map(_stores, walk(tree))):
                return True
        return any(self._keeps(inner, seen) for inner in self._inner(call, seen))

    def _inner(self, call: ast.Call, seen: set[ast.AST]) -> Iterator[ast.Call]:
        for tree, _ in self._analysis.seen.reached.get(call, ()):
            if tree not in seen:
                seen.add(tree)
                yield from _calls(tree)

    def _is_collected(self, call: ast.Call) -> bool:
        """``outputs.append(y)``, of a list: whoever reads it gets that."""
        func = call.func
        if not isinstance(func, ast.Attribute) or func.attr not in _COLLECTING:
            return False
        return self._beliefs.get(func.value, Belief()).sort in (Sort.SEQUENCE, Sort.DICTIONARY)

    def collected(self, statement: ast.stmt) -> tuple[ast.expr, list[ast.expr]] | None:
        """The list of ``outputs.append(y)``, and what it gets."""
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
            return None
        if not self._is_collected(call):
            return None
        return call.func.value, [*call.args, *(k.value for k in call.keywords)]

    def is_quiet(self, call: ast.Call, depth: int = 0) -> bool:
        """Whether the call surely has no parameters of its own that learn."""
        names = self._analysis.seen.calls.get(call)
        if names:
            return all(_is_quiet_name(name) for name in names)
        belief = self._beliefs.get(call.func, Belief())
        if belief.name or (belief.sort is Sort.MODULE and belief.stateless):
            return True
        func, reached = call.func, self._analysis.seen.reached.get(call)
        if reached and call not in self._analysis.seen.module_calls and depth < _DEPTH:
            return all(
                self.is_quiet(inner, depth + 1) for tree, _ in reached for inner in _calls(tree)
            )
        if isinstance(func, ast.Name):
            return func.id in _BUILTINS and not reached
        known = isinstance(func, ast.Attribute) and (
            method(func.attr) is not None or func.attr in (*_COLLECTING, "format")
        )
        return known and call not in self._analysis.seen.reached

    def _is_variable(self, call: ast.Call) -> bool:
        name = self._beliefs.get(call.func, Belief()).name
        return name == "torch.autograd.Variable" and call not in self.seeds


def parts(tree: ast.expr) -> list[ast.expr]:
    """The expressions right inside another one."""
    keywords: list[ast.keyword] = getattr(tree, "keywords", [])
    children = [e for e in ast.iter_child_nodes(tree) if isinstance(e, ast.expr)]
    return [*children, *(k.value for k in keywords)]


def _arguments(tree: ast.Lambda | ast.FunctionDef) -> list[str]:
    spec = tree.args
    more = (spec.vararg, *spec.kwonlyargs, spec.kwarg)
    return [a.arg for a in (*spec.posonlyargs, *spec.args, *more) if a is not None]


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in walk(tree) if isinstance(node, ast.Call))


def _stores(node: ast.AST) -> bool:
    """Whether something that outlives the function is written."""
    match node:
        case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()):
            return True
        case ast.Global() | ast.Nonlocal() | ast.Yield() | ast.YieldFrom():
            return True
        case ast.Call(func=ast.Attribute(attr=attr, value=ast.Attribute())):
            return attr in _COLLECTING
    return False


def _is_whole(dtype: str) -> bool:
    return dtype.startswith(("int", "uint", "bool"))


def _is_quiet_name(name: str) -> bool:
    """A function of a library that has no parameters of its own."""
    torch = name.startswith("torch.") and not name.startswith(("torch.nn.Module", "torch.hub."))
    return torch or world(name) in (World.NUMPY, World.ANYWHERE)
