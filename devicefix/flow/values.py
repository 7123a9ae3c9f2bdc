"""What an expression can be, as far as placement cares.

A value is a kind (tensor, module, array, device, container of …) with what placement needs to know
about it. Values are immutable; what Python mutates (lists, dicts, instances) are *records* that
values refer to, and records only ever grow: evaluation repeats until nothing changes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from devicefix.flow.graph import Label

if TYPE_CHECKING:
    from devicefix.flow.frame import Frame
    from devicefix.flow.observations import Occurrence


class Value:
    """Base of all abstract values."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Unknown(Value):
    """Nothing is known; ``reason`` says which code would have to be seen."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Plain(Value):
    """Surely no tensor, module or array: numbers, strings, files, configuration."""

    choice: bool = False
    """Read from the command line or a configuration: as a device it is the user's choice."""


@dataclass(frozen=True, slots=True)
class Const(Value):
    """A literal whose value matters: None, numbers, strings, booleans."""

    value: object


@dataclass(frozen=True, slots=True)
class Flag(Value):
    """A truth value that holds exactly where an accelerator is there (or where it is not)."""

    holds: bool = True
    pure: bool = True
    """Nothing but the accelerator decides: no option of the user can switch it off."""


@dataclass(frozen=True, slots=True)
class Residence(Value):
    """``x.is_cuda``: true where these nodes live on the device."""

    nodes: frozenset[int]


@dataclass(frozen=True, slots=True)
class Device(Value):
    """A ``torch.device``, or a string used as one."""

    label: Label | None
    nodes: frozenset[int] = frozenset()
    """``x.device``: wherever these nodes live (``label`` is None then)."""
    agnostic: bool = True
    """Right on a machine without CUDA, too."""


@dataclass(frozen=True, slots=True)
class Dtype(Value):
    """A ``torch.dtype`` or NumPy one, by its torch name (``float32``)."""

    name: str


@dataclass(frozen=True, slots=True)
class Tensor(Value):
    """A tensor, or a tuple of tensors that live together.

    ``nodes`` are the graph nodes that may reach here; none means a tensor at an unknown place.
    """

    nodes: frozenset[int]
    dtype: str | None = None
    scalar: bool = False
    """Surely 0-dim: may be an input of a pointwise op beside device tensors."""
    born: ast.expr | None = None
    """The expression that gave it its dtype."""
    plain: bool = True
    """Straight host data: no arithmetic of the program has touched it since it was read."""
    parameter: bool = False
    """An ``nn.Parameter`` or buffer on its way into a module."""
    leaf: bool = False
    """Made with ``requires_grad=True``."""


@dataclass(frozen=True, slots=True)
class Array(Value):
    """A NumPy array; always on the host."""

    dtype: str | None = None
    memory: frozenset[int] = frozenset()
    """Numbers of the buffers that it may look into."""
    views: frozenset[int] = frozenset()
    """Nodes of the tensors whose memory it shows (``x.numpy()``)."""


@dataclass(eq=False, slots=True)
class Parameter:
    """A parameter of a function that nobody calls here: what its uses say about it."""

    name: str
    frame: Frame
    tensor: bool = False
    """It was used as only a tensor can be."""
    module: bool = False
    moved: bool = False
    """The function moves it itself: it may come from anywhere."""
    node: int = -1


@dataclass(frozen=True, slots=True)
class Opaque(Value):
    """The value of such a parameter, or a part of it."""

    parameter: Parameter
    part: bool = False


@dataclass(eq=False, slots=True)
class Record:
    """Something that Python mutates; each is itself and equal to no other.

    Sets of records are walked in the order of their hashes: ``serial`` makes that the same in every
    run.
    """

    serial: int

    def __hash__(self) -> int:
        return self.serial


@dataclass(eq=False, slots=True)
class ListRecord(Record):
    """A list, set, deque or iterator: what its elements may be."""

    element: Value | None = None
    items: tuple[Value, ...] | None = None
    """The exact items, while nobody has changed the list."""


