"""What an expression can be, as far as placement cares.

A value is a kind (tensor, module, array, device, container of …) with what placement needs to know
about it. Values are immutable; what Python mutates (lists, dicts, instances) are *records* that
values refer to, and records only ever grow: evaluation repeats until nothing changes.

Those that hold neither values nor records can have no part in a circle of references: the garbage
collector need not look at them (``gc=False``).
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct, field

from devicefix.flow.graph import HOST_NODE, Label
from devicefix.source.program import WHOLE, unnoted
from devicefix.source.walking import walk

if TYPE_CHECKING:
    from devicefix.flow.frame import Frame
    from devicefix.flow.observations import Occurrence
    from devicefix.source import Source


class Beside(Struct, frozen=True, gc=False):
    """What else a value may be: what it was joined with and what says less than it does.

    Of that only so much is kept as somebody asks for.
    """

    none: bool = False
    other: bool = False
    """A number, a string."""
    options: frozenset[str] = frozenset()
    """An option of the user, of one of these names."""
    vague: bool = False
    """Something that was not seen, or that somebody hands over."""
    doubt: str = ""
    """Why nobody knows where it is."""
    unseen: Unknown | None = None
    """What is known of what was not seen."""
    capped: frozenset[str] = frozenset()
    """Of what there were too many, or too deep: nothing of that kind is kept any more."""


ALONE = Beside()


class Value(Struct, frozen=True, kw_only=True):
    """Base of all abstract values.

    One that says itself what it is equal to says so for ``!=``, too: structs have their own.
    """

    beside: Beside = ALONE


class Unknown(Value, frozen=True, gc=False):
    """Nothing is known; ``reason`` says which code would have to be seen."""

    reason: str = ""
    near: frozenset[int] = frozenset()
    """Nodes of the tensors that this code was given."""
    foreign: bool = False
    """A package made it of which nobody knows whether it has to do with torch."""
    torch: bool = False
    """Surely something of torch: a part of a module that was not seen, by annotation a layer."""
    place: frozenset[int] = frozenset()
    """Each tensor in it lives where one of these nodes does; none: anywhere."""


class Either(Unknown, frozen=True, eq=False, gc=True):
    """One of several kinds of value: a tensor or an array, say; which one, only a test tells.

    To whoever does not ask what it may be it is unknown. ``kinds`` has one value of each kind.
    """

    kinds: tuple[Value, ...] = ()

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Either)
            and self.beside == other.beside
            and frozenset(self.kinds) == frozenset(other.kinds)
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(frozenset(self.kinds))


class Plain(Value, frozen=True, eq=False, gc=False):
    """Surely no tensor, module or array: numbers, strings, files, configuration."""

    choice: bool = False
    """Read from the command line or a configuration: as a device it is the user's choice."""
    options: frozenset[str] = frozenset()
    """What the options that it may be read from are called: ``device`` of ``args.device``; empty
    is one without a name. All are equal."""
    reads: bool = False
    """An object of a library that reads tensors on the host: a figure, an image."""
    text: bool = False
    """Surely a string: what is added to it is one, too."""
    number: bool = False
    """Surely a number: a tensor made of it has no dimensions."""
    sizes: bool = False
    """Surely a sequence of numbers: ``x.shape``."""
    storage: bool = False
    """The memory of a tensor: it can be moved, but it is no tensor."""

    @property
    def option(self) -> str:
        """The name of the option that it surely is read from, where that is known."""
        return next(iter(self.options)) if self.choice and len(self.options) == 1 else ""

    def _compared(self) -> tuple[object, ...]:
        said = (self.text, self.number, self.sizes)
        return self.choice, self.reads, *said, self.storage, self.beside

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plain) and self._compared() == other._compared()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._compared())


class Const(Value, frozen=True, eq=False, gc=False):
    """A literal whose value matters: None, numbers, strings, booleans."""

    value: object
    written: frozenset[ast.Constant] = frozenset()
    """Where the name of an accelerator stands in the program; wherever that is, it is equal."""

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Const)
            and (self.value is other.value or self.value == other.value)
            and self.beside == other.beside
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.value)


