"""One evaluation of a function (or of the module body), and what all of them share.

A *context* is one way in which a function is reached; a helper called from two places is evaluated
in two contexts, so that what one caller puts on the device does not leak into the other. The number
of contexts per function is bounded: cost stays about linear in the size of the program.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

from devicefix.flow.costs import READ_COST, RETREAT_COST, USE_COST
from devicefix.flow.graph import HOST_NODE, Label, PlacementGraph, Site, SiteKind
from devicefix.flow.operands import Operand, flow_into
from devicefix.flow.values import (
    Bound,
    ClassRecord,
    Device,
    DictRecord,
    Function,
    Instance,
    ListRecord,
    Mapping,
    ObjectRecord,
    Parameter,
    Tensor,
    Value,
    join,
    join_all,
)

if TYPE_CHECKING:
    from devicefix.source import Source

FunctionTree: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Env: TypeAlias = dict[str, Value]

MAX_CONTEXTS = 24
"""Ways of reaching one function that are told apart."""
MAX_DEPTH = 24
"""Calls inside calls that are followed."""
MAX_STEPS = 150_000
"""Expressions evaluated per program before the analysis gives up on placement."""
MAX_NODES = 12
"""Origins of one value that are told apart."""


class Arguments:
    """The arguments of a call: expressions (None where they were spread) with their values."""

    __slots__ = ("keywords", "positional")

    def __init__(
        self,
        positional: Sequence[Operand] = (),
        keywords: Sequence[tuple[str | None, Operand]] = (),
    ) -> None:
        self.positional = tuple(positional)
        self.keywords = tuple(keywords)

    def get(self, position: int | None, name: str | None = None) -> Operand | None:
        """The argument given at ``position`` or as ``name``."""
        for key, operand in self.keywords:
            if key is not None and key == name:
                return operand
        if position is not None and position < len(self.positional):
            return self.positional[position]
        return None

    def value(self, position: int | None, name: str | None = None) -> Value | None:
        found = self.get(position, name)
        return found[1] if found else None

    def all(self) -> tuple[Operand, ...]:
        return (*self.positional, *(operand for _, operand in self.keywords))

    def after(self, count: int) -> Arguments:
        return Arguments(self.positional[count:], self.keywords)

    def before(self, *first: Operand) -> Arguments:
        return Arguments((*first, *self.positional), self.keywords)


class Semantics(Protocol):
    """The mutually recursive parts of evaluation, tied together in ``program``."""

    def evaluate(self, frame: Frame, tree: ast.expr | None) -> Value: ...

    def execute(self, frame: Frame, body: Sequence[ast.stmt]) -> None: ...

    def call(self, frame: Frame, tree: ast.expr, callee: Value, args: Arguments) -> Value: ...


class BudgetExceeded(Exception):
    """The program is too large or too tangled; placement is left alone."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A site as one context sees it: the names in scope there."""

    context: int
    frame: Frame
    names: tuple[tuple[str, Value], ...]
    line: int = 0


@dataclass(frozen=True, slots=True)
class Meeting:
    """Something unknown beside a tensor: it decides whether moving the tensor is safe."""

    node: int
    tree: ast.AST
    reason: str


@dataclass(slots=True)
class Observations:
    """What evaluation saw, by syntax tree node; codemods ask for facts made from it."""

    transfers: dict[ast.Call, list[tuple[Value, Value, Occurrence]]] = field(default_factory=dict)
    """Every ``.cuda()``/``.to()``-like call: receiver, result, names in scope."""
    tests: dict[ast.AST, Value] = field(default_factory=dict)
    """Conditions of ``if`` statements and expressions."""
    device_literals: dict[ast.Constant, Occurrence] = field(default_factory=dict)
    """Accelerator strings used as a device."""
    calls: dict[ast.Call, set[str]] = field(default_factory=dict)
    """Canonical library names that a call may reach."""
    occurrences: dict[ast.AST, Occurrence] = field(default_factory=dict)
    """Names in scope at calls that some codemod may rewrite."""
    clashes: dict[ast.AST, DtypeClash] = field(default_factory=dict)
    """Strict consumers of a dtype that their parameters do not have."""
    indexed_literals: set[ast.Constant] = field(default_factory=set)
    """``torch.device("cuda", index)``: the string is no place for a device."""
    device_options: set[str] = field(default_factory=set)
    """Options of the user (``args.device``) that are used as a device."""
    device_names: set[str] = field(default_factory=set)
    """Names of accelerator strings that are used as a device."""
    dtype_uses: dict[ast.AST, set[ast.AST]] = field(default_factory=dict)
    """Which expressions see the dtype of the value born at a call."""


