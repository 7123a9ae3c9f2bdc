"""What becomes of what a call gives: every use of it, followed through the text of the program.

Values lose what they came from where they join (``start = 0``, or what a checkpoint holds). Here
nothing is lost: every name, attribute or container that may hold the value is followed to all its
reads, whatever the order. What is not surely harmless is `Use.OPEN`.
"""

from __future__ import annotations

import ast
import itertools
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from devicefix.flow.analysis import Analysis
from devicefix.flow.dtype_names import only_casts
from devicefix.flow.facts import Use
from devicefix.flow.importing import runs_on_import
from devicefix.flow.scopes import (
    FUNCTIONS,
    TRANSFERS,
    binding_scope,
    holds_number,
    is_fresh,
    is_number,
    names_within,
    scope_of,
    unreached,
)
from devicefix.source import Source
from devicefix.source.parsing import Parents
from devicefix.source.walking import once, walk
from devicefix.time_limit import check_time
from devicefix.torch_api import SETS_RANDOM_STATE, Effect, World, layer, method, world

_READS = frozenset({
    "all", "any", "bool", "callable", "delattr", "float", "format", "hasattr", "id", "int",
    "isinstance", "len", "print", "range", "repr", "str", "type",
})  # fmt: skip
"""Builtins that work wherever their arguments live, and return nothing that lives anywhere."""
_PASSES = frozenset({
    "argparse.Namespace", "builtins.abs", "builtins.dict", "builtins.enumerate",
    "builtins.filter", "builtins.getattr", "builtins.iter", "builtins.list", "builtins.max",
    "builtins.min", "builtins.next", "builtins.reversed", "builtins.round", "builtins.set",
    "builtins.sorted", "builtins.tuple", "builtins.vars", "builtins.zip",
    "collections.OrderedDict", "copy.copy", "copy.deepcopy", "types.SimpleNamespace",
})  # fmt: skip
"""What they return holds their arguments."""
_SAVES = frozenset({"torch.save", "torch.is_tensor"})
_COPIES = frozenset({"copy_", "load_state_dict"})
"""Methods that copy what they are given to where the receiver lives."""
_COLLECTS = frozenset({"add", "append", "extend", "insert", "setdefault", "update"})
"""Methods of containers: the receiver holds what they are given."""
_HOLDERS = frozenset({
    "buffers", "children", "copy", "eval", "get", "items", "modules", "named_buffers",
    "named_children", "named_modules", "named_parameters", "parameters", "pop", "popitem",
    "setdefault", "state_dict", "train", "values",
})  # fmt: skip
"""Methods of dicts and modules that return parts of the receiver."""
_OF_OBJECTS = frozenset({
    "buffers", "children", "eval", "load_state_dict", "modules", "named_buffers", "named_children",
    "named_modules", "named_parameters", "parameters", "state_dict", "train", "zero_grad",
})  # fmt: skip
"""Methods that modules and optimizers have, and no tensor, container or number."""
_PAIRS = frozenset({
    "items", "named_buffers", "named_children", "named_modules", "named_parameters",
})  # fmt: skip
_PLAIN_METHODS = frozenset({
    "add", "append", "clear", "copy_", "endswith", "extend", "format", "insert", "join", "keys",
    "load_state_dict", "lower", "replace", "rsplit", "split", "startswith", "strip", "update",
    "upper", "zero_grad",
})  # fmt: skip
"""Methods of dicts, lists, strings and modules that return nothing that lives anywhere."""
_KEEPS = frozenset({Effect.CAST, Effect.COPY, Effect.VIEW})
_PLAIN_ATTRIBUTES = frozenset({"dtype", "ndim", "requires_grad", "shape", "training"})


class Holders(Struct, frozen=True):
    """Names of objects whose attributes may hold what is loaded."""

    own: frozenset[str]
    """No code but the program's reads their attributes."""
    brought: frozenset[str]
    """Other modules, on the accelerator: a tensor that becomes a part of one is used there."""


def uses_of(
    analysis: Analysis, call: ast.Call, holders: Holders, *, script: bool
) -> dict[Use, ast.AST]:
    """How what ``call`` gives is used, with one place for each kind of use.

    ``script``: nobody imports the file, so that all its functions and names are seen.
    """
    file = analysis.home(call)
    follower = _Follower(analysis, file.source, holders, script=script and not file.imported)
    follower.follow(call)
    follower.close()
    return follower.found