class Flag(Value, frozen=True, gc=False):
    """A truth value that holds exactly where an accelerator is there (or where it is not)."""

    holds: bool = True
    pure: bool = True
    """Nothing but the accelerator decides: no option of the user can switch it off."""


class Residence(Value, frozen=True, gc=False):
    """``x.is_cuda``: true where these nodes live on the device."""

    nodes: frozenset[int]


class Device(Value, frozen=True, eq=False, gc=False):
    """A ``torch.device``, or a string used as one."""

    label: Label | None
    nodes: frozenset[int] = frozenset()
    """``x.device``: wherever these nodes live (``label`` is None then; without nodes: nowhere)."""
    agnostic: bool = True
    """Right on a machine without CUDA, too: no accelerator is named that has to be there."""
    optional: bool = False
    """The CPU is among what it may be: whoever has no accelerator chooses that."""
    typed: bool = True
    """Surely a ``torch.device``, which has a ``.type``, and no string or number."""
    number: bool = False
    """It may be the number of an accelerator: not everything that takes a device takes that."""
    written: frozenset[ast.expr] = frozenset()
    """Where strings stand that name it, and nothing else does: ``"cuda"``, ``f"cuda:{rank}"``;
    wherever they do, it is equal."""
    gpu: str = ""
    """Which of several accelerators: its number, or the option it comes from; empty: any."""
    origins: frozenset[ast.expr | str] = frozenset()
    """What decides which device it is: strings of the program, options of the user by their names,
    calls of ``torch.device`` with what was not seen; none: the machine."""
    named: Label | None = None
    """What is named that it may be, too, where it is the device of ``nodes``."""

    def _compared(self) -> tuple[object, ...]:
        agnostic = self.agnostic, self.optional
        named = self.gpu, self.origins, self.named
        return self.label, self.nodes, agnostic, self.typed, self.number, named, self.beside

    @property
    def places(self) -> frozenset[int]:
        """The nodes that live there."""
        host = self.nodes and self.named is Label.HOST
        return self.nodes | {HOST_NODE} if host else self.nodes

    @property
    def runs_anywhere(self) -> bool:
        """Right on a machine without CUDA, or chosen by who runs the program."""
        return self.agnostic or self.optional

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and self._compared() == other._compared()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._compared())


class Dtype(Value, frozen=True, gc=False):
    """A ``torch.dtype`` or NumPy one, by its torch name (``float32``)."""

    name: str


class Flat(enum.IntEnum):
    """Whether a tensor has one dimension."""

    NO = 0
    """It has another number of them, or nobody knows."""
    OPEN = 1
    """It is made of data that nobody has seen, one by one: nothing speaks against it."""
    LIKELY = 2
    """Some of what it may be surely has, and nothing speaks against the rest."""
    SURE = 3
    SINGLE = 4
    """It surely has, of length 1."""


