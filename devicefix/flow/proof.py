"""Whether an expression denotes, in one context, a device at the place that is wanted there."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from collections.abc import Mapping as Names
from functools import lru_cache

from msgspec import Struct, field

from devicefix.flow.analysis import Analysis
from devicefix.flow.annotations import admits_none
from devicefix.flow.definitions import enclosing
from devicefix.flow.files import forced
from devicefix.flow.graph import Label, Solution
from devicefix.flow.joins import join_all
from devicefix.flow.observations import Occurrence
from devicefix.flow.partners import Partners
from devicefix.flow.set_in_classes import is_surely_set
from devicefix.flow.shown import is_shown
from devicefix.flow.values import (
    Class,
    ClassRecord,
    Const,
    Device,
    File,
    Import,
    Instance,
    Mapping,
    ObjectRecord,
    Opaque,
    Parameter,
    Plain,
    Tensor,
    Value,
    as_device,
)
from devicefix.flow.weights import has_surely, items
from devicefix.source import Source


class Proof(Struct, frozen=True):
    """What names stand for, and where the cut has put it."""

    analysis: Analysis
    solution: Solution
    partners: Partners
    weights: dict[ObjectRecord, bool] = field(default_factory=dict)
    """Whether modules have parameters: kept from one cut to the next."""

    def denotes(self, text: str, seen: Occurrence, label: Label) -> bool:
        """Whether ``text`` evaluates to a device at ``label`` in this context."""
        names = seen.names
        if text.startswith("next("):
            path = text.removeprefix("next(").removesuffix(".parameters()).device")
            return self._module_at(held(names, path), seen, path) is label
        if (part := asked_module(text, names)) is not None:
            return self._weight_at(part[0], seen) is label
        value = names.get(text)
        if isinstance(value, Import):
            value = forced(seen.frame, value)
        if value is not None and not isinstance(value, (Tensor, Opaque)):
            number = isinstance(value, Const) and not isinstance(value.value, str)
            device = as_device(value) if not number else None
            return device is not None and self.place(device) is label
        if text.endswith("()"):
            asked = self.analysis.seen.device_calls.get(seen.frame.file, {}).get(text)
            return asked is not None and self.place(asked) is label
        if text in self.analysis.seen.device_options:
            option = held(names, text)
            if option is None:
                option = Plain(choice=True) if self._is_option(names, text) else None
            return label is Label.TARGET and isinstance(option, Plain) and option.choice
        holder, _, attribute = text.rpartition(".")
        holding = names.get(holder)
        if attribute == "device" and isinstance(holding, (Tensor, Opaque)):
            return self._tensor_at(holding, seen, holder) is label
        found = held(names, text)
        if not isinstance(found, (Const, Device)) or found.beside.none:
            return False  # `.to(None)` moves nothing
        device = as_device(found)
        return device is not None and self.place(device) is label

    def chosen_by(self, text: str, seen: Occurrence) -> frozenset[ast.expr | str]:
        """What decides which device a proven ``text`` is; nothing where it follows something."""
        if follows(text, seen.names):
            return frozenset()
        asked = self.analysis.seen.device_calls.get(seen.frame.file, {})
        value = asked.get(text) or held(seen.names, text)
        if isinstance(value, Import):
            value = forced(seen.frame, value)
        device = as_device(value) if value is not None else None
        return device.origins if device is not None else frozenset((text.rpartition(".")[2],))

    def _is_option(self, names: Names[str, Value], text: str) -> bool:
        """Whether it is an option of each program that comes here: those of others it has not."""
        name, _, option = text.partition(".")
        holder, read = names.get(name), self.analysis.seen.options
        if isinstance(holder, Instance):
            return all(r.namespace and (r, option) in read for r in holder.records)
        return isinstance(holder, Plain) and holder.choice

    def place(self, device: Device) -> Label | None:
        """Where a device is; None where that differs."""
        return device.label if device.label is not None else self._common(device.places)

    def _common(self, nodes: frozenset[int]) -> Label | None:
        labels = {self.solution.label(n) for n in nodes}
        return labels.pop() if len(labels) == 1 else None

    def _tensor_at(self, value: Value, seen: Occurrence, name: str) -> Label | None:
        if isinstance(value, Opaque):
            if value.part or value.parameter.moved or not value.parameter.tensor:
                return None
            if may_be_none(seen, name):
                return None
            if value.parameter.arrived:
                return self._common(frozenset((value.parameter.node,)))
            shown = is_shown(value.parameter, seen) or _is_asked_before(seen, name)
            return Label.TARGET if shown else None
        if may_be_none(seen, name) or not isinstance(value, Tensor) or value.maybe == "other":
            return None  # a number or a string has no `.device`
        if value.nodes & self.analysis.seen.called:
            return None  # a module has no `.device`
        if value.nodes & self.analysis.seen.mappings:
            return None  # a batch of an unseen dataset that is asked for `batch["x"]`
        return self._common(value.nodes)

    def _module_at(self, value: Value | None, seen: Occurrence, name: str) -> Label | None:
        if isinstance(value, Opaque):
            sure = not value.part and value.parameter.weights and self.is_fed(value.parameter)
            return Label.TARGET if sure else None
        if not isinstance(value, Instance) or not self._can_be_asked(value, seen):
            return None
        return None if _is_moved_later(value, name) else self._modules_at(value.modules)

    def _can_be_asked(self, value: Instance, seen: Occurrence) -> bool:
        """Whether ``next(module.parameters())`` finds something there."""
        modules, beside = value.modules, value.beside
        if not modules or seen.frame.building or len(modules) != len(value.records):
            return False
        if beside.other or beside.options:
            return False  # ``updater = ""`` where the program has none
        return all(map(self._has_weights, modules))

    def waits_for(self, text: str, seen: Occurrence) -> bool:
        """Whether ``next(self.net.parameters()).device`` will denote a device one round later, when
        who made the module has one; an object that moves it itself needs another name for that."""
        path = text.removeprefix("next(").removesuffix(".parameters()).device")
        value = held(seen.names, path)
        if not isinstance(value, Instance) or not _is_moved_later(value, path):
            return False
        return self._can_be_asked(value, seen) and not self._is_moved_by(seen.frame.owner, value)

    def _is_moved_by(self, owner: ClassRecord | None, module: Instance) -> bool:
        """Whether a method of the class moves it."""
        classes = [record.tree for record in owner.ancestry()] if owner is not None else []
        return any(
            self.analysis.parents.get(enclosing(self.analysis, call)) in classes
            for call, moves in self.analysis.seen.transfers.items()
            if any(isinstance(v, Instance) and _meet(v, module) for v, _, _ in moves)
        )

    def is_fed(self, parameter: Parameter) -> bool:
        """Whether it is a module that the function calls with what it has moved: so it is there."""
        if parameter.moved or not parameter.module:
            return False
        return self.partners.are_moved(parameter.given)

    def _weight_at(self, value: Instance, seen: Occurrence) -> Label | None:
        """Where a tensor of modules is, in code that does not run while they are made."""
        function, modules = seen.frame.function, value.modules
        if seen.frame.building or function in self.analysis.seen.run_by_constructors:
            return None
        if self.analysis.seen.recomputes or any(m.hardcoded or m.root.hardcoded for m in modules):
            return None
        return self._modules_at(modules)

    def _modules_at(self, modules: Iterable[ObjectRecord]) -> Label | None:
        """Where modules are; one that the program neither uses nor moves may be anywhere."""
        nodes = frozenset(module.node for module in modules)
        return self._common(nodes) if all(map(self.analysis.graph.sources, nodes)) else None

    def _has_weights(self, record: ObjectRecord) -> bool:
        """``next(module.parameters())`` raises where there are none."""
        if record not in self.weights:
            self.weights[record] = False  # of what holds itself
            held = [part for name, part in record.attributes.items() if is_surely_set(record, name)]
            self.weights[record] = _has_own_weights(record) or any(
                all(map(self._has_weights, value.modules))
                for value in (*record.children, *held)
                if isinstance(value, Instance) and value.modules and not value.beside.none
            )
        return self.weights[record]


def _has_own_weights(record: ObjectRecord) -> bool:
    """Whether a module surely has parameters that are in no part of it."""
    named = [name for name, always in record.travels.items() if always]
    if record.cls is None or not named:
        return record.weights
    return record.weights and any(is_surely_set(record, name) for name in named)


def _meet(one: Instance, other: Instance) -> bool:
    return not set(one.records).isdisjoint(other.records)


def _is_moved_later(module: Instance, name: str) -> bool:
    """Whether the module's own move names the device one round later."""
    return "." in name and any(m.hardcoded or m.root.hardcoded for m in module.modules)