@dataclass(eq=False, slots=True)
class DictRecord(Record):
    """A dict: what is under constant keys, and what is under any other."""

    items: dict[object, Value] = field(default_factory=dict)
    element: Value | None = None


@dataclass(eq=False, slots=True)
class ClassRecord:
    """A class of the analysed program."""

    name: str
    tree: ast.ClassDef
    frame: Frame
    bases: tuple[Value, ...]
    attributes: dict[str, Value]

    def ancestry(self) -> tuple[ClassRecord, ...]:
        """The class and its bases of the program, nearest first (depth-first is near enough)."""
        seen: list[ClassRecord] = []

        def visit(record: ClassRecord) -> None:
            if record not in seen:
                seen.append(record)
                for base in record.bases:
                    if isinstance(base, Class):
                        visit(base.record)

        visit(self)
        return tuple(seen)

    def library_bases(self) -> tuple[str, ...]:
        """Canonical names of the bases that the program imports."""
        return tuple(
            base.name
            for record in self.ancestry()
            for base in record.bases
            if isinstance(base, External)
        )

    def lookup(self, name: str) -> Value | None:
        return next((r.attributes[name] for r in self.ancestry() if name in r.attributes), None)


@dataclass(eq=False, slots=True)
class ObjectRecord(Record):
    """An instance: of a class of the program, or a ``torch.nn`` layer."""

    tree: ast.AST
    """The expression that made it."""
    cls: ClassRecord | None = None
    layer: str = ""
    """Canonical name of the library class, such as ``torch.nn.Linear``."""
    module: bool = False
    node: int = -1
    """Where its parameters and buffers live."""
    stateful: bool = False
    """It has parameters or buffers."""
    parent: ObjectRecord | None = None
    children: list[Value] = field(default_factory=list)
    attributes: dict[str, Value] = field(default_factory=dict)
    dtype: str = "float32"
    host: bool = False
    """It does its work on the host: a dataset, sampler or transform."""
    frame: Frame | None = None
    occurrence: Occurrence | None = None
    moved: bool = False
    called: bool = False
    context: int = 0
    tensors: list[tuple[Frame, ast.expr | None, Value]] = field(default_factory=list)
    """Tensors given to the constructor of a loss: they move with it, or have to be there."""
    hardcoded: bool = False
    """``.cuda()`` moves it."""
    framework: bool = False
    """A framework (Lightning) moves it and its batches."""
    namespace: bool = False
    """Options of the command line: attributes that nobody sets are the user's choice."""
    generic: bool = False
    """It stands for all instances of a class that this program never makes."""

    @property
    def root(self) -> ObjectRecord:
        record = self
        for _ in range(50):
            if record.parent is None:
                break
            record = record.parent
        return record


@dataclass(frozen=True, slots=True)
class Instance(Value):
    """One of these objects."""

    records: frozenset[ObjectRecord]

    @property
    def modules(self) -> tuple[ObjectRecord, ...]:
        return tuple(r for r in self.records if r.module)


@dataclass(frozen=True, slots=True)
class Listing(Value):
    """One of these lists."""

    records: frozenset[ListRecord]


@dataclass(frozen=True, slots=True)
class Mapping(Value):
    """One of these dicts."""

    records: frozenset[DictRecord]