class Tensor(Value, frozen=True, gc=False):
    """A tensor, or a tuple of tensors that live together.

    ``nodes`` are the graph nodes that may reach here; none means a tensor at an unknown place.
    """

    nodes: frozenset[int]
    dtype: str | None = None
    scalar: bool = False
    """Surely 0-dim: may be an input of a pointwise op beside device tensors."""
    born: ast.expr | None = None
    """The expression that gave it its dtype."""
    raw: bool = True
    """Straight host data: no arithmetic of the program has touched it since it was read."""
    parameter: bool = False
    """Surely an ``nn.Parameter`` or buffer on its way into a module."""
    leaf: bool = False
    """It may have been made with ``requires_grad=True``, or be a parameter on some paths."""
    near: frozenset[int] = frozenset()
    """Where it comes from is not known; unknown code that was given these nodes has a part in it.

    When the host reads it, that is reason enough for ``.cpu()``, which is right wherever it lives.
    """
    constant: bool = False
    """Surely no part of a graph of gradients: nothing that learns has a part in it."""
    computed: bool = False
    """Arithmetic made it of what its nodes stand for: it shares no memory with that."""
    flat: Flat = Flat.NO
    parts: tuple[frozenset[int], ...] = ()
    """What a dataset that nobody has seen gives may be a list: the nodes of its items, then, and of
    what these hold."""

    @property
    def maybe(self) -> str:
        """What else it may be at run time: ``none``, or ``other`` (a number, an array).

        Nothing can be written behind it then.
        """
        beside = self.beside
        return "other" if beside.other or beside.options else "none" if beside.none else ""

    @property
    def certain(self) -> bool:
        """Surely a tensor (or None): no branch makes it a number or something not seen."""
        beside = self.beside
        return not (beside.vague or beside.other or beside.options or beside.capped)

    @property
    def doubt(self) -> str:
        """Another branch has something that was not seen in its place; this is why."""
        return max((self.beside.doubt, *self.beside.capped))

    @property
    def elsewhere(self) -> frozenset[int]:
        """Where it lives if it is what was not seen; none: anywhere."""
        unseen = self.beside.unseen
        return unseen.place if unseen is not None and not self.beside.capped else frozenset()

    @property
    def doubted(self) -> Beside:
        """What is left of its doubt in what is made of it."""
        return Beside(doubt=self.doubt, unseen=self.beside.unseen if self.elsewhere else None)

    def at(self, node: int) -> Tensor:
        """The same tensor, living where ``node`` does, which stands for it alone."""
        return Tensor(
            frozenset((node,)),
            self.dtype,
            self.scalar,
            self.born,
            self.raw,
            self.parameter,
            self.leaf,
            self.near,
            self.constant,
            flat=self.flat,
            beside=self.beside,
        )


class Array(Value, frozen=True, gc=False):
    """A NumPy array; always on the host."""

    dtype: str | None = None
    memory: frozenset[int] = frozenset()
    """Numbers of the buffers that it may look into."""
    views: frozenset[int] = frozenset()
    """Nodes of the tensors whose memory it shows (``x.numpy()``)."""
    least: int | None = None
    """It surely is an array with at least so many dimensions; None: it may be a NumPy scalar."""
    flat: Flat = Flat.OPEN


class Parameter(Struct, eq=False):
    """A parameter of a function that nobody calls here: what its uses say about it."""

    name: str
    """Of something that has ``arrived``: why it is not known."""
    frame: Frame
    asked: set[str] = field(default_factory=set)
    """The attributes that are asked of it."""
    tensor: bool = False
    """It was used as only a tensor can be."""
    optional: bool = False
    """A layer got it where it takes None, or a tuple of tensors, as well."""
    declared: bool = False
    """Its annotation says that it is one, or the engine of autograd brings it."""
    shown: set[ast.AST] = field(default_factory=set)
    """The expressions that would fail if it was none, but an array of NumPy, say."""
    sifted: bool = False
    """The program asks whether it is one."""
    placed: bool = False
    """It has a ``device``."""
    shaped: bool = False
    """It has a ``shape``."""
    sized: bool = False
    """It has a method ``size``, which numbers and arrays have not."""
    ranked: bool = False
    """It has at least one dimension, as tensors and arrays have: ``x.shape[0]``, ``x[:, 1]``."""
    arrayed: bool = False
    """It has a method that only tensors and arrays have."""
    module: bool = False
    weights: bool = False
    """The function goes on with the parameters that it has."""
    given: set[int] = field(default_factory=set)
    """The nodes of what it is called with."""
    moved: bool = False
    """The function moves it itself: it may come from anywhere."""
    arrived: bool = False
    """It is no parameter: nobody knows what it is, but the program has brought it to ``node``."""
    node: int = -1


class Opaque(Value, frozen=True):
    """The value of such a parameter, or a part of it."""

    parameter: Parameter
    part: bool = False


