"""Which expression names the device at a place: names in scope, a tensor to follow, a new name.

The order is ARCHITECTURE.md's: a name already in scope and proven to be a device; inside the
methods of a module an argument or the module's own parameters; a tensor or module among the
parameters; in a script a new name after the imports. Every candidate must be right in every context
in which the place is reached.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from devicefix.flow.analysis import Analysis
from devicefix.flow.facts import DeviceName
from devicefix.flow.flags import user_flag
from devicefix.flow.frame import Frame
from devicefix.flow.functions import is_module
from devicefix.flow.graph import Label, Solution
from devicefix.flow.observations import Occurrence
from devicefix.flow.values import (
    Const,
    Device,
    Instance,
    Opaque,
    Plain,
    Tensor,
    Value,
    as_device,
)

NEW_NAMES = ("device", "torch_device", "run_device")


class DeviceNames:
    """Finds names for the device, and invents at most one for the program."""

    def __init__(self, analysis: Analysis, solution: Solution, name: str = "") -> None:
        self.analysis = analysis
        self.solution = solution
        self.script = analysis.runs or is_script(analysis.source.tree)
        self.devices = analysis.has_device()
        """The program has a device of its own somewhere."""
        self.flag = user_flag(analysis)
        self._new = name
        self.shadowed = False
        """Some place needs the new name where the program means something else by it."""
        self.invented: list[Occurrence] = []

    def probe(
        self, wanted: Sequence[tuple[Occurrence, Label]], moved: str = ""
    ) -> DeviceName | None:
        """As `at`, for a place that may turn out not to need the name."""
        invented, shadowed = list(self.invented), self.shadowed
        found = self.at(wanted, moved)
        self.invented, self.shadowed = invented, shadowed
        return found

    def at(self, wanted: Sequence[tuple[Occurrence, Label]], moved: str = "") -> DeviceName | None:
        """An expression that names, in each of these contexts, the place that is wanted there.

        ``moved`` is what is transferred there, as it is written: it cannot follow itself.
        """
        if not wanted:
            return None
        first = wanted[0][0]
        found = self._proven(_others(self._near(first), moved), wanted)
        if found is None and not self.devices:
            found = self._invented(wanted, moved)
        if found is None:
            found = self._proven(_others(self._far(first), moved), wanted)
        return found if found is not None else self._invented(wanted, moved)

    def _proven(
        self, candidates: Iterator[str], wanted: Sequence[tuple[Occurrence, Label]]
    ) -> DeviceName | None:
        for text in candidates:
            if all(self._denotes(text, seen, label) for seen, label in wanted):
                names = [dict(seen.names) for seen, _ in wanted]
                typed = all(_is_typed(text, n) for n in names)
                return DeviceName(text, follows=_is_follow(text, names[0]), typed=typed)
        return None

    def _invented(
        self, wanted: Sequence[tuple[Occurrence, Label]], moved: str
    ) -> DeviceName | None:
        if not (self.script and self._new):
            return None
        if any(label is Label.HOST for _, label in wanted):
            return None
        if self.flag.conflicting and not moved:
            # a call of `.cuda()` stays below its own condition; a new transfer would have none
            return None
        if self.analysis.seen.device_options:
            return None  # the user has chosen a device: another one could differ from it
        if not self._is_defined_at(wanted):
            return None
        if any(self._is_taken(seen.frame) for seen, _ in wanted):
            self.shadowed = True
            return None
        self.invented += [seen for seen, _ in wanted]
        if self.flag.conflicting:
            return DeviceName(self._new, self._new)
        return DeviceName(self._new, self._new, self.flag.condition, anchor=self.flag.anchor)

    def _is_taken(self, frame: Frame) -> bool:
        """Whether a function around the place binds the new name itself."""
        current: Frame | None = frame
        while current is not None:
            if current.function is not None and self._new in bound_names(current.function):
                return True
            current = current.parent
        return False

    def main_guard(self) -> ast.If | None:
        """The ``if __name__ == "__main__":`` that holds every place with the new name, if any."""
        for statement in self.analysis.source.tree.body:
            if isinstance(statement, ast.If) and "__main__" in ast.dump(statement.test):
                first, last = statement.body[0].lineno, statement.end_lineno or 0
                inside = all(
                    seen.frame.function is None and first <= seen.line <= last
                    for seen in self.invented
                )
                one_line = first == statement.lineno
                return statement if inside and self.invented and not one_line else None
        return None

    def _is_defined_at(self, wanted: Sequence[tuple[Occurrence, Label]]) -> bool:
        """A name defined after the flag is not there before it."""
        if self.flag.anchor is None or self.flag.conflicting:
            return True
        after = self.flag.anchor.lineno
        return all(seen.frame.function is not None or seen.line > after for seen, _ in wanted)

    # -- candidates ----------------------------------------------------------------------------

    def _near(self, seen: Occurrence) -> Iterator[str]:
        """Devices in scope, tensors among the parameters, the parameters of the module itself."""
        names = dict(seen.names)
        devices = [n for n, v in names.items() if isinstance(v, (Device, Const))]
        yield from sorted(devices, key=lambda n: (n.count("."), "device" not in n, n))
        yield from sorted(self.analysis.seen.device_options)
        for name, value in seen.names:
            if name.isidentifier() and isinstance(value, Instance):
                yield from self._attributes(name, value)
        function = seen.frame.function
        if function is None:
            return
        receiver = _receiver_name(seen.frame)
        if receiver in names:
            yield from self._attributes(receiver, names[receiver])
        parameters = _parameter_names(function)
        yield from (f"{p}.device" for p in parameters if p != receiver)
        if receiver and seen.frame.owner is not None and is_module(seen.frame.owner):
            yield f"next({receiver}.parameters()).device"

    def _far(self, seen: Occurrence) -> Iterator[str]:
        """Modules among the parameters, or held by the object."""
        names, function = dict(seen.names), seen.frame.function
        if function is None:
            return
        receiver = _receiver_name(seen.frame)
        yield from (
            f"next({p}.parameters()).device" for p in _parameter_names(function) if p != receiver
        )
        if receiver in names:
            yield from self._modules(receiver, names[receiver])

    def _attributes(self, receiver: str, value: Value) -> Iterator[str]:
        for record in value.records if isinstance(value, Instance) else ():
            for attribute, held in record.attributes.items():
                if isinstance(held, Device):
                    yield f"{receiver}.{attribute}"

    def _modules(self, receiver: str, value: Value) -> Iterator[str]:
        for record in value.records if isinstance(value, Instance) else ():
            for attribute, held in record.attributes.items():
                if isinstance(held, Instance) and held.modules and attribute.isidentifier():
                    yield f"next({receiver}.{attribute}.parameters()).device"

    # -- proof ---------------------------------------------------------------------------------

    def _denotes(self, text: str, seen: Occurrence, label: Label) -> bool:
        """Whether ``text`` evaluates to a device at ``label`` in this context."""
        names = dict(seen.names)
        if text.startswith("next("):
            path = text.removeprefix("next(").removesuffix(".parameters()).device")
            return self._module_at(_held(names, path), seen, path) is label
        if text in names and not _is_followed(text, names):
            value = names[text]
            device = (
                as_device(value)
                if not isinstance(value, Const) or isinstance(value.value, str)
                else None
            )
            return device is not None and self._place(device) is label
        if text in self.analysis.seen.device_options:
            held = _held(names, text)
            if held is None:
                held = Plain(choice=True) if _is_options(names, text) else None
            return label is Label.TARGET and held == Plain(choice=True)
        holder, _, attribute = text.rpartition(".")
        value_ = names.get(holder)
        if attribute == "device" and isinstance(value_, (Tensor, Opaque)):
            return self._tensor_at(value_, seen, holder) is label
        found = _held(names, text)
        return isinstance(found, Device) and self._place(found) is label

    def _place(self, device: Device) -> Label | None:
        if device.label is not None:
            return device.label
        return self._common(device.nodes)

    def _common(self, nodes: frozenset[int]) -> Label | None:
        labels = {self.solution.label(n) for n in nodes}
        return labels.pop() if len(labels) == 1 else None

    def _tensor_at(self, value: Value, seen: Occurrence, name: str) -> Label | None:
        if isinstance(value, Opaque):
            if (
                value.part
                or value.parameter.moved
                or not value.parameter.tensor
                or value.parameter.name != name
            ):
                return None
            return None if _may_be_none(seen.frame, name) else Label.TARGET
        if _may_be_none(seen.frame, name) or not isinstance(value, Tensor):
            return None
        return self._common(value.nodes)

    def _module_at(self, value: Value | None, seen: Occurrence, name: str) -> Label | None:
        if isinstance(value, Opaque) and value.parameter.module and not value.part:
            return None if value.parameter.moved else Label.TARGET
        if not isinstance(value, Instance) or not value.modules or seen.frame.building:
            return None
        if len(value.modules) != len(value.records) or not all(m.stateful for m in value.modules):
            return None
        if "." in name and any(m.hardcoded or m.root.hardcoded for m in value.modules):
            return None  # one round later its own move names the device
        return self._common(frozenset(m.node for m in value.modules))


def _others(candidates: Iterator[str], moved: str) -> Iterator[str]:
    """The candidates that do not ask ``moved`` itself (or what holds it) where it is."""
    for text in candidates:
        asked = text.removesuffix(".device")
        if asked.startswith("next("):
            asked = asked.removeprefix("next(").removesuffix(".parameters())")
        elif asked == text:
            yield text
            continue
        if not moved or not (moved == asked or moved.startswith(f"{asked}.")):
            yield text


def _is_options(names: dict[str, Value], text: str) -> bool:
    """Whether the object before the dot holds the options of the program."""
    holder = names.get(text.partition(".")[0])
    if isinstance(holder, Instance):
        return text.count(".") == 1 and all(r.namespace for r in holder.records)
    return holder == Plain(choice=True)


def _is_follow(text: str, names: dict[str, Value]) -> bool:
    """``x.device`` of a tensor, ``next(module.parameters()).device``."""
    holder = text.removesuffix(".device")
    return text.startswith("next(") or isinstance(names.get(holder), (Tensor, Opaque))


def _is_typed(text: str, names: dict[str, Value]) -> bool:
    """Whether ``text`` is a ``torch.device``: a string has no ``.type``."""
    held = _held(names, text)
    return held.typed if isinstance(held, Device) else _is_follow(text, names)


def _is_followed(text: str, names: dict[str, Value]) -> bool:
    return isinstance(names.get(text), (Tensor, Opaque))


def _held(names: dict[str, Value], path: str) -> Value | None:
    """The value of ``name`` or ``name.attribute``."""
    if path in names:
        return names[path]
    head, _, attribute = path.partition(".")
    value = names.get(head)
    if not attribute or not isinstance(value, Instance):
        return None
    held = {id(r.attributes.get(attribute)): r.attributes.get(attribute) for r in value.records}
    return next(iter(held.values())) if len(held) == 1 else None


def _receiver_name(frame: Frame) -> str:
    function = frame.function
    if frame.owner is None or function is None or isinstance(function, ast.Lambda):
        return ""
    arguments = [*function.args.posonlyargs, *function.args.args]
    return arguments[0].arg if arguments else ""


def _parameter_names(function: ast.AST) -> list[str]:
    assert isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
    spec = function.args
    return [a.arg for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]


def _may_be_none(frame: Frame, name: str) -> bool:
    """A parameter whose default is None may be missing."""
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
    return any(a.arg == name and isinstance(d, ast.Constant) and d.value is None for a, d in pairs)


def new_names(tree: ast.Module) -> list[str]:
    """Names for a device that mean nothing yet at the top level of the file."""
    taken = {name for statement in tree.body for name in _bound_at_top(statement)}
    taken |= {
        name
        for n in ast.walk(tree)
        if isinstance(n, (ast.Global, ast.Nonlocal))
        for name in n.names
    }
    return [name for name in NEW_NAMES if name not in taken]


def _bound_at_top(statement: ast.stmt) -> set[str]:
    """The names that a top-level statement binds, not those of functions and classes inside it."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    found: set[str] = set()
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.stmt):
            found |= _bound_at_top(child)
        elif not isinstance(child, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp)):
            found |= bound_names(child)
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        found |= {(a.asname or a.name).split(".")[0] for a in statement.names}
    return found


def bound_names(tree: ast.AST) -> set[str]:
    """Every name that is bound anywhere inside ``tree``."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
    return found


def is_script(tree: ast.Module) -> bool:
    """Whether running the file does something: only then may it get a module-level device."""
    local = {n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    assigned = {
        t.id
        for n in tree.body
        if isinstance(n, ast.Assign)
        for t in n.targets
        if isinstance(t, ast.Name)
    }
    return any(_does_something(node, local | assigned) for node in tree.body)


def _does_something(node: ast.stmt, own: set[str]) -> bool:
    if isinstance(node, (ast.For, ast.While, ast.With)):
        return True
    if isinstance(node, ast.If):
        return "__main__" in ast.dump(node.test) or any(_does_something(n, own) for n in node.body)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        name = _root_name(node.value.func)
        return name == "print" or name in own
    return False


def _root_name(tree: ast.expr) -> str:
    while isinstance(tree, (ast.Attribute, ast.Call, ast.Subscript)):
        tree = tree.func if isinstance(tree, ast.Call) else tree.value
    return tree.id if isinstance(tree, ast.Name) else ""