def _defined(source: Source) -> frozenset[str]:
    """The names of all functions of a file."""
    return frozenset(tree.name for tree in source.nodes if isinstance(tree, FUNCTIONS))


class _Follower:
    """Goes from an expression that may hold the value to all that may hold it, too."""

    def __init__(
        self, analysis: Analysis, source: Source, holders: Holders, *, script: bool
    ) -> None:
        self._analysis = analysis
        self._source = source
        self._tree = source.tree
        self._holders = holders
        self._parents = analysis.parents
        self._script = script
        self._seen: set[tuple[ast.AST, int | None]] = set()
        self._callers: dict[ast.AST, list[ast.AST]] = defaultdict(list)
        for call, reached in analysis.seen.reached.items():
            for function, _ in reached:
                self._callers[function].append(call)
        self._indexed: list[ast.Subscript] = []
        """What is indexed by something that holds the value, or by a key of it."""
        self.found: dict[Use, ast.AST] = {}

    def close(self) -> None:
        """Judge what could not be judged on the way: a dict is indexed by its own keys."""
        for tree in self._indexed:
            if (tree.value, None) not in self._seen:
                self._open(tree)

    def follow(self, tree: ast.AST, slot: int | None = None) -> None:
        """``tree`` holds the value; with a ``slot``, it is a tuple that holds it in this place."""
        if (tree, slot) in self._seen:
            return
        check_time()
        self._seen.add((tree, slot))
        parent = self._parents.get(tree)
        handler = _HANDLERS.get(type(parent))
        if handler is None:
            self._open(tree)
        else:
            handler(self, parent, tree, slot)

    def _open(self, tree: ast.AST, operand: ast.AST | None = None) -> None:
        """``operand``: what holds the value, if it is a part of ``tree``."""
        seen, value = self._analysis.seen, operand or tree
        taken = seen.loaded.get(value, {}) if isinstance(value, ast.expr) else {}
        alone = seen.unpaired.get(value, ()) if isinstance(value, ast.expr) else ()
        if all(itertools.starmap(self._meets_device, taken.items())) and (taken or alone):
            for operation in alone:
                self.follow(operation)
            if taken:
                self.found.setdefault(Use.DEVICE, tree)
        else:
            self.found.setdefault(Use.OPEN, tree)

    def _meets_device(self, operation: int, own: frozenset[int]) -> bool:
        """Whether the program has brought something else to the device that the operation takes."""
        graph = self._analysis.graph
        others = graph.sources(operation).keys() - own
        return any(graph.is_made_on_target({node}) for node in others)

    def _host(self, tree: ast.AST) -> None:
        self.found.setdefault(Use.HOST, tree)

    # -- where an expression stands ------------------------------------------------------------

    def _nothing(self, parent: ast.AST, tree: ast.AST, slot: int | None) -> None:
        """It is printed, tested, thrown away: wherever it lives."""

    def _through(self, parent: ast.AST, tree: ast.AST, slot: int | None) -> None:
        self.follow(parent)

    def _sequence(self, parent: ast.Tuple | ast.List, tree: ast.AST, slot: int | None) -> None:
        plain = not any(isinstance(e, ast.Starred) for e in parent.elts)
        place = next((i for i, e in enumerate(parent.elts) if e is tree), None)
        self.follow(parent, place if plain else None)

    def _assigned(self, parent: ast.AST, tree: ast.AST, slot: int | None) -> None:
        targets = parent.targets if isinstance(parent, ast.Assign) else [_target(parent)]
        for target in targets:
            self._bind(target, slot)
        if isinstance(parent, ast.NamedExpr):
            self.follow(parent, slot)

    def _iterated(
        self, parent: ast.For | ast.AsyncFor | ast.comprehension, tree: ast.AST, slot: int | None
    ) -> None:
        if parent.iter is tree:
            self._bind(parent.target, 1 if self._yields_pairs(tree) else None)

    def _yields_pairs(self, tree: ast.AST) -> bool:
        """``state.items()``, ``enumerate(xs)``: the first of two is a name or a number."""
        if not isinstance(tree, ast.Call):
            return False
        if isinstance(tree.func, ast.Attribute):
            return tree.func.attr in _PAIRS
        return self._analysis.seen.calls.get(tree) == {"builtins.enumerate"}

    def _tested(self, parent: ast.IfExp | ast.BoolOp, tree: ast.AST, slot: int | None) -> None:
        if not (isinstance(parent, ast.IfExp) and parent.test is tree):
            self.follow(parent, slot)

    def _compared(self, parent: ast.Compare, tree: ast.AST, slot: int | None) -> None:
        """A truth value is one number, and numbers compare across devices."""
        others = [e for e in (parent.left, *parent.comparators) if e is not tree]
        by_name = all(isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for op in parent.ops)
        if by_name or all(is_number(other) for other in others):
            return
        if not _is_truth(self._parents, parent):
            self._open(tree)

    def _computed(self, parent: ast.BinOp, tree: ast.AST, slot: int | None) -> None:
        other = parent.right if parent.left is tree else parent.left
        if isinstance(other, ast.Constant) and isinstance(other.value, str):
            return
        if is_number(other):
            self.follow(parent)
        else:
            self._open(tree)

    def _subscript(self, parent: ast.Subscript, tree: ast.AST, slot: int | None) -> None:
        if parent.value is not tree:
            if isinstance(parent.ctx, ast.Load):
                self._indexed.append(parent)
            return
        index = parent.slice.value if isinstance(parent.slice, ast.Constant) else None
        if isinstance(parent.ctx, ast.Load) and self._analysis.seen.saved_items.get(index):
            return  # the program saves nothing there that has a place
        elsewhere = slot is not None and isinstance(index, int) and index not in (slot, -1)
        if elsewhere:
            return
        if isinstance(parent.ctx, ast.Load):
            self.follow(parent)
        else:
            self._augmented(parent)

    def _attribute(self, parent: ast.Attribute, tree: ast.AST, slot: int | None) -> None:
        call = self._parents.get(parent)
        if isinstance(call, ast.Call) and call.func is parent:
            self._method(call, parent.attr)
        elif isinstance(parent.ctx, ast.Load) and parent.attr not in _PLAIN_ATTRIBUTES:
            self.follow(parent)
        else:
            self._augmented(parent)

    def _method(self, call: ast.Call, name: str) -> None:
        """A method of the value is called."""
        row, receiver = method(name), getattr(call.func, "value", None)
        if name in _OF_OBJECTS:
            self.found.setdefault(Use.OBJECT, call)
        if name in TRANSFERS:
            if name == "to" and only_casts(call):
                self.follow(call)
        elif name in _HOLDERS:
            self.follow(call)
        elif name in _PLAIN_METHODS or (row is not None and row.effect is Effect.VALUE):
            return
        elif row is not None and (row.effect is Effect.HOST_READ or row.host_receiver):
            self._host(call)
        elif row is not None and row.effect in _KEEPS and not row.same_device:
            self.follow(call)
        else:
            self._open(call, receiver)

    def _keyword(self, parent: ast.keyword, tree: ast.AST, slot: int | None) -> None:
        call = self._parents.get(parent)
        if isinstance(call, ast.Call):
            self._argument(call, tree, parent.arg)

    def _called(self, parent: ast.Call, tree: ast.AST, slot: int | None) -> None:
        if parent.func is tree:
            self.found.setdefault(Use.OBJECT, parent)
            self._open(parent)
        else:
            self._argument(parent, tree, None)

    def _returned(self, parent: ast.Return, tree: ast.AST, slot: int | None) -> None:
        function = scope_of(self._parents, parent)
        callers = self._callers.get(function, [])
        if not self._script or function in self._analysis.escaped or not callers:
            self._open(tree)
        for call in callers:
            self.follow(call, slot)

    # -- calls that take it --------------------------------------------------------------------

    def _argument(self, call: ast.Call, tree: ast.AST, keyword: str | None) -> None:
        """The value is an argument of ``call``."""
        callees = self._analysis.seen.reached.get(call)
        names = self._analysis.seen.calls.get(call)
        if callees and not names:
            for function, bound in callees:
                self._parameter(call, tree, keyword, function, bound)
        elif names and not callees:
            for name in sorted(names):
                self._library(call, tree, name)
        elif isinstance(call.func, ast.Attribute):
            self._taken(call, call.func)
        else:
            self._open(call)

    def _library(self, call: ast.Call, tree: ast.AST, name: str) -> None:
        if name == "builtins.setattr" and tree in call.args[:2]:
            return
        if name in SETS_RANDOM_STATE or (
            world(name) is World.NUMPY and not name.startswith("torch.")
        ):
            self._host(call)
        elif name in _PASSES:
            self.follow(call)
        elif not _reads(name):
            self._open(call, tree)

    def _taken(self, call: ast.Call, func: ast.Attribute) -> None:
        """``holder.method(value)`` of something that is not known."""
        strings = isinstance(func.value, (ast.Constant, ast.JoinedStr))
        if func.attr in _COPIES and not self._is_defined_here(func.attr):
            if any(k.arg == "assign" for k in call.keywords):
                self._open(call)
            elif call in self._analysis.seen.optimizer_states:
                self.found.setdefault(Use.STATE, call)
        elif func.attr == "set_state":
            self._host(call)
        elif func.attr in _COLLECTS:
            self._collect(func.value)
        elif not strings and not (func.attr == "write" and self._is_file(func.value)):
            self._open(call)

    def _is_file(self, tree: ast.expr) -> bool:
        """``f`` below ``with open(path, "w") as f:``: what is written is no tensor."""
        above = self._parents.get(tree)
        while above is not None and not isinstance(above, FUNCTIONS):
            for item in above.items if isinstance(above, (ast.With, ast.AsyncWith)) else ():
                if item.optional_vars is not None and _same(item.optional_vars, tree):
                    opened = item.context_expr
                    return isinstance(opened, ast.Call) and _same(opened.func, ast.Name("open"))
            above = self._parents.get(above)
        return False

    def _is_defined_here(self, name: str) -> bool:
        return name in self._source.once(_defined)

    def _parameter(
        self, call: ast.Call, tree: ast.AST, keyword: str | None, function: ast.AST, bound: int
    ) -> None:
        """The parameter of a function of the program that takes the value."""
        assert isinstance(function, (*FUNCTIONS, ast.Lambda))
        spec = function.args
        positional = [a.arg for a in (*spec.posonlyargs, *spec.args)][bound:]
        named = {*positional, *(a.arg for a in spec.kwonlyargs)}
        at = next((i for i, a in enumerate(call.args) if a is tree), None)
        spread = any(isinstance(a, ast.Starred) for a in call.args)
        if at is None and keyword is None:
            for name in sorted(named):
                self._read(name, function, None, frozenset())
        elif keyword in named:
            self._read(keyword, function, None, frozenset())
        elif at is not None and at < len(positional) and not spread:
            self._read(positional[at], function, None, frozenset())
        else:
            self._open(call)

    # -- what holds it -------------------------------------------------------------------------

    def _bind(self, target: ast.AST, slot: int | None) -> None:
        match target:
            case ast.Name():
                scope = binding_scope(self._parents, target)
                if isinstance(scope, ast.ClassDef):
                    self._read_attribute(target, target.id)
                elif isinstance(scope, ast.Module) and self._is_taken_elsewhere(target):
                    self._open(target)
                elif not holds_number(scope, target):
                    self._read(target.id, scope, slot, unreached(self._parents, target))
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                one = slot is not None and not any(isinstance(e, ast.Starred) for e in elts)
                chosen = elts[slot : slot + 1] if one and slot is not None else elts
                for element in chosen:
                    self._bind(element, None)
            case ast.Starred(value=inner):
                self._bind(inner, None)
            case ast.Subscript(value=inner):
                self._collect(inner)
            case ast.Attribute(attr=name) if name != "data":
                self._read_attribute(target, name)
            case _:
                self._open(target)

    def _is_taken_elsewhere(self, target: ast.AST) -> bool:
        """Whether importers of the file may read the name; what the main block binds they lack."""
        return not self._script and runs_on_import(target)

    def _collect(self, holder: ast.expr) -> None:
        """A list or dict holds the value from now on."""
        if isinstance(holder, ast.Name):
            scope = binding_scope(self._parents, holder)
            if not is_fresh(scope, holder.id):
                self._open(holder)
        elif not isinstance(holder, ast.Attribute):
            self._open(holder)
            return
        self._bind(holder, None)

    def _read(
        self, name: str | None, scope: ast.AST, slot: int | None, elsewhere: frozenset[ast.AST]
    ) -> None:
        for tree in once(scope, names_within).get(name or "", ()):
            if tree not in elsewhere:
                self._loaded(tree, slot)

    def _read_attribute(self, target: ast.AST, name: str) -> None:
        holder = getattr(target, "value", None)
        holder_name = holder.id if isinstance(holder, ast.Name) else ""
        own = holder_name in self._holders.own | self._holders.brought
        if holder_name in self._holders.brought:
            self.found.setdefault(Use.DEVICE, target)
        # `self.__dict__[name] = value` makes attributes of names that are not written out
        named = name != "__dict__"
        if not (named and self._script and (own or isinstance(target, ast.Name))):
            self._open(target)
            return
        if holds_number(self._tree, target):
            return
        for tree in walk(self._tree):
            if isinstance(tree, ast.Attribute) and tree.attr == name:
                self._loaded(tree, None)

    def _loaded(self, tree: ast.Name | ast.Attribute, slot: int | None) -> None:
        if isinstance(tree.ctx, ast.Load):
            self.follow(tree, slot)
        else:
            self._augmented(tree)

    def _augmented(self, target: ast.expr) -> None:
        """``x += y`` computes with what its target holds, as ``x + y`` does."""
        parent = self._parents.get(target)
        match parent:
            case ast.AugAssign(target=own, value=value) if own is target and not is_number(value):
                self._open(target)