class Record(Struct, eq=False):
    """Something that Python mutates; each is itself and equal to no other.

    Sets of records are walked in the order of their hashes: ``serial`` makes that the same in every
    run.
    """

    serial: int

    def __hash__(self) -> int:
        return self.serial


class ListRecord(Record, eq=False):
    """A list, set, deque or iterator: what its elements may be."""

    element: Value | None = None
    items: tuple[Value, ...] | None = None
    """The exact items, while nobody has changed the list."""
    reordered: bool = False
    """Its items came in another order once, or some were taken out."""


class DictRecord(Record, eq=False):
    """A dict: what is under constant keys, and what is under any other."""

    items: dict[object, Value] = field(default_factory=dict)
    element: Value | None = None
    shows: set[ObjectRecord] = field(default_factory=set)
    """The objects whose attributes it holds: ``vars(x)``, ``x.__dict__``."""
    reordered: bool = False
    """Something was taken out of it: what is the first of it now is not what was put in first."""
    renewed: bool = False
    """A batch: each step of the loop over its loader has another one."""
    perhaps: set[object] = field(default_factory=set)
    """The keys that were put into it on some paths only."""


class ClassRecord(Struct, eq=False):
    """A class of the analysed program."""

    name: str
    tree: ast.ClassDef
    frame: Frame
    bases: tuple[Value, ...]
    attributes: dict[str, Value]
    """What its body binds."""
    assigned: dict[str, Value] = field(default_factory=dict)
    """What ``Cls.name = value`` elsewhere makes of them as well."""
    exchanged: dict[str, Unknown] = field(default_factory=dict)
    """Methods that the program exchanges for others."""
    metaclass: ClassRecord | None = None
    """The class of the program whose object it is."""
    fields: frozenset[str] = frozenset()
    """Of ``attributes``, what only instances have: a dataclass takes fields without a default off
    the class. https://docs.python.org/3/library/dataclasses.html#dataclasses.field"""
    transforms: bool = False
    """Its objects are transforms of a dataset: it calls them on the CPU."""
    line: tuple[ClassRecord, ...] | None = None
    """Its `ancestry`, once somebody has asked; None again where that has changed."""

    def ancestry(self) -> tuple[ClassRecord, ...]:
        """The class and its bases of the program, in the order in which methods are looked for.

        https://docs.python.org/3/howto/mro.html
        """
        return self.line if self.line is not None else self._ancestry(())

    def _ancestry(self, below: tuple[ClassRecord, ...]) -> tuple[ClassRecord, ...]:
        """``below``: the classes that are being asked, of which none is a base again."""
        if self.line is not None:
            return self.line
        bases = [base.record for base in self.bases if isinstance(base, Class)]
        inner = (*below, self)
        parents = [base for base in dict.fromkeys(bases) if base not in inner]
        lines = [*(list(base._ancestry(inner)) for base in parents), parents]
        found = [self]
        while lines := [line for line in lines if line]:
            free = (a[0] for a in lines if all(a[0] not in line[1:] for line in lines))
            found.append(next(free, lines[0][0]))
            lines = [[cls for cls in line if cls is not found[-1]] for line in lines]
        self.line = tuple(found)
        return self.line

    def library_bases(self) -> tuple[str, ...]:
        """Canonical names of the bases that the program imports."""
        return tuple(
            base.name
            for record in self.ancestry()
            for base in record.bases
            if isinstance(base, External)
        )

    def lookup(self, name: str) -> Value | None:
        """What ``name`` is in the class, or in the nearest base that has it."""
        if name in self.attributes:
            return self.attributes[name]
        return next((r.attributes[name] for r in self.ancestry() if name in r.attributes), None)

    def of_metaclass(self, name: str) -> Value | None:
        """What ``name`` is in the class whose object it is."""
        found = (cls.metaclass.lookup(name) for cls in self.ancestry() if cls.metaclass is not None)
        return next((value for value in found if value is not None), None)


