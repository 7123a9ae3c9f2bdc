"""What is only reached where there is CUDA, as far as the conditions around it say."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from devicefix.flow.analysis import Analysis
from devicefix.flow.imported import dotted, origins
from devicefix.flow.queries.meaning import meaning
from devicefix.flow.scopes import FUNCTIONS, block_of
from devicefix.flow.values import Flag, Residence, is_accelerator_string
from devicefix.source import Source
from devicefix.source.imports import module_constants
from devicefix.source.parsing import Parents
from devicefix.source.walking import walk
from devicefix.torch_api import ASKS_FOR_CUDA, canonical

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp)
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_ALL = frozenset({"BaseException", "Exception"})
_CAUGHT = _ALL | {"ImportError", "ModuleNotFoundError"}
_SKIPS: Final = {
    "pytest.mark.skipif": False, "unittest.skipIf": False, "unittest.skipUnless": True,
}  # fmt: skip
"""Decorators of tests, and how what they are given has to be answered for the test to run."""
_EQUAL = (ast.Eq, ast.In, ast.Is)
_UNEQUAL = (ast.NotEq, ast.NotIn, ast.IsNot)


def asks(analysis: Analysis, tree: ast.AST, *errors: str) -> bool:
    """Whether ``tree`` is only reached where the program has asked for CUDA, or fails quietly.

    ``errors``: what it raises without CUDA, where a handler may name that.
    """
    return Guards(analysis, analysis.home(tree).source).are_around(tree, _ALL.union(errors))


class Conditions:
    """The conditions of one file, as they read."""

    def __init__(self, source: Source, parents: Parents | None = None) -> None:
        self._source = source
        self._parents = parents or Parents()
        self._known = source.once(origins)

    def are_around(self, tree: ast.AST, caught: Collection[str] = _CAUGHT) -> bool:
        """Whether ``tree`` is only reached where there is CUDA, or its failure is ``caught``: that
        of a missing library, too, if nothing else is said.
        """
        tried = any(_is_tried(child, parent, caught) for child, parent in self._around(tree))
        return tried or self.have_asked(tree)

    def have_asked(self, tree: ast.AST) -> bool:
        """Whether conditions let the program come to ``tree`` only where there is CUDA."""
        return (
            self.is_in_move(tree)
            or any(self.lead_to(child, parent) for child, parent in self._around(tree))
            or self._is_skipped(tree)
        )

    def lead_to(self, child: ast.AST, parent: ast.AST) -> bool:
        """Whether ``parent`` comes to its part ``child`` only where there is CUDA."""
        return self._leads_to(parent, child) or self._was_asked(parent, child)

    def is_in_move(self, tree: ast.AST) -> bool:
        """Whether it stands in the method that moves a module of its class to CUDA."""
        function = next((p for _, p in self._around(tree) if isinstance(p, FUNCTIONS)), tree)
        return is_move_to_cuda(function, self._parents.get(function))

    def _is_skipped(self, tree: ast.AST) -> bool:
        """Whether it stands in a test that does not run without CUDA: ``@skipIf(not …)``, or
        ``pytestmark = pytest.mark.skipif(not …)`` for all of its file.
        """
        mark = self._source.once(module_constants).get("pytestmark")
        marks = mark.elts if isinstance(mark, (ast.List, ast.Tuple)) else [mark] if mark else []
        if any(map(self._skips, marks)):
            return True
        child, parent = tree, self._parents.get(tree)
        while parent is not None:
            inside = isinstance(parent, (*FUNCTIONS, ast.ClassDef)) and child in parent.body
            if inside and any(map(self._skips, getattr(parent, "decorator_list", ()))):
                return True
            child, parent = parent, self._parents.get(parent)
        return False

    def _skips(self, decorator: ast.expr) -> bool:
        if not isinstance(decorator, ast.Call) or not decorator.args:
            return False
        asked, runs = decorator.args[0], _SKIPS.get(dotted(decorator.func, self._known))
        if isinstance(asked, ast.UnaryOp) and isinstance(asked.op, ast.Not) and runs is not None:
            asked, runs = asked.operand, not runs
        if isinstance(asked, ast.Name):
            asked = self._source.once(module_constants).get(asked.id, asked)
        return runs is not None and self.holds(asked) is runs

    def _around(self, tree: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
        """``tree`` and all that holds it, each with what is around it: a function that is defined
        below a condition is there only where that holds."""
        child, parent = tree, self._parents.get(tree)
        while parent is not None:
            yield child, parent
            child, parent = parent, self._parents.get(parent)

    def _leads_to(self, parent: ast.AST, child: ast.AST) -> bool:
        """Whether ``parent`` goes on to its part ``child`` with CUDA only."""
        match parent:
            case ast.If(test=test) | ast.IfExp(test=test) if child is not test:
                inside = parent.body if isinstance(parent.body, list) else [parent.body]
                return self.says(parent) is any(child is part for part in inside)
            case ast.BoolOp(op=ast.And(), values=parts):
                return any(self.holds(part) is True for part in _before(parts, child))
            case ast.BoolOp(values=parts):
                return any(self.holds(part) is False for part in _before(parts, child))
            case ast.For(iter=counted, body=body) if child in body:
                return self._counts_gpus(counted)
            case _ if isinstance(parent, _COMPREHENSIONS) and child is not parent.generators[0]:
                return self._counts_gpus(parent.generators[0].iter)
        return False

    def _counts_gpus(self, tree: ast.expr) -> bool:
        """``range(torch.cuda.device_count())`` has no items where there is no CUDA."""
        tree = meaning(self._source, tree) if isinstance(tree, ast.Name) else tree
        match tree:
            case ast.Call(func=ast.Name(id="range"), args=[count], keywords=[]):
                count = meaning(self._source, count) if isinstance(count, ast.Name) else count
                return isinstance(count, ast.Call) and self._counts(count)
        return False

    def _was_asked(self, parent: ast.AST, child: ast.AST) -> bool:
        """Whether an earlier statement of the block ends it, or raises, where there is no CUDA."""
        if not isinstance(child, ast.stmt):
            return False
        block = block_of(parent, child)
        at = block.index(child) if block else 0
        ends = self._source.once(_Ends).of(block)
        return any(self._ends_without(earlier) for number, earlier in ends if number < at)

    def _ends_without(self, statement: ast.Assert | ast.If) -> bool:
        if isinstance(statement, ast.Assert):
            return self.holds(statement.test) is True
        return self.holds_without(statement)

    def holds_without(self, tree: ast.If) -> bool:
        """Whether a condition holds wherever there is no CUDA."""
        return self.says(tree) is False

    def says(self, tree: ast.If | ast.IfExp) -> bool | None:
        """Which answer to its condition there is with CUDA only; None where neither is."""
        return self.holds(tree.test)

    def holds(self, test: ast.expr) -> bool | None:
        """Which answer to a condition there is with CUDA only, as it reads; None where neither."""
        match test:
            case ast.Name():
                meant = meaning(self._source, test)
                return self.holds(meant) if meant is not test else None
            case ast.UnaryOp(op=ast.Not(), operand=part):
                inner = self.holds(part)
                return None if inner is None else not inner
            case ast.BoolOp(op=op, values=parts):
                found = [self.holds(part) for part in parts]
                one = isinstance(op, ast.And)
                if one in found:
                    return one
                return (not one) if all(answer is (not one) for answer in found) else None
            case ast.Attribute(attr="is_cuda"):
                return True
            case ast.Call(func=ast.Attribute(attr="startswith"), args=[text]):
                return True if kind_of(text) == "cuda" else None
            case ast.Call():
                return True if self._counts(test) else None
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._compared(left, op, right)
        return None

    def _counts(self, tree: ast.expr) -> bool:
        """``torch.cuda.is_available()``, ``torch.cuda.device_count()``."""
        called = tree.func if isinstance(tree, ast.Call) else tree
        return canonical(dotted(called, self._known)) in ASKS_FOR_CUDA

    def _compared(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> bool | None:
        number = right.value if isinstance(right, ast.Constant) else None
        if isinstance(left, ast.Call) and self._counts(left) and type(number) is int:
            return _counted(op, number)
        equal = isinstance(op, _EQUAL)
        if not equal and not isinstance(op, _UNEQUAL):
            return None
        if isinstance(number, bool):  # `x.is_cuda == True`
            asked = self.holds(left)
            return None if asked is None else (asked is number) is equal
        named = kind_of(right) or kind_of(left)
        if named == "cpu":
            return not equal
        return equal if named == "cuda" else None


class _Ends:
    """By block the statements that may end it: assertions, and conditions that leave it."""

    def __init__(self, source: Source) -> None:
        self._known: dict[int, list[tuple[int, ast.Assert | ast.If]]] = {}
        """By the identity of a block, which its file keeps."""

    def of(self, block: list[ast.stmt]) -> list[tuple[int, ast.Assert | ast.If]]:
        """Each with its position."""
        if not block:
            return []
        if id(block) not in self._known:
            self._known[id(block)] = [
                (number, statement)
                for number, statement in enumerate(block)
                if isinstance(statement, ast.Assert)
                or (isinstance(statement, ast.If) and isinstance(statement.body[-1], _LEAVES))
            ]
        return self._known[id(block)]


class Guards(Conditions):
    """The conditions of one file, as they were evaluated."""

    def __init__(self, analysis: Analysis, source: Source) -> None:
        super().__init__(source, analysis.parents)
        self._analysis = analysis

    def says(self, tree: ast.If | ast.IfExp) -> bool | None:
        """The same, also of what comes from elsewhere."""
        seen = self._analysis.seen.tests.get(tree)
        if isinstance(seen, Flag):
            return seen.holds
        return True if isinstance(seen, Residence) else super().says(tree)

    def holds_without(self, tree: ast.If) -> bool:
        """The same; not where an option of the user can switch it off."""
        seen = self._analysis.seen.tests.get(tree)
        return super().holds_without(tree) and not (isinstance(seen, Flag) and not seen.pure)


def is_move_to_cuda(tree: ast.AST, parent: ast.AST | None) -> bool:
    """``def cuda(self):`` that ends in ``super().cuda()``: whoever calls it has asked for CUDA."""
    if not (
        isinstance(tree, FUNCTIONS) and tree.name == "cuda" and isinstance(parent, ast.ClassDef)
    ):
        return False
    called = (n.func for n in walk(tree) if isinstance(n, ast.Call))
    return any(
        isinstance(f, ast.Attribute) and f.attr == "cuda" and _is_super(f.value) for f in called
    )


def _is_super(tree: ast.expr) -> bool:
    """``super()``, ``super(Net, self)``."""
    func = tree.func if isinstance(tree, ast.Call) else None
    return isinstance(func, ast.Name) and func.id == "super"


def _is_tried(child: ast.AST, parent: ast.AST, caught: Collection[str]) -> bool:
    tried = isinstance(parent, ast.Try) and child in parent.body
    return tried and any(catches(h, caught) for h in getattr(parent, "handlers", ()))


def _before(parts: list[ast.expr], child: ast.AST) -> Iterable[ast.expr]:
    return parts[: next(at for at, part in enumerate(parts) if part is child)]


def catches(handler: ast.ExceptHandler, caught: Collection[str] = _CAUGHT) -> bool:
    """Whether it takes the errors of a missing CUDA, or of a missing library."""
    types = list(walk(handler.type)) if handler.type is not None else []
    return not types or any(isinstance(t, ast.Name) and t.id in caught for t in types)


def is_a_choice(analysis: Analysis, device: ast.expr) -> bool:
    """``device = torch.device(f"cuda:{i}")`` where a condition chooses the CPU for it else."""
    parents = analysis.parents
    child: ast.AST = device
    while isinstance(above := parents.get(child), ast.expr):
        if isinstance(above, ast.IfExp) and child is not above.test:
            return "cpu" in (kind_of(above.body), kind_of(above.orelse))
        child = above
    if not isinstance(above, ast.Assign) or len(above.targets) != 1:
        return False
    target, child, above = above.targets[0], above, parents.get(above)
    while isinstance(above, ast.If):
        other = above.orelse if child in above.body else above.body
        if any(_is_set_to_cpu(target, statement) for statement in other):
            return True
        child, above = above, parents.get(above)
    return False


def _is_set_to_cpu(target: ast.expr, statement: ast.stmt) -> bool:
    """Whether it sets the same name, or does so in its last branch."""
    if isinstance(statement, ast.If):
        return any(_is_set_to_cpu(target, inner) for inner in statement.orelse)
    if not isinstance(statement, ast.Assign) or kind_of(statement.value) != "cpu":
        return False
    return any(ast.dump(target) == ast.dump(t) for t in statement.targets)


def _counted(op: ast.cmpop, number: int) -> bool | None:
    """``device_count() > 1`` with one device at least, ``device_count() == 0`` without."""
    match op:
        case ast.Gt() | ast.NotEq() if number >= 0 and (isinstance(op, ast.Gt) or number == 0):
            return True
        case ast.GtE() | ast.Eq() if number >= 1:
            return True
        case ast.Eq() | ast.LtE() if number == 0:
            return False
        case ast.Lt() if number == 1:
            return False
    return None


def kind_of(tree: ast.expr) -> str:
    """``cuda`` or ``cpu``, where ``tree`` is a string or ``torch.device`` of one; else empty."""
    if isinstance(tree, (ast.List, ast.Tuple, ast.Set)):
        kinds = {kind_of(part) for part in tree.elts}
        return kinds.pop() if len(kinds) == 1 else ""
    if isinstance(tree, ast.Call) and len(tree.args) == 1 and not tree.keywords:
        tree = tree.args[0]
    value = tree.value if isinstance(tree, ast.Constant) else None
    if is_accelerator_string(value) or value == "gpu":
        return "cuda"
    return "cpu" if value == "cpu" else ""