@dataclass(frozen=True, slots=True)
class DtypeClash:
    """An operand whose dtype a strict consumer refuses on every device."""

    operand: ast.expr
    consumer: ast.AST
    found: str
    wanted: str
    born: ast.AST | None
    occurrence: Occurrence


class Analysis:
    """The state that all frames of one program share."""

    def __init__(self, source: Source, semantics: Semantics) -> None:
        self.source = source
        self.semantics = semantics
        self.graph = PlacementGraph()
        self.parents: dict[ast.AST, ast.AST] = {}
        for tree in ast.walk(source.tree):
            for child in ast.iter_child_nodes(tree):
                self.parents[child] = tree
        self.seen = Observations()
        self.meetings: dict[tuple[int, ast.AST], Meeting] = {}
        self.sites: dict[Site, dict[int, Occurrence]] = {}
        self.parameters: dict[Hashable, Parameter] = {}
        self.modules: list[ObjectRecord] = []
        self.entered: set[ast.AST] = set()
        self.created: dict[int, ast.Call] = {}
        self.default_float64 = False
        self.default: Value | None = None
        """What ``torch.set_default_device`` was given."""
        self.runs = False
        """The program itself, not only a caller that we cannot see, uses a module on data."""
        self.chooses = False
        """The program binds a device of its own to some name."""
        self.escaped: set[ast.AST] = set()
        """Functions that are handed to code that we cannot see."""
        self.memo: dict[tuple[ast.AST, int], tuple[Value, ...]] = {}
        """The arguments with which a context was evaluated last in this pass."""
        self.definitions: dict[ast.AST, Function] = {}
        self.pinned: set[int] = set()
        self.batches: set[int] = set()
        """Parts of batches, as loaders yield them."""
        self.stale: set[int] = set()
        """Host tensors whose shared array was written since they were made, by node."""
        self.shared: dict[int, set[int]] = {}
        """Nodes that share the memory of an array, by the array's number."""
        self.written: set[int] = set()
        """Arrays that a tensor has written into."""
        self.heavy: set[int] = set()
        self.losses: set[int] = set()
        self.explicit_host = False
        """The program puts tensors on the CPU by name: it has chosen."""
        self.changed = False
        self._heap: dict[Hashable, object] = {}
        self._contexts: dict[Hashable, int] = {}
        self._reached: dict[ast.AST, int] = {}
        self._memo: dict[Hashable, Value] = {}
        self.steps = 0

    def step(self) -> None:
        """Count one evaluation.

        Raises:
            BudgetExceeded: too many.
        """
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise BudgetExceeded

    def restart(self) -> None:
        """Forget what one evaluation saw, but not what the objects hold: it will be seen again."""
        self.graph.clear()
        self.seen = Observations()
        self.meetings.clear()
        self.sites.clear()
        self.entered.clear()
        self.memo.clear()
        self.escaped.clear()
        self.heavy.clear()
        self.stale.clear()
        self.shared.clear()
        self.written.clear()
        self.losses.clear()
        self.explicit_host = False
        self.changed = False
        for record in self.modules:
            record.moved = record.called = record.hardcoded = False

    def anchor_arithmetic(self, frame: Frame, tree: ast.AST, result: Tensor | None) -> None:
        """Heavy arithmetic: what a program without modules wants its accelerator for."""
        if result is not None and not frame.root_context:
            self.heavy |= result.nodes

    def anchor_backward(self, frame: Frame, tree: ast.AST, loss: Tensor) -> None:
        """``loss.backward()``: work for the device of a program that has one."""
        if not frame.root_context:
            self.losses |= loss.nodes

    def has_device(self) -> bool:
        """The program names an accelerator somewhere, whether it uses it or not."""
        return self.chooses or bool(self.seen.device_options)

    def context(self, caller: Frame | None, call: ast.AST, function: ast.AST) -> int:
        """The context of calling ``function`` at ``call``; the last one is shared when there are many."""
        key = (caller.context if caller else 0, call, function)
        found = self._contexts.get(key)
        if found is None:
            number = self._reached.get(function, 0)
            if number >= MAX_CONTEXTS:
                key = (-1, function, function)
                found = self._contexts.get(key)
            else:
                self._reached[function] = number + 1
            if found is None:
                found = len(self._contexts) + 1
            self._contexts[key] = found
        return found

    def list_record(self, key: Hashable) -> ListRecord:
        return self._heap.setdefault(("list", key), ListRecord())  # type: ignore[return-value]

    def dict_record(self, key: Hashable) -> DictRecord:
        return self._heap.setdefault(("dict", key), DictRecord())  # type: ignore[return-value]

    def object_record(self, key: Hashable, tree: ast.AST) -> tuple[ObjectRecord, bool]:
        """The record of ``key``, and whether it is new."""
        found = self._heap.get(("object", key))
        if isinstance(found, ObjectRecord):
            return found, False
        record = self._heap[("object", key)] = ObjectRecord(tree)
        return record, True

    def objects(self) -> list[ObjectRecord]:
        """All instances that evaluation has made."""
        return [r for r in self._heap.values() if isinstance(r, ObjectRecord)]

    def class_record(self, key: Hashable, record: ClassRecord) -> ClassRecord:
        return self._heap.setdefault(("class", key), record)  # type: ignore[return-value]

    def remember(self, key: Hashable, value: Value) -> Value:
        """Join ``value`` into what ``key`` held; tells the driver when that changed something."""
        old = self._memo.get(key)
        new = join(old, value)
        if new != old:
            self._memo[key] = new
            self.changed = True
        return new

    def recall(self, key: Hashable) -> Value | None:
        return self._memo.get(key)