class ObjectRecord(Record, eq=False):
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
    weights: bool = False
    """It surely has parameters: the first of them tells where it is."""
    parent: ObjectRecord | None = None
    lenders: set[ObjectRecord] = field(default_factory=set)
    """Modules whose parts it holds as well: these belong to them, and move with them."""
    children: list[Value] = field(default_factory=list)
    added: list[Value] = field(default_factory=list)
    """Those that were put in after it was made, in any pass."""
    attributes: dict[str, Value] = field(default_factory=dict)
    patterns: set[str] = field(default_factory=set)
    """Of ``attributes``, the keys that stand for names that are computed: ``conv*``."""
    wraps: set[Record] = field(default_factory=set)
    """The lists and dicts whose parameters it was made to hold."""
    unregistered: set[ObjectRecord] = field(default_factory=set)
    """The modules that were put into its ``__dict__``: they are no parts of it."""
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
    split: bool = False
    """The program moves some of its layers to the accelerator, and others not."""
    framework: bool = False
    """A framework (Lightning) moves it and its batches."""
    namespace: bool = False
    """Options of the command line: attributes that nobody sets are the user's choice."""
    origin: ObjectRecord | None = None
    """The module that it is a deep copy of."""
    generic: bool = False
    """It stands for all instances of a class that this program never makes."""
    unmoved: dict[str, Value] = field(default_factory=dict)
    """Tensors that will travel with it, as its constructor finds them."""
    registered: set[str] = field(default_factory=set)
    """Attributes that the program registers as buffers or parameters."""
    travels: dict[str, bool] = field(default_factory=dict)
    """Attributes that were given a parameter or a buffer, and whether never anything else."""
    parts: dict[str, bool] = field(default_factory=dict)
    """Attributes that were given a module, and whether never anything else."""
    keeper: bool = False
    """What ``forward`` of an autograd function leaves for ``backward``: ``ctx``."""
    reordered: bool = False
    """Some of its parts are exchanged by their numbers."""
    parametrized: dict[str, list[ObjectRecord]] = field(default_factory=dict)
    """The modules of the program that compute its parameters of these names on each access."""
    recomputed: bool = False
    """Its weights are computed anew from others: ``weight_norm``."""
    cast: bool = False
    """The program changes the dtype of its parameters and buffers."""
    moved_to: set[Label] = field(default_factory=set)
    """Where the program moves it, in any pass."""
    scatters: bool = False
    """It brings its inputs to the device itself."""
    late: bool = False
    """It became a part of its parent when that had been made, and possibly moved, already."""
    before: bool = False
    """It was used before it became a part of its parent."""
    beside: bool = False
    """It may be used without its parent."""
    late_weights: set[int] = field(default_factory=set)
    """The nodes of the parameters and buffers that it got when it had been made already."""
    settled: bool = False
    """A constructor moves it: it is there while its owner is still being built."""
    unfollowed: str = ""
    """Why nobody knows which methods it has."""

    @property
    def entry(self) -> Value | None:
        """What of its class runs where it is called: ``forward`` of a module, unless the class has
        a ``__call__`` that does not go on to the one of a base."""
        own = self.cls.lookup("__call__") if self.cls is not None else None
        if self.cls is None or not self.module or isinstance(own, Unknown):
            return own
        final = isinstance(own, Function) and not _goes_on(own.tree)
        return own if final else self.cls.lookup("forward")

    @property
    def root(self) -> ObjectRecord:
        record = self
        if record.parent is not None:
            for _ in range(50):
                record = record.parent
                if record.parent is None:
                    break
        return record


class Instance(Value, frozen=True):
    """One of these objects."""

    records: frozenset[ObjectRecord]

    @property
    def modules(self) -> tuple[ObjectRecord, ...]:
        return tuple([r for r in self.records if r.module])


class Listing(Value, frozen=True):
    """One of these lists."""

    records: frozenset[ListRecord]