def follows(text: str, names: Names[str, Value]) -> bool:
    """``x.device`` of a tensor, ``next(module.parameters()).device``, ``layer.weight.device``."""
    holder = text.removesuffix(".device")
    if text.startswith("next(") or isinstance(names.get(holder), (Tensor, Opaque)):
        return True
    return asked_module(text, names) is not None


def asked_module(text: str, names: Names[str, Value]) -> tuple[Instance, str] | None:
    """The modules that ``self.fc.weight.device`` asks for a tensor that they have, and its name."""
    path, _, name = text.removesuffix(".device").rpartition(".")
    value = held(names, path) if path and text.endswith(".device") else None
    modules = value.modules if isinstance(value, Instance) else ()
    if not modules or not all(has_surely(module, name) for module in modules):
        return None
    return (value, name) if isinstance(value, Instance) else None


def is_typed(text: str, names: Names[str, Value]) -> bool:
    """Whether ``text`` is a ``torch.device``: a string has no ``.type``."""
    device = held(names, text)
    return device.typed if isinstance(device, Device) else follows(text, names)


def held(names: Names[str, Value], path: str) -> Value | None:
    """The value of ``name``, ``name.attribute``, ``name["key"]`` or ``name.attribute["key"]``."""
    if path in names:
        return names[path]
    tree = _parsed(path)
    return _held(names, tree) if tree is not None else None


