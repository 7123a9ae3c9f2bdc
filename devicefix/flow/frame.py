"""One evaluation of a function, class or module body: its names, and how they reach the graph."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final, TypeAlias

from msgspec.structs import replace

from devicefix.flow.analysis import Analysis
from devicefix.flow.construction import (
    aliases_submodule,
    is_transferred,
    note_before,
    note_late,
    note_late_weights,
    note_placed,
)
from devicefix.flow.costs import READ_COST, RETREAT_COST, USE_COST
from devicefix.flow.dicts import note_perhaps, show
from devicefix.flow.files import forced
from devicefix.flow.graph import HOST_NODE, Label, Site, SiteKind
from devicefix.flow.joins import alternatives, is_update, join, join_all, tensors_in
from devicefix.flow.observations import Meeting, Observations, Occurrence
from devicefix.flow.operands import Operand, flow_into
from devicefix.flow.process_defaults import Default
from devicefix.flow.sizes import bounded, widened
from devicefix.flow.values import (
    Bound,
    ClassRecord,
    Const,
    Device,
    Either,
    FileRecord,
    Function,
    Import,
    Instance,
    Listing,
    Mapping,
    ObjectRecord,
    Tensor,
    Value,
    as_device,
    is_text,
)

FunctionTree: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Env: TypeAlias = dict[str, Value]
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

WEIGHTS: Final = re.compile(
    r"(in_proj_)?(bias|weight)(_(g|k|mask|orig|u|v))?|[kqv]_proj_weight|"
    r"(bias|weight)_(hh|hr|ih)_l\d+(_reverse)?"
)
"""Parameters of layers; those of recurrent ones have a number for each, and what is normalized or
pruned has others besides (torch.nn.utils)."""
MAX_DEPTH = 24
"""Calls inside calls that are followed."""


class Arguments:
    """The arguments of a call: expressions (None where they were spread) with their values."""

    __slots__ = ("_all", "keywords", "positional", "rest")

    def __init__(
        self,
        positional: Sequence[Operand] = (),
        keywords: Sequence[tuple[str | None, Operand]] = (),
        rest: tuple[int, Value] | None = None,
    ) -> None:
        """``rest``: from which position on there may be more, and what each of those may be."""
        self.positional = tuple(positional)
        self.keywords = tuple(keywords)
        self.rest = rest
        self._all = (*self.positional, *[operand for _, operand in self.keywords])

    def get(self, position: int | None, name: str | None = None) -> Operand | None:
        """The argument given at ``position`` or as ``name``."""
        for key, operand in self.keywords:
            if key is not None and key == name:
                return operand
            if key is None and (spread := _spread(operand[1], name)) is not None:
                return None, spread
        if position is not None and position < len(self.positional):
            return self.positional[position]
        return None

    def value(self, position: int | None, name: str | None = None) -> Value | None:
        if position is None and not self.keywords:
            return None
        found = self.get(position, name)
        return found[1] if found else None

    def all(self) -> tuple[Operand, ...]:
        return self._all

    def listed(self, pairs: Sequence[int | str]) -> list[Operand]:
        """Those that a table lists: positions and keywords, pairwise."""
        found = (
            self.get(int(position), str(keyword))
            for position, keyword in zip(pairs[::2], pairs[1::2], strict=True)
        )
        return [operand for operand in found if operand is not None]

    def after(self, count: int) -> Arguments:
        return Arguments(self.positional[count:], self.keywords, self._rest_after(-count))

    def before(self, *first: Operand) -> Arguments:
        return Arguments((*first, *self.positional), self.keywords, self._rest_after(len(first)))

    def _rest_after(self, count: int) -> tuple[int, Value] | None:
        return (max(0, self.rest[0] + count), self.rest[1]) if self.rest is not None else None


def _spread(value: Value, name: str | None) -> Value | None:
    """What ``**value`` gives for the keyword ``name``."""
    records = value.records if isinstance(value, Mapping) else ()
    found = [r.items[name] for r in records if name in r.items]
    return join_all(found) if found else None


def _unwrapped(value: Value) -> Value:
    """Of ``self.maps = nn.ParameterList(self.maps)``, what is there in the end and not the list."""
    parts = alternatives(value) if isinstance(value, Either) else ()
    wrapped = {w for p in parts if isinstance(p, Instance) for r in p.records for w in r.wraps}
    if not wrapped:
        return value
    return join_all(
        part
        for part in parts
        if not (isinstance(part, (Listing, Mapping)) and part.records <= wrapped)
    )


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
        self.seen: Observations = analysis.seen
        self.tree = tree
        self.parent = parent
        self.context = context
        self.caller = caller
        self.owner = owner
        self.file: FileRecord = parent.file if parent else analysis.home(tree)
        self.entry: FileRecord = caller.entry if caller else self.file
        """The program that runs: the file that evaluation started from."""
        self.env: Env | None = {}
        self.depth: int = caller.depth if caller else 0
        self.calls: int = caller.calls + 1 if caller else 0
        self.host: bool = caller.host if caller else False
        self.building: bool = caller.building if caller else False
        self.built: int = caller.built if caller else 0
        """The context of the outermost constructor of a module that runs; 0 where none does."""
        self.inside: bool = caller.inside if caller else False
        """In a method of a module, or in what it calls."""
        self.root_context: bool = caller.root_context if caller else False
        """Reached only because nobody calls the function in this program."""
        self.given: tuple[Value, ...] = ()
        """The arguments of the call."""
        self.opened: frozenset[int] = frozenset()
        """The nodes of parameters that are tensors by annotation alone: nobody knows what comes."""
        self.receiver: Value | None = None
        self.result: Value | None = None
        self.yielded: Value | None = None
        self.elsewhere: dict[str, Frame] = {}
        self.path_holders: set[str] = set()
        """Names of whose attributes or items ``env`` may know something."""
        self.shown: set[tuple[str, Value]] = set()
        """What conditions say of attributes that ``env`` has, and that nobody has set here."""
        self.default: Value | None = caller.default if caller else None
        """Under ``with torch.device(...):`` factories make their tensors there."""
        self.following: Device | None = None
        """Under ``if x.is_cuda:``: where ``.cuda()`` really goes."""
        self._snapshot: tuple[Env, Env] | None = None
        """The names, and a copy of them that is still right."""
        self.returns: list[Env] = []
        """The names as they were at each `return`: functions that are made here read them later."""
        self.breaks: list[Env] = []
        self.continues: list[Env] = []
        self.promised: list[Value | None] = []
        """What a call of this function was told that it gives while it ran, if there was one."""
        self.leaning: set[tuple[ast.AST, int]] = set()
        """The calls on the way from here to those, by function and context."""

    def begin_again(self, names: Env) -> None:
        """Forget what one execution has left, but for the ``names`` that it began with."""
        self.env, self._snapshot = dict(names), None
        self.result = self.yielded = None
        self.shown, self.returns, self.promised = set(), [], []

    @cached_property
    def identity(self) -> tuple[int, int]:
        """The context, and how many of its frames have defined functions before in this pass."""
        return self.context, self.analysis.number(self.tree, self.context)

    @property
    def carried(self) -> Value | None:
        """Where a context or a default lets factories and modules be made; None where none does."""
        found = self.default or self.process_default.value
        return None if found == Const(None) or self.host else found

    @property
    def process_default(self) -> Default:
        """What holds in the processes that run this code."""
        return self.analysis.process_defaults.of(self.entry)

    @property
    def module(self) -> Frame:
        frame = self
        while frame.parent is not None:
            frame = frame.parent
        return frame

    @cached_property
    def function(self) -> FunctionTree | None:
        """The function whose body this is, or None at module or class level."""
        frame: Frame | None = self
        while frame is not None and isinstance(frame.tree, COMPREHENSIONS):
            frame = frame.parent
        tree = frame.tree if frame is not None else None
        if isinstance(tree, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return tree
        return None

    @property
    def outermost(self) -> Frame | None:
        """The frame of the function that holds all functions around this place, if there is one."""
        found = None
        frame: Frame | None = self
        while frame is not None:
            if isinstance(frame.tree, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found = frame
            frame = frame.parent
        return found

    @cached_property
    def constructors(self) -> tuple[Frame, ...]:
        """The calls of constructors that this one is a part of, from the innermost out."""
        around = self.caller.constructors if self.caller is not None else ()
        return (self, *around) if getattr(self.function, "name", "") == "__init__" else around

    def running(self) -> Iterator[tuple[ObjectRecord, ...]]:
        """The modules whose methods run, from the innermost call out."""
        frame: Frame | None = self
        while frame is not None:
            if isinstance(frame.receiver, Instance):
                yield tuple(frame.receiver.modules)
            frame = frame.caller

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
        """What ``name`` means here: this scope, then those around it (but no class bodies)."""
        frame: Frame | None = self
        while frame is not None:
            visible = frame is self or not isinstance(frame.tree, ast.ClassDef)
            if visible and (found := frame.held(name)) is not None:
                return forced(self, found) if type(found) is Import else found
            frame = frame.parent
        return None

    def held(self, name: str) -> Value | None:
        """What ``name`` is in this scope, or was when it ended."""
        if self.env is not None:
            return self.env.get(name)
        found = [env[name] for env in self.returns if name in env]
        return join_all(found) if found else None

    def public(self) -> list[str]:
        """The names without an underscore."""
        return [name for name in self.env or () if name.isidentifier() and name[0] != "_"]

    def bind(self, name: str, value: Value, target: ast.AST | None = None) -> None:
        """Strong update; forgets what was known about the attributes of the old value.

        ``target`` is where the text binds the name, where that says what it is.
        """
        if target is not None and self.analysis.trace is not None:
            self.analysis.trace.note_binding(self, name, target, value)
        if name in self.elsewhere:
            self.elsewhere[name].bind_too(name, value)
        if _is_choice(value):
            self.file.chooses = True
        if self.env is None:
            return
        self.touch()
        self.env[name] = widened(value)
        if name in self.path_holders:
            for key in [k for k in self.env if k.startswith((f"{name}.", f"{name}["))]:
                del self.env[key]

    def bind_too(self, name: str, value: Value) -> None:
        """What a ``global`` or ``nonlocal`` name of a function below may be now, too."""
        self.touch()
        for env in self.returns if self.env is None else (self.env,):
            env[name] = join(env.get(name), value)

    def around(self, name: str) -> Frame | None:
        """The scope of the function around this one that holds the ``nonlocal`` name."""
        frame = self.parent
        while frame is not None:
            if not isinstance(frame.tree, ast.ClassDef) and frame.held(name) is not None:
                return frame
            frame = frame.parent
        return None

    def bind_part(self, name: str, part: str, value: Value) -> None:
        """``name.x = value`` (``part`` is ``.x``) or ``name["x"] = value`` in this scope."""
        if self.env is not None:
            self.touch()
            self.path_holders.add(name)
            self.env[name + part] = widened(value)

    def forget(self, key: str) -> None:
        """The name, or part of a name, means nothing any more."""
        if self.env is not None and self.env.pop(key, None) is not None:
            self.touch()

    def touch(self) -> None:
        """``env`` changes in place: no copy of it is right any more."""
        self._snapshot = None

    def flush(self, *, forget: bool = True) -> None:
        """Write the attributes set in this frame (``self.x = …``) to the objects that hold them."""
        if self.env is None:
            return
        parts = [k for k in self.env if "." in k or "[" in k] if self.path_holders else []
        for key in sorted(parts, key=lambda key: "[" not in key):
            self.write_back(key, self.env[key])
        for key in parts if forget else ():
            if not ("[" in key and isinstance(self.lookup(key.partition("[")[0]), Tensor)):
                self.forget(key)

    def write_back(self, key: str, value: Value, *, perhaps: bool = False) -> None:
        """Write an attribute or item that was set in this frame to the objects that hold it.

        ``perhaps``: it was set on some paths only.
        """
        if "[" in key:
            self._write_item(key, value, perhaps=perhaps)
            return
        name, attribute = key.split(".", 1)
        holder = self.lookup(name)
        if isinstance(holder, Instance) and (key, value) not in self.shown:
            for record in holder.records:
                self.store(record, attribute, value)

    def _write_item(self, key: str, value: Value, *, perhaps: bool) -> None:
        """The same for ``batch["x"] = …``."""
        name, _, rest = key.partition("[")
        holder = self.lookup(name)
        item = ast.literal_eval(rest.removesuffix("]"))
        for record in holder.records if isinstance(holder, Mapping) else ():
            old = record.items.get(item)
            if perhaps:
                note_perhaps(self, record, item)
            self.analysis.arrivals.note_store(record, item, old, value)
            new = self.bounded(join(old, value))
            if new != old:
                self.analysis.note_change(record, item, old)
            if is_update(old, new):
                record.items[item] = new
            show(self, record, item, new)

    def store(
        self, record: ObjectRecord, attribute: str, value: Value, *, late: bool = True
    ) -> None:
        """Join ``value`` into an attribute of ``record``; modules adopt modules and parameters.

        ``late``: it may be there already, and be on a device.
        """
        if _is_choice(value):
            self.file.chooses = True
        if record.module:
            weights = record.layer and record.weights and WEIGHTS.fullmatch(attribute)
            if weights and isinstance(value, Tensor):
                value = replace(value, parameter=True)  # torch takes nothing else
            _note_kind(record, attribute, value)
            value = self._adopted(record, value, late)
        if not (record.module and isinstance(value, Tensor)):
            self._note_lent(value)
        self.put(record, attribute, value)

    def _note_lent(self, value: Value) -> None:
        """``self.table = {"w": self.weight}``: a parameter moves with its module, under all of its
        names; a buffer leaves the others behind."""
        waiting = [n for t in tensors_in(value) if not t.computed for n in t.nodes]
        met = set[int]()
        while waiting:
            node = waiting.pop()
            met.add(node)
            match self.graph.key(node):
                case ("unfinished", ObjectRecord() as owner):
                    self.meet(owner.root.node, owner.tree, "its tensors also have other names")
                case ("parameter" | "stored", *_):  # the same tensor, handed on
                    waiting += [n for n in self.graph.sources(node) if n not in met]

    def put(self, record: ObjectRecord, attribute: str, value: Value) -> None:
        """The same for what is stored as it is, and registered nowhere."""
        self.analysis.note_set(record, attribute)
        device = as_device(value) if isinstance(value, Device) or is_text(value) else None
        if device is not None and device.label is not None:
            self.analysis.note_named(record, attribute, device.label, self.function)
        old = record.attributes.get(attribute)
        if self.analysis.arrivals.note_store(record, attribute, old, value):
            self.analysis.changed = True
        new = _unwrapped(self.bounded(join(old, value)))
        if new != old:
            self.analysis.note_change(record, attribute, old)
        if is_update(old, new):
            record.attributes[attribute] = new

    def _adopted(self, record: ObjectRecord, value: Value, late: bool) -> Value:
        if isinstance(value, Instance):
            for child in value.modules:
                self.adopt(record, child)
                if late:
                    note_late(self, record, child)
        if isinstance(value, Tensor) and value.parameter:
            record.stateful = True
            record.weights = record.weights or value.leaf
            if value.nodes and all(is_transferred(self, node) for node in value.nodes):
                note_placed(self, record, value.nodes)
            elif late:
                note_late_weights(self, record, value.nodes)
            constant = value.constant
            return Tensor(frozenset((record.node,)), value.dtype, raw=False, constant=constant)
        return value

    def adopt(self, parent: ObjectRecord, child: ObjectRecord, *, late: bool = False) -> None:
        """``child`` becomes a submodule: it moves with its parent.

        ``late``: the parent was there before.
        """
        if child is parent or parent.root is child:
            return
        if child.parent not in (None, parent) and self._says_nothing(child):
            return
        if aliases_submodule(self, parent, child, late=late):
            parent.lenders.add(child.root)
        else:
            note_before(self, child)
            child.parent = parent
            self.analysis.adopted.add(child)
        parent.stateful = parent.stateful or child.stateful
        self.graph.tie(parent.node, child.node)

    def _says_nothing(self, child: ObjectRecord) -> bool:
        """``activation=nn.ReLU()``, a default, is a part of all; it has nothing that would move."""
        return child.tree in self.analysis.defaults and not child.stateful

    # -- tensors -------------------------------------------------------------------------------

    def node(self, kind: str, tree: ast.AST, name: str = "") -> int:
        return self.graph.node((kind, self.context, tree, name))

    def host_tensor(self, tree: ast.AST, name: str = "", *, dtype: str | None = None) -> Tensor:
        """A tensor that is surely made on the host at ``tree``."""
        node = self.node("host", tree, name)
        self.graph.fix(node, Label.HOST)
        return Tensor(frozenset((node,)), dtype, constant=True)

    def bounded(self, value: Value) -> Value:
        """Keep a value small, and the number of origins of its tensors."""
        return bounded(self.graph, value)

    def site(self, kind: SiteKind, tree: ast.AST, name: str = "") -> Site | None:
        """A place for a transfer, with the names in scope; None where there must be none.

        That is in code that runs on the host, and in class bodies and defaults: they are evaluated
        once, maybe long before there is a device.
        """
        if self.host or self.evaluates_once(tree):
            return None
        site = Site(kind, tree, name)
        per_context = self.analysis.sites.setdefault(site, {})
        seen, before = self.occurrence(tree), per_context.get(self.context)
        turns = self.analysis.turns
        if turns is not None and before is not None and before.time >= turns:
            seen = seen.joined(before)  # what is written there has to be right in each turn
        per_context[self.context] = seen
        return site

    def evaluates_once(self, tree: ast.AST) -> bool:
        """Whether ``tree`` is part of a class body or the default of a parameter."""
        return isinstance(self.tree, ast.ClassDef) or tree in self.analysis.defaults

    def occurrence(self, tree: ast.AST | None = None) -> Occurrence:
        """The names in scope that may name a device, nearest scope first."""
        scopes = [self.snapshot()]
        frame = self.parent
        while frame is not None:
            if not isinstance(frame.tree, ast.ClassDef):
                scopes.append(frame.snapshot())
            frame = frame.parent
        return Occurrence(self.context, self, tuple(scopes), tree, self.analysis.steps)

    def snapshot(self) -> Env:
        """The names of this scope as they are now; one copy serves until another name is bound."""
        if self.env is None:
            return {}
        if self._snapshot is None or self._snapshot[0] is not self.env:
            self._snapshot = self.env, dict(self.env)
        return self._snapshot[1]

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
        self.seen.reads.update(node for tensor in tensors_in(value) for node in tensor.nodes)
        self.use(expression, value, HOST_NODE, to_target=0.0, to_host=READ_COST)

    def meet(
        self, node: int, tree: ast.AST, reason: str, place: frozenset[int] = frozenset()
    ) -> None:
        """Something unknown, whose tensors are at ``place``, stands beside ``node`` or takes it."""
        met, key = self.analysis.meetings, (node, tree)
        met[key] = Meeting(node, tree, reason, place).beside(met.get(key))

    def function_value(self, tree: FunctionTree, kind: str = "function") -> Function:
        _ = self.identity  # the frames are counted in the order in which they define functions
        function = Function(
            tree, self, self.owner if isinstance(self.tree, ast.ClassDef) else None, kind
        )
        self.analysis.definitions[tree] = function
        return function


def _note_kind(record: ObjectRecord, attribute: str, value: Value) -> None:
    """Whether an attribute of a module is always a parameter, or always a module."""
    tensor = isinstance(value, Tensor) and value.parameter and value.certain and not value.maybe
    module = isinstance(value, Instance) and len(value.modules) == len(value.records)
    for kinds, fits in ((record.travels, tensor), (record.parts, module)):
        if fits or attribute in kinds or attribute in record.attributes:
            kinds[attribute] = fits and kinds.get(attribute, attribute not in record.attributes)


def _is_choice(value: Value) -> bool:
    """A device that a name is given to; a string with an index says where, but not for whom."""
    return isinstance(value, Device) and value.label is Label.TARGET and not value.written