class Mapping(Value, frozen=True):
    """One of these dicts."""

    records: frozenset[DictRecord]


class Tuple(Value, frozen=True):
    """A tuple whose length is known."""

    items: tuple[Value, ...]
    names: tuple[str, ...] = ()
    """Those of the items, in a named tuple."""
    listed: bool | None = False
    """Whether it is a list in fact; None where it may be one."""


class TupleClass(Value, frozen=True):
    """``namedtuple("Step", "state action")``: calling it gives a named tuple."""

    names: tuple[str, ...]


class Stream(Value, frozen=True):
    """Anything that is iterated: generators, ``zip``, ``enumerate``, ``range``."""

    element: Value


class Dataset(Value, frozen=True):
    """A dataset of the library; ``element`` is one sample, always on the host."""

    element: Value
    table: Tensor | None = None
    """What attributes hold all samples, if they do: ``train.data``, ``train.targets``."""


class Loader(Value, frozen=True):
    """A ``DataLoader``; ``element`` is one batch, always on the host."""

    element: Value
    dataset: Value


class Optimizer(Value, frozen=True):
    """An optimizer or scheduler; ``nodes`` are those of its parameters."""

    nodes: frozenset[int] = frozenset()
    made: frozenset[ast.Call] = frozenset()
    """The calls that may have made it; none for schedulers."""


class Generator(Value, frozen=True):
    """A ``torch.Generator``: what it draws has to be made on its device."""

    device: Device


class External(Value, frozen=True, gc=False):
    """A name of a library by its canonical dotted name: module, class or function."""

    name: str


def _goes_on(call: ast.AST) -> bool:
    """``super().__call__(x)``."""
    return any(isinstance(n, ast.Attribute) and n.attr == "__call__" for n in walk(call))


class Function(Value, frozen=True, eq=False):
    """A function or lambda of the program with its defining frame.

    Each pass over the program evaluates the frame anew: what it defines then is the same function.
    """

    tree: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    frame: Frame
    owner: ClassRecord | None = None
    kind: str = "function"
    """function, staticmethod, classmethod or property."""
    setter: Function | None = None
    """Of a property: what takes what is assigned."""

    def as_kind(self, kind: str) -> Function:
        """The same function as what ``staticmethod`` and its like make of it."""
        return Function(self.tree, self.frame, self.owner, kind, self.setter, beside=self.beside)

    def as_property(self, setter: Function | None) -> Function:
        """The property that this function reads, and ``setter`` writes."""
        return Function(self.tree, self.frame, self.owner, "property", setter, beside=self.beside)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Function)
            and self.tree is other.tree
            and self.beside == other.beside
            and (self.frame is other.frame or self.frame.identity == other.frame.identity)
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((id(self.tree), self.frame.identity))


class Class(Value, frozen=True):
    """A class of the program."""

    record: ClassRecord


class Bound(Value, frozen=True):
    """A method with its receiver."""

    receiver: Value
    name: str
    function: Function | None = None


class Partial(Value, frozen=True):
    """``functools.partial`` of a callable."""

    function: Value
    args: tuple[Value, ...]
    keywords: tuple[tuple[str | None, Value], ...]
    """By name; None for what is spread."""


class FileRecord(Struct, eq=False):
    """One file of the program as evaluation goes through it."""

    path: str
    package: bool
    """It is the ``__init__.py`` of a package."""
    owned: bool
    """It may be edited; else it is only read, when something of it is used."""
    text: Source | None = None
    """What is in it; None as long as nothing of it is used."""
    frame: Frame | None = None
    """Its top level in this pass; None until it is reached."""
    starred: set[str] = field(default_factory=set)
    """Names that ``from … import *`` brings."""
    spread: bool = False
    """Another file takes all of its public names by ``from … import *``."""
    imported: bool = False
    """Another file of the program imports it: what it defines has to work there, too."""
    runs: bool = False
    """Running it uses a module on data."""
    chooses: bool = False
    """It binds a device of its own to some name."""
    noted: Callable[[str, str], None] = unnoted
    """As in `Program`."""

    @property
    def source(self) -> Source:
        """What is in the file, which was read by now."""
        self.note(WHOLE)
        assert self.text is not None
        return self.text

    def note(self, name: str) -> None:
        """Something depends on what the file says of ``name``; one that is owned is known whole."""
        if not self.owned:
            self.noted(self.path, name)