_HANDLERS: dict[type | None, Callable[[_Follower, Any, ast.AST, int | None], None]] = {
    ast.Expr: _Follower._nothing,
    ast.If: _Follower._nothing,
    ast.While: _Follower._nothing,
    ast.Assert: _Follower._nothing,
    ast.Delete: _Follower._nothing,
    ast.Raise: _Follower._nothing,
    ast.FormattedValue: _Follower._nothing,
    ast.Assign: _Follower._assigned,
    ast.NamedExpr: _Follower._assigned,
    ast.For: _Follower._iterated,
    ast.AsyncFor: _Follower._iterated,
    ast.comprehension: _Follower._iterated,
    ast.Return: _Follower._returned,
    ast.Tuple: _Follower._sequence,
    ast.List: _Follower._sequence,
    ast.Set: _Follower._through,
    ast.Dict: _Follower._through,
    ast.ListComp: _Follower._through,
    ast.SetComp: _Follower._through,
    ast.DictComp: _Follower._through,
    ast.GeneratorExp: _Follower._through,
    ast.Starred: _Follower._through,
    ast.IfExp: _Follower._tested,
    ast.BoolOp: _Follower._tested,
    ast.Compare: _Follower._compared,
    ast.BinOp: _Follower._computed,
    ast.UnaryOp: _Follower._through,
    ast.Subscript: _Follower._subscript,
    ast.Attribute: _Follower._attribute,
    ast.Call: _Follower._called,
    ast.keyword: _Follower._keyword,
}


def _same(one: ast.expr, other: ast.expr) -> bool:
    """Whether both are the same name."""
    return isinstance(one, ast.Name) and isinstance(other, ast.Name) and one.id == other.id


def _target(tree: ast.AST) -> ast.AST:
    assert isinstance(tree, ast.NamedExpr)
    return tree.target


def _reads(name: str) -> bool:
    """Whether the callable works wherever its arguments live, and keeps none of them."""
    if name.startswith("builtins."):
        return name.removeprefix("builtins.") in _READS
    if (row := layer(name)) is not None:
        return row.kind not in ("container", "wrapper") and not row.tensor_arguments
    return name in _SAVES or world(name) is World.ANYWHERE


def _is_truth(parents: Parents, tree: ast.AST) -> bool:
    """Whether ``tree`` is asked whether it is true, and not kept."""
    parent = parents.get(tree)
    while isinstance(parent, ast.BoolOp) or (
        isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)
    ):
        tree, parent = parent, parents.get(parent)
    return getattr(parent, "test", None) is tree