class Frame:
    """The names of one scope in one context."""

    def __init__(
        self,
        analysis: Analysis,
        tree: ast.AST,
        parent: Frame | None = None,
        *,
        context: int = 0,
        caller: Frame | None = None,
        owner: ClassRecord | None = None,
    ) -> None:
        self.analysis = analysis
        self.graph = analysis.graph
        self.tree = tree
        self.parent = parent
        self.context = context
        self.caller = caller
        self.owner = owner
        self.env: Env | None = {}
        self.depth = caller.depth if caller else 0
        self.calls = caller.calls + 1 if caller else 0
        self.host = caller.host if caller else False
        self.building = caller.building if caller else False
        self.inside = caller.inside if caller else False
        """In a method of a module, or in what it calls."""
        self.root_context = caller.root_context if caller else False
        """Reached only because nobody calls the function in this program."""
        self.receiver: Value | None = None
        self.result: Value | None = None
        self.yielded: Value | None = None
        self.globals: set[str] = set()
        self.default: Value | None = caller.default if caller else None
        """Under ``with torch.device(...):`` factories make their tensors there."""
        self.following: Device | None = None
        """Under ``if x.is_cuda:``: where ``.cuda()`` really goes."""
        self.breaks: list[Env] = []
        self.continues: list[Env] = []

    @property
    def seen(self) -> Observations:
        return self.analysis.seen

    @property
    def module(self) -> Frame:
        frame = self
        while frame.parent is not None:
            frame = frame.parent
        return frame

    @property
    def function(self) -> FunctionTree | None:
        """The function whose body this is, or None at module or class level."""
        if isinstance(self.tree, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return self.tree
        return None

    def evaluate(self, tree: ast.expr | None) -> Value:
        """The abstract value of an expression of this frame."""
        return self.analysis.semantics.evaluate(self, tree)

    def execute(self, body: Sequence[ast.stmt]) -> None:
        """Run statements in this frame."""
        self.analysis.semantics.execute(self, body)

    def call(self, tree: ast.expr, callee: Value, args: Arguments) -> Value:
        """What calling ``callee`` at ``tree`` gives."""
        return self.analysis.semantics.call(self, tree, callee, args)

    def call_method(self, tree: ast.expr, receiver: Value, name: str, *args: Value) -> Value:
        """What ``receiver.name(*args)`` gives, for methods of the program's own classes."""
        results = []
        for record in receiver.records if isinstance(receiver, Instance) else ():
            found = record.cls.lookup(name) if record.cls else None
            if isinstance(found, Function):
                this = Instance(frozenset((record,)))
                bound = Bound(this, name, found)
                operands = Arguments([(None, a) for a in args])
                results.append(self.call(tree, bound, operands))
        return join_all(results)

    # -- names ---------------------------------------------------------------------------------

    def lookup(self, name: str) -> Value | None:
        """What ``name`` means here: this scope, then the enclosing ones (class bodies are skipped)."""
        frame: Frame | None = self
        while frame is not None:
            visible = frame is self or not isinstance(frame.tree, ast.ClassDef)
            if visible and frame.env is not None and name in frame.env:
                return frame.env[name]
            frame = frame.parent
        return None

    def bind(self, name: str, value: Value) -> None:
        """Strong update; forgets what was known about the attributes of the old value."""
        if name in self.globals:
            module = self.module
            if module.env is not None:
                module.env[name] = join(module.env.get(name), value)
        if isinstance(value, Device) and value.label is Label.TARGET:
            self.analysis.chooses = True
        if self.env is None:
            return
        self.env[name] = value
        for key in [k for k in self.env if k.startswith((f"{name}.", f"{name}["))]:
            del self.env[key]

    def flush(self, *, forget: bool = True) -> None:
        """Write the attributes set in this frame (``self.x = …``) to the objects that hold them."""
        if self.env is None:
            return
        for key in [k for k in self.env if "[" in k]:
            self._flush_item(key)
            if forget:
                del self.env[key]
        for key in [k for k in self.env if "." in k and "[" not in k]:
            name, attribute = key.split(".", 1)
            holder = self.lookup(name)
            if isinstance(holder, Instance):
                for record in holder.records:
                    self.store(record, attribute, self.env[key])
            if forget:
                del self.env[key]

    def _flush_item(self, key: str) -> None:
        """Write an item set in this frame (``batch["x"] = …``) to the dict that holds it."""
        assert self.env is not None
        name, _, rest = key.partition("[")
        holder = self.lookup(name)
        item = ast.literal_eval(rest.removesuffix("]"))
        for record in holder.records if isinstance(holder, Mapping) else ():
            new = self.bounded(join(record.items.get(item), self.env[key]))
            if new != record.items.get(item):
                record.items[item] = new
                self.analysis.changed = True

    def store(self, record: ObjectRecord, attribute: str, value: Value) -> None:
        """Join ``value`` into an attribute of ``record``; modules adopt modules and parameters."""
        if isinstance(value, Device) and value.label is Label.TARGET:
            self.analysis.chooses = True
        if record.module:
            value = self._adopted(record, value)
        old = record.attributes.get(attribute)
        new = self.bounded(join(old, value))
        if new != old:
            record.attributes[attribute] = new
            self.analysis.changed = True

    def _adopted(self, record: ObjectRecord, value: Value) -> Value:
        if isinstance(value, Instance):
            for child in value.modules:
                self.adopt(record, child)
        if isinstance(value, Tensor) and value.parameter:
            record.stateful = True
            return Tensor(frozenset((record.node,)), value.dtype, plain=False)
        return value

    def adopt(self, parent: ObjectRecord, child: ObjectRecord) -> None:
        """``child`` becomes a submodule: it moves with its parent."""
        if child is parent or parent.root is child:
            return
        child.parent = parent
        parent.stateful = parent.stateful or child.stateful
        self.graph.tie(parent.node, child.node)

    # -- tensors -------------------------------------------------------------------------------

    def node(self, kind: str, tree: ast.AST, name: str = "") -> int:
        return self.graph.node((kind, self.context, tree, name))

    def host_tensor(self, tree: ast.AST, name: str = "", **facts: object) -> Tensor:
        """A tensor that is surely made on the host at ``tree``."""
        node = self.node("host", tree, name)
        self.graph.fix(node, Label.HOST)
        return Tensor(frozenset((node,)), **facts)  # type: ignore[arg-type]

    def bounded(self, value: Value) -> Value:
        """Keep the number of origins of one tensor small: many become one that ties them together."""
        if isinstance(value, Tensor) and len(value.nodes) > MAX_NODES:
            first = min(value.nodes)
            for node in value.nodes:
                self.graph.tie(first, node)
            return Tensor(frozenset((first,)), value.dtype, value.scalar, value.born, value.plain)
        return value

    def site(self, kind: SiteKind, tree: ast.AST, name: str = "") -> Site | None:
        """A place for a transfer, with the names in scope; None in code that runs on the host."""
        if self.host:
            return None
        site = Site(kind, tree, name)
        per_context = self.analysis.sites.setdefault(site, {})
        per_context[self.context] = self.occurrence(tree)
        return site

    def occurrence(self, tree: ast.AST | None = None) -> Occurrence:
        """The names in scope that may name a device, nearest scope first."""
        names: dict[str, Value] = {}
        frame: Frame | None = self
        while frame is not None:
            if frame is self or not isinstance(frame.tree, ast.ClassDef):
                for name, value in (frame.env or {}).items():
                    names.setdefault(name, value)
            frame = frame.parent
        return Occurrence(self.context, self, tuple(names.items()), getattr(tree, "lineno", 0))

    def use(
        self,
        expression: ast.expr | None,
        value: Value,
        sink: int,
        *,
        to_target: float = USE_COST,
        to_host: float = RETREAT_COST,
    ) -> None:
        """Let the tensors of ``value``, written as ``expression``, flow into ``sink``."""
        flow_into(self, expression, value, sink, to_target, to_host)

    def need_host(self, expression: ast.expr | None, value: Value) -> None:
        """The host reads ``value`` here."""
        self.use(expression, value, HOST_NODE, to_target=0.0, to_host=READ_COST)

    def meet(self, node: int, tree: ast.AST, reason: str) -> None:
        """Something unknown stands beside ``node`` (or takes it)."""
        self.analysis.meetings.setdefault((node, tree), Meeting(node, tree, reason))

    def function_value(self, tree: FunctionTree, kind: str = "function") -> Function:
        function = Function(
            tree, self, self.owner if isinstance(self.tree, ast.ClassDef) else None, kind
        )
        self.analysis.definitions[tree] = function
        return function