class File(Value, frozen=True):
    """A file of the program, imported as a module of Python."""

    record: FileRecord


class Folder(Value, frozen=True):
    """A folder of the program that is imported and has no ``__init__.py``."""

    importer: str
    dotted: str
    level: int


class Import(Value, frozen=True):
    """A name that another file defines, looked up when it is used."""

    record: FileRecord
    name: str


class OneOf(Value, frozen=True, eq=False):
    """One of a few callables."""

    options: tuple[Value, ...]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OneOf)
            and self.beside == other.beside
            and frozenset(self.options) == frozenset(other.options)
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(frozenset(self.options))


BOTTOM = Unknown()
"""Nothing yet: joined with a value it is that value."""
NONE = Const(None)
RECURSIVE = "a recursive call"
"""Why a result is unknown: it is being computed, and whoever else gives it decides what it is."""
OWN_NAME = "one of the program's own names"
"""Why ``globals()[name]`` is unknown: as a function it is right beside an accelerator by itself."""
LOST = "a tensor whose device is unknown"
"""Why what is beside it may be in the wrong place after a move."""
PLAIN = Plain()
TEXT = Plain(text=True)
NUMBER = Plain(number=True)
SIZES = Plain(sizes=True)
_ACCELERATORS = ("cuda", "mps", "xpu", "hip")


def is_accelerator_string(value: object) -> bool:
    """``"cuda"``, ``"cuda:1"``, ``"mps"`` …"""
    return isinstance(value, str) and value.split(":")[0] in _ACCELERATORS


def is_text(value: Value) -> bool:
    """Whether it surely is a string."""
    if isinstance(value, Plain):
        return value.text
    return isinstance(value, Const) and isinstance(value.value, str)


def is_number(value: Value) -> bool:
    """Whether it surely is a number."""
    if isinstance(value, Plain):
        return value.number
    return isinstance(value, Const) and isinstance(value.value, (int, float, bool, complex))


def is_open(value: Value | None) -> bool:
    """Whether a caller that nobody has seen hands it in."""
    return isinstance(value, Opaque) and not value.parameter.arrived


def nodes_of(value: Value | None) -> frozenset[int]:
    """Where a tensor is, or what a caller hands in that may be one."""
    if isinstance(value, Opaque):
        return frozenset((value.parameter.node,))
    return value.nodes if isinstance(value, Tensor) else frozenset()


def is_none(value: Value | None) -> bool:
    """Whether it is None, as far as is known."""
    return isinstance(value, Const) and value.value is None


def as_device(value: Value) -> Device | None:
    """``value`` where a device is expected, or None where it is none."""
    match value:
        case Device():
            return value
        case Const(value=text, written=written) if is_accelerator_string(text):
            gpu = str(text).partition(":")[2]
            return Device(
                Label.TARGET,
                agnostic=False,
                typed=False,
                written=written,
                gpu=gpu,
                origins=frozenset(written),
            )
        case Const(value=str() as text) if text.split(":")[0] == "cpu":
            return Device(Label.HOST, typed=False)
        case Const(value=str() as text) if text.split(":")[0] == "meta":
            return Device(None, typed=False)
        case Const(value=int() as index) if not isinstance(index, bool):
            return Device(Label.TARGET, agnostic=False, typed=False, number=True, gpu=str(index))
        case Plain(choice=True, options=options):
            return Device(Label.TARGET, typed=False, origins=options or frozenset(("",)))
        case _:
            return None