@dataclass(frozen=True, slots=True)
class Tuple(Value):
    """A tuple whose length is known."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Stream(Value):
    """Anything that is iterated: generators, ``zip``, ``enumerate``, ``range``."""

    element: Value


@dataclass(frozen=True, slots=True)
class Dataset(Value):
    """A dataset of the library; ``element`` is one sample, always on the host."""

    element: Value


@dataclass(frozen=True, slots=True)
class Loader(Value):
    """A ``DataLoader``; ``element`` is one batch, always on the host."""

    element: Value
    dataset: Value


@dataclass(frozen=True, slots=True)
class Optimizer(Value):
    """An optimizer or scheduler; ``nodes`` are those of its parameters."""

    nodes: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class External(Value):
    """A name of a library by its canonical dotted name: module, class or function."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Function(Value):
    """A function or lambda of the program with its defining frame."""

    tree: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    frame: Frame
    owner: ClassRecord | None = None
    kind: str = "function"
    """function, staticmethod, classmethod or property."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and self.tree is other.tree and self.frame is other.frame

    def __hash__(self) -> int:
        return hash((id(self.tree), id(self.frame)))


@dataclass(frozen=True, slots=True)
class Class(Value):
    """A class of the program."""

    record: ClassRecord


@dataclass(frozen=True, slots=True)
class Bound(Value):
    """A method with its receiver."""

    receiver: Value
    name: str
    function: Function | None = None


@dataclass(frozen=True, slots=True)
class Partial(Value):
    """``functools.partial`` of a callable."""

    function: Value
    args: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class OneOf(Value):
    """One of a few callables."""

    options: tuple[Value, ...]


NONE = Const(None)
PLAIN = Plain()
_CALLABLES = (Function, Class, Bound, External, Partial, OneOf)
_CONTAINERS = (Tuple, Listing, Stream)
_ACCELERATORS = ("cuda", "mps", "xpu", "hip")


def is_accelerator_string(value: object) -> bool:
    """``"cuda"``, ``"cuda:1"``, ``"mps"`` …"""
    return isinstance(value, str) and value.split(":")[0] in _ACCELERATORS


def as_device(value: Value) -> Device | None:
    """``value`` where a device is expected, or None where it is none."""
    match value:
        case Device():
            return value
        case Const(value=text) if is_accelerator_string(text):
            return Device(Label.TARGET, agnostic=False)
        case Const(value=str() as text) if text.split(":")[0] == "cpu":
            return Device(Label.HOST)
        case Const(value=int() as index) if not isinstance(index, bool):
            return Device(Label.TARGET, agnostic=False)
        case Plain(choice=True):
            return Device(Label.TARGET)
        case _:
            return None


def join(first: Value | None, second: Value | None) -> Value:
    """What holds when either may: known wins over unknown, a tensor over None or a number."""
    if first is None or first == second:
        return second if second is not None else Unknown()
    if second is None:
        return first
    match first, second:
        case Tensor(), Tensor():
            return Tensor(
                first.nodes | second.nodes,
                first.dtype if first.dtype == second.dtype else None,
                first.scalar and second.scalar,
                first.born if first.born is second.born else None,
                first.plain and second.plain,
            )
        case Instance(), Instance():
            return Instance(first.records | second.records)
        case Listing(), Listing():
            return Listing(first.records | second.records)
        case Mapping(), Mapping():
            return Mapping(first.records | second.records)
        case Tuple(), Tuple() if len(first.items) == len(second.items):
            return Tuple(tuple(map(join, first.items, second.items)))
        case Array(), Array():
            return Array(
                first.dtype if first.dtype == second.dtype else None,
                first.memory | second.memory,
                first.views | second.views,
            )
        case Optimizer(), Optimizer():
            return Optimizer(first.nodes | second.nodes)
    return _join_kinds(first, second)


def _join_kinds(first: Value, second: Value) -> Value:
    for one, other in ((first, second), (second, first)):
        if isinstance(one, Unknown) or one == NONE:
            return other
    if (devices := _join_devices(first, second)) is not None:
        return devices
    for one, other in ((first, second), (second, first)):
        if isinstance(one, (Plain, Const, Flag)) and not isinstance(other, (Plain, Const, Flag)):
            return other
        if isinstance(one, Opaque):
            return other
    if isinstance(first, (Plain, Const, Flag)):
        return PLAIN
    if isinstance(first, _CALLABLES) and isinstance(second, _CALLABLES):
        return one_of((*options(first), *options(second)))
    return _join_containers(first, second)


def _join_containers(first: Value, second: Value) -> Value:
    if isinstance(first, Tensor) or isinstance(second, Tensor):
        tensors = (*tensors_in(first), *tensors_in(second))
        if tensors_in(first) and tensors_in(second):
            nodes = frozenset().union(*(t.nodes for t in tensors))
            return Tensor(nodes, plain=False)
    elif isinstance(first, _CONTAINERS) and isinstance(second, _CONTAINERS):
        return Stream(_shallow(join(element(first), element(second))))
    return Unknown("different kinds of value")


def _shallow(value: Value, depth: int = 4) -> Value:
    """Streams of streams of … end somewhere: recursive data has no deeper shape than this."""
    if not isinstance(value, Stream):
        return value
    return Stream(_shallow(value.element, depth - 1)) if depth else Unknown("deeply nested")


def _join_devices(first: Value, second: Value) -> Device | None:
    """``"cuda"`` in one branch and ``"cpu"`` in the other is a choice of device."""
    if not any(isinstance(v, (Device, Const)) for v in (first, second)):
        return None
    left = as_device(first) if not _is_number(first) else None
    right = as_device(second) if not _is_number(second) else None
    if left is None or right is None:
        return None
    if left.label is right.label and left.label is not None:
        return Device(left.label, agnostic=left.agnostic and right.agnostic)
    if left.label is None or right.label is None:
        return Device(None, left.nodes | right.nodes)
    return Device(Label.TARGET)


def _is_number(value: Value) -> bool:
    return isinstance(value, Const) and not isinstance(value.value, str)


def options(value: Value) -> tuple[Value, ...]:
    """The callables that ``value`` may be."""
    return value.options if isinstance(value, OneOf) else (value,)


def one_of(values: Iterable[Value]) -> Value:
    """A choice between callables; a long one is not worth following."""
    unique = tuple(dict.fromkeys(values))
    if len(unique) == 1:
        return unique[0]
    return OneOf(unique) if len(unique) <= 6 else Unknown("many callables")


def join_all(values: Iterable[Value | None]) -> Value:
    """The join of all of them; ``Unknown`` for none."""
    result: Value | None = None
    for value in values:
        if value is not None:
            result = join(result, value)
    return result if result is not None else Unknown()


def element(value: Value) -> Value | None:
    """What iterating ``value`` yields, or None where that is not known."""
    match value:
        case Tuple(items=items):
            return join_all(items) if items else PLAIN
        case Listing(records=records):
            return join_all(r.element for r in records)
        case Stream(element=inner) | Loader(element=inner) | Dataset(element=inner):
            return inner
        case Tensor():
            return Tensor(value.nodes, value.dtype, False, value.born, value.plain)
        case Opaque():
            return Opaque(value.parameter, part=True)
        case Array():
            return Array(value.dtype, value.memory, value.views)
        case Mapping(records=records):
            return PLAIN if records else None
        case Plain() | Const():
            return PLAIN
        case _:
            return None


def tensors_in(value: Value, depth: int = 4) -> tuple[Tensor, ...]:
    """All tensors inside ``value``: itself, or the leaves of containers."""
    match value:
        case Tensor():
            return (value,)
        case Tuple(items=items):
            parts: Iterable[Value] = items
        case Listing(records=records):
            parts = [r.element for r in records if r.element is not None]
        case Mapping(records=mappings):
            parts = [v for r in mappings for v in (*r.items.values(), r.element) if v is not None]
        case Stream(element=inner):
            parts = (inner,)
        case _:
            return ()
    return tuple(t for part in parts for t in tensors_in(part, depth - 1)) if depth else ()


def parts_in(value: Value, depth: int = 4) -> tuple[Value, ...]:
    """All leaves of containers, or the value itself."""
    match value:
        case Tuple(items=items):
            parts: Iterable[Value] = items
        case Listing(records=records):
            parts = [v for r in records for v in (r.items or (r.element,)) if v is not None]
        case Mapping(records=mappings):
            parts = [v for r in mappings for v in (*r.items.values(), r.element) if v is not None]
        case Stream(element=inner):
            parts = (inner,)
        case _:
            return (value,)
    return tuple(t for part in parts for t in parts_in(part, depth - 1)) if depth else ()