@lru_cache(maxsize=4096)
def _parsed(path: str) -> ast.expr | None:
    try:
        return ast.parse(path, mode="eval").body
    except SyntaxError:
        return None


def _held(names: Names[str, Value], tree: ast.expr) -> Value | None:
    if isinstance(tree, ast.Name):
        return names.get(tree.id)
    if isinstance(tree, ast.Attribute):
        known = names.get(ast.unparse(tree))
        return known if known is not None else _attribute(_held(names, tree.value), tree.attr)
    if isinstance(tree, ast.Subscript) and isinstance(tree.slice, ast.Constant):
        holder, number = _held(names, tree.value), tree.slice.value
        if isinstance(holder, Instance) and isinstance(number, int):
            parts = [items(record) for record in holder.records]
            exact = all(0 <= number < len(each) for each in parts)
            return _same([each[number] for each in parts]) if exact else None
        if isinstance(holder, Mapping):
            return _same([r.items.get(tree.slice.value) for r in holder.records])
    return None


def _attribute(holder: Value | None, name: str) -> Value | None:
    if isinstance(holder, Instance):
        return _same([_of_instance(record, name) for record in holder.records])
    if isinstance(holder, Class):
        return holder.record.lookup(name)
    if isinstance(holder, File) and holder.record.frame is not None:
        return holder.record.frame.held(name)
    return None


def _of_instance(record: ObjectRecord, name: str) -> Value | None:
    own = record.attributes.get(name)
    return own if own is not None or record.cls is None else record.cls.lookup(name)


def _same(values: list[Value | None]) -> Value | None:
    """The one value that all of them are: one of several objects, a device among them."""
    found = {id(value): value for value in values}
    first = next(iter(found.values()), None)
    if all(value == first for value in found.values()):
        return first
    alike = any(all(isinstance(v, kind) for v in values) for kind in (Instance, Device))
    return join_all(values) if alike else None


def may_be_none(seen: Occurrence, name: str) -> bool:
    """A parameter may be missing if its default is None, if its annotation admits it, or if it
    has none and the function itself asks, and has not done so where the name is needed."""
    frame = seen.frame
    function = frame.function
    if function is None:
        return False
    spec = function.args
    positional = [*spec.posonlyargs, *spec.args]
    defaults = [*[None] * (len(positional) - len(spec.defaults)), *spec.defaults]
    pairs = [
        *zip(positional, defaults, strict=True),
        *zip(spec.kwonlyargs, spec.kw_defaults, strict=True),
    ]
    own = [(default, argument) for argument, default in pairs if argument.arg == name]
    return any(
        (isinstance(d, ast.Constant) and d.value is None) or admits_none(frame.parent or frame, a)
        for d, a in own
    ) or (any(a.annotation is None for _, a in own) and _is_asked_elsewhere(seen, function, name))


def _is_asked_elsewhere(seen: Occurrence, function: ast.AST, name: str) -> bool:
    """``if name is None:`` stands in the function, and says nothing about this place."""
    asked = (function, name) in seen.frame.file.source.once(_tests_for_none)
    return asked and not _is_asked_before(seen, name)


def _is_asked_before(seen: Occurrence, name: str) -> bool:
    """The function has asked whether it is None, and it is not: a tensor is what is left."""
    function = seen.frame.function
    if function is None:
        return False
    tests = seen.frame.file.source.once(_tests_for_none).get((function, name), ())
    return any(_vouches(test, kept, seen.line) for test, kept in tests)


def _vouches(branch: ast.If | None, there: bool, line: int) -> bool:
    """Whether the name is something at ``line``, for all that this question says.

    ``there``: the question is whether it is something.
    """
    if branch is None:
        return False
    kept, other = (branch.body, branch.orelse) if there else (branch.orelse, branch.body)
    if kept and kept[0].lineno <= line <= (kept[-1].end_lineno or 0):
        return True
    leaves = bool(other) and isinstance(other[-1], (ast.Return, ast.Raise, ast.Continue))
    return leaves and line > (branch.end_lineno or 0)


def _tests_for_none(
    source: Source,
) -> dict[tuple[ast.AST, str], list[tuple[ast.If | None, bool]]]:
    """Where the functions of a file compare a name of theirs with None: by function and name, the
    ``if`` that does, and whether it asks that the name be something."""
    found: dict[tuple[ast.AST, str], list[tuple[ast.If | None, bool]]] = {}
    for node in source.nodes:
        if not isinstance(node, ast.Compare) or not isinstance(node.left, ast.Name):
            continue
        right = node.comparators[0]
        if len(node.ops) > 1 or not isinstance(right, ast.Constant) or right.value is not None:
            continue
        above = source.parent(node)
        branch = above if isinstance(above, ast.If) and above.test is node else None
        while above is not None and not isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef)):
            above = source.parent(above)
        if above is not None:
            there = isinstance(node.ops[0], (ast.IsNot, ast.NotEq))
            found.setdefault((above, node.left.id), []).append((branch, there))
    return found
