"""What old torch gave as a number of Python, and torch today gives as a tensor without dimensions.

Before torch 0.4, ``(predicted == labels).sum()`` of plain tensors was a number; only ``Variable``
gave ``Variable``. No operation took both, so what ``x.data`` or a new tensor has a part in was
plain. It shows where such a number is added up, printed, or put into a list.

https://pytorch.org/blog/pytorch-0_4_0-migration-guide/#support-for-0-dimensional-scalar-tensors
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from devicefix.flow.legacy_facts import Belief, Sort, Wrapping
from devicefix.flow.never_ran import NeverRan
from devicefix.flow.old_losses import is_first
from devicefix.flow.questions import base_of
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.wrappings import is_old
from devicefix.source.walking import walk
from devicefix.torch_api import FACTORIES, LEGACY_CONSTRUCTORS, method

if TYPE_CHECKING:
    from devicefix.flow.analysis import Analysis
    from devicefix.flow.values import FileRecord

_VARIABLE: Final = "torch.autograd.Variable"
_REDUCTIONS: Final = frozenset(
    {"sum", "mean", "prod", "max", "min", "norm", "std", "var", "median", "trace"}
)
_COMPARISONS: Final = frozenset({"eq", "ne", "gt", "lt", "ge", "le"})
_NO_TENSOR: Final = frozenset(
    {"size", "item", "tolist", "numpy", "dim", "numel", "nelement", "stride", "data_ptr", "new"}
)
_SHOWS: Final = frozenset({"print", "str", "repr"})
_NUMBERS_TAKEN: Final = _SHOWS | {"int", "float", "round", "abs", "max", "min", "len", "range"}
_DEPTH: Final = 4
"""Names that are followed to what they were bound to."""


def old_numbers(
    analysis: Analysis,
    file: FileRecord,
    beliefs: Mapping[ast.AST, Belief],
    wrapped: tuple[Wrapping, ...],
) -> Mapping[ast.expr, bool]:
    """The expressions of a file that give a tensor today where the program needs a number.

    With whether the program surely did not run with the tensor: it raises there, or before.
    """
    old = wrapped or any(belief.name == _VARIABLE for belief in beliefs.values())
    if not old:
        return {}
    reader = _Reader(analysis, beliefs, is_old(file.source, beliefs))
    nodes = file.source.nodes
    revived = file.source.path in analysis.program.revived
    never_ran = NeverRan(analysis.parents, lambda tree: beliefs.get(tree, Belief()).scalar)
    found: dict[ast.expr, bool] = {}
    for node in nodes:
        number = isinstance(node, ast.Call) and reader.is_number(node)
        if number or (isinstance(node, ast.Subscript) and reader.is_element(node)):
            assert isinstance(node, ast.expr)
            found[node] = revived or never_ran(node)
        for item in reader.asked_for(node):
            found[item] = True
    return found


class _Reader:
    def __init__(
        self, analysis: Analysis, beliefs: Mapping[ast.AST, Belief], surely_old: bool
    ) -> None:
        """``surely_old``: it is no later file that still imports ``Variable``."""
        self._analysis = analysis
        self._beliefs = beliefs
        self._surely_old = surely_old

    def is_number(self, call: ast.Call) -> bool:
        reduced = self._reduced(call)
        if reduced is None or not self._shows(call):
            return False
        return self._is_plain(reduced, _DEPTH) and self._has_no_gradient(reduced)

    def is_element(self, tree: ast.Subscript) -> bool:
        """``x.data[0]`` of what has one dimension, in a file that had no other way to a number."""
        base = base_of(tree.value)
        if not (self._surely_old and is_first(tree)) or base is tree.value:
            return False
        of_tensor = isinstance(self._analysis.parents.get(tree), ast.Attribute)
        flat = self._beliefs.get(base, Belief()).flat
        return flat and not of_tensor and self._is_plain(tree.value, _DEPTH)

    def asked_for(self, node: ast.AST) -> list[ast.expr]:
        """The items of tensors that a dictionary is asked for: it finds numbers alone."""
        match node:
            case ast.Subscript(value=holder, slice=key, ctx=ast.Load()):
                pass
            case ast.Call(func=ast.Attribute(value=holder, attr="get"), args=[key, *_]):
                pass
            case _:
                return []
        if self._beliefs.get(holder, Belief()).sort is not Sort.DICTIONARY:
            return []
        named = isinstance(key, ast.Name)
        if isinstance(key, ast.Name) and not self._is_number_like(key):
            return []
        items = self._bindings(key) if isinstance(key, ast.Name) else [key]
        return items if all(self._is_item(item, alone=not named) for item in items) else []

    def _is_item(self, tree: ast.expr, alone: bool) -> bool:
        """``indices[0][0]``, the only value of its statement."""
        if not isinstance(tree, ast.Subscript) or not self._is_plain(tree.value, _DEPTH):
            return False
        parts = tree.slice.elts if isinstance(tree.slice, ast.Tuple) else [tree.slice]
        numbers = all(isinstance(p, ast.Constant) and type(p.value) is int for p in parts)
        return numbers and (alone or isinstance(self._analysis.parents.get(tree), ast.Assign))

    def _reduced(self, call: ast.Call) -> ast.expr | None:
        """``x`` of ``x.sum()`` and ``torch.sum(x)``, where no dimension is named."""
        func = call.func
        if not isinstance(func, ast.Attribute) or func.attr not in _REDUCTIONS or call.keywords:
            return None
        if self._analysis.seen.calls.get(call) == {f"torch.{func.attr}"}:
            return call.args[0] if len(call.args) == 1 else None
        known = self._beliefs.get(func.value, Belief()).sort
        return func.value if not call.args and known in (Sort.TENSOR, Sort.UNKNOWN) else None

    # -- what it was -------------------------------------------------------------------------------

    def _is_plain(self, tree: ast.expr, depth: int) -> bool:
        """Whether it surely was a tensor and no ``Variable``."""
        match tree:
            case ast.Attribute(attr="data"):
                return True
            case ast.Name():
                bound = self._bindings(tree)
                return (
                    depth > 0 and bool(bound) and all(self._is_plain(b, depth - 1) for b in bound)
                )
            case ast.Subscript(value=value) | ast.UnaryOp(operand=value):
                return self._is_plain(value, depth)
            case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
                return self._is_plain(left, depth) or self._is_plain(right, depth)
            case ast.Call():
                return self._gives_plain(tree, depth)
        return False

    def _gives_plain(self, call: ast.Call, depth: int) -> bool:
        names = self._analysis.seen.calls.get(call, set())
        if names:
            if all(n in FACTORIES or n in LEGACY_CONSTRUCTORS for n in names):
                return True
            own = all(n.startswith("torch.") and n.count(".") == 1 for n in names)
            return own and any(self._is_plain(a, depth) for a in call.args)
        func = call.func
        if not isinstance(func, ast.Attribute) or func.attr in _NO_TENSOR:
            return False
        if method(func.attr) is None and func.attr not in _COMPARISONS:
            return False
        return any(self._is_plain(part, depth) for part in (func.value, *call.args))

    def _bindings(self, name: ast.Name) -> list[ast.expr]:
        """What is assigned to a name of its function; nothing where not all of it is seen."""
        found = []
        for node in walk(self._scope(name)):
            if isinstance(node, ast.arg) and node.arg == name.id:
                return []
            if not (isinstance(node, ast.Name) and node.id == name.id):
                continue
            if isinstance(node.ctx, ast.Load):
                continue
            above = self._analysis.parents.get(node)
            place = above
            if isinstance(above, ast.Tuple):
                place = self._analysis.parents.get(above)
            if not isinstance(place, ast.Assign) or self._pair(place, node) is None:
                return []
            found.append(self._pair(place, node) or node)
        return found

    def _pair(self, statement: ast.Assign, name: ast.Name) -> ast.expr | None:
        """What a name gets; of ``_, index = torch.max(x, 1)`` the call."""
        target, value = statement.targets[0], statement.value
        if not isinstance(target, ast.Tuple):
            return value
        if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts):
            return value.elts[target.elts.index(name)] if name in target.elts else None
        return value if isinstance(value, ast.Call) else None

    def _has_no_gradient(self, tree: ast.expr) -> bool:
        belief = self._beliefs.get(tree, Belief())
        whole = belief.dtype.startswith(("int", "uint", "bool"))
        return belief.constant or whole or self._is_data(tree)

    def _is_data(self, tree: ast.expr) -> bool:
        """``x.data.view(-1)``, ``x == y``."""
        if isinstance(tree, ast.Compare) or (
            isinstance(tree, ast.Attribute) and tree.attr == "data"
        ):
            return True
        if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Attribute):
            return False
        if tree.func.attr in _COMPARISONS:
            return True
        alone = not tree.args and method(tree.func.attr) is not None
        return alone and self._is_data(tree.func.value)

    # -- what is done with it ----------------------------------------------------------------------

    def _shows(self, tree: ast.expr) -> bool:
        """Whether a tensor in its place gives something else than a number."""
        above = self._analysis.parents.get(tree)
        while isinstance(above, (ast.BinOp, ast.UnaryOp)):
            if isinstance(above, ast.BinOp) and isinstance(above.op, ast.Mod):
                return False
            tree, above = above, self._analysis.parents.get(above)
        match above:
            case ast.AugAssign(target=ast.Name() as target):
                return self._is_number_like(target) and self._stays(target)
            case ast.Assign(targets=[ast.Name() as target]):
                like = self._is_number_like(target) and self._stays(target)
                return like and self._is_told(target)
            case ast.Call(func=ast.Attribute(attr="append")) | ast.Return():
                return self._surely_old
            case ast.Call(func=func):
                return self._is_told_by(func)
        return False

    def _is_told_by(self, func: ast.expr) -> bool:
        if isinstance(func, ast.Attribute):
            return func.attr == "append"
        return isinstance(func, ast.Name) and func.id in _SHOWS

    def _reads(self, name: ast.Name) -> Iterator[ast.AST]:
        """What stands round the reads of a name."""
        for node in walk(self._scope(name)):
            if isinstance(node, ast.Name) and node.id == name.id and isinstance(node.ctx, ast.Load):
                above = self._analysis.parents.get(node)
                if above is not None:
                    yield above

    def _is_number_like(self, name: ast.Name) -> bool:
        """Whether nothing of a tensor is asked of it."""
        return not any(
            isinstance(above, ast.Attribute)
            or (isinstance(above, ast.Subscript) and getattr(above.value, "id", "") == name.id)
            for above in self._reads(name)
        )

    def _stays(self, name: ast.Name) -> bool:
        """Whether nobody else sees it, who may know it as a tensor, as in files after torch 0.4."""
        return self._surely_old or not any(map(self._is_handed_on, self._reads(name)))

    def _is_handed_on(self, above: ast.AST) -> bool:
        while isinstance(above, (ast.Tuple, ast.List, ast.Dict, ast.Starred, ast.keyword)):
            above = self._analysis.parents.get(above) or ast.Pass()
        match above:
            case ast.Return() | ast.Yield() | ast.Assign():
                return True
            case ast.Call(func=ast.Name(id=name)):
                return name not in _NUMBERS_TAKEN
            case ast.Call(func=ast.Attribute(attr=name)):
                return name not in ("format", "write")
        return False

    def _is_told(self, name: ast.Name) -> bool:
        for above in self._reads(name):
            while isinstance(above, (ast.BinOp, ast.Tuple)):
                if isinstance(above, ast.BinOp) and isinstance(above.op, ast.Mod):
                    break
                above = self._analysis.parents.get(above) or ast.Pass()
            if isinstance(above, ast.Call) and self._is_told_by(above.func):
                return True
            if isinstance(above, ast.AugAssign):
                return True
        return False

    def _scope(self, tree: ast.AST) -> ast.AST:
        scope: ast.AST | None = tree
        while scope is not None and not isinstance(scope, (*FUNCTIONS, ast.Module)):
            scope = self._analysis.parents.get(scope)
        return scope or tree
