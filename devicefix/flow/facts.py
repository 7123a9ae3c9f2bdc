"""What flow tells codemods about a file: chosen transfers, calls, guards, literals, dtypes."""

from __future__ import annotations

import ast
import enum
from collections.abc import Mapping, Set

from msgspec import Struct, field

from devicefix.findings import CudaUse, Span
from devicefix.flow.legacy_facts import Belief, OldImport, Ungraded, Wrapping
from devicefix.flow.observations import DtypeClash
from devicefix.source import Source
from devicefix.source.parsing import Parents


class Offence(enum.Enum):
    """What is wrong at a place where a transfer is missing."""

    MODULE = "a module that is never moved"
    BATCH = "a batch that is never moved to the device"
    FACTORY = "a tensor made without a device"
    HELPER = "a tensor made in a helper that takes no device"
    DATA = "CPU data that is never moved"
    BUFFER = "a tensor attribute that does not move with its module"
    LOSS = "a loss weight that stays on the CPU"
    OPERAND = "an operand on another device"
    HOST_READ = "a device tensor that is read on the CPU"
    HOST_ARGUMENT = "an argument that has to be on the CPU"


class DeviceName(Struct, frozen=True):
    """How the device is written at one place.

    ``preamble`` is the name that has to be defined at the top of the program first (empty: none).
    """

    text: str
    preamble: str = ""
    flag: str = ""
    """The condition under which the program wants an accelerator; empty: where there is one."""
    follows: bool = False
    """It is where a tensor or module at hand is: right whatever the user has chosen."""
    typed: bool = True
    """It is surely a ``torch.device``, which has a ``.type``, and no string."""
    index: str = ""
    """Which of several accelerators the program takes, as it is written; empty: the current one."""
    anchor: ast.stmt | None = None
    """The statement after which ``preamble`` can be defined; None: after the imports.

    An ``if __name__ == "__main__":`` holds every place that needs it: there it goes to the top;
    so it does in a function.
    """
    home: Source | None = None
    """The file of ``anchor``, if that is another one than that of the place."""
    value: str = ""
    """What ``preamble`` is set to; empty: the device that the settings choose."""
    passed: ast.AST | None = None
    """The function that gets the name as a new parameter; see `FileFacts.parameters`."""
    late: ast.Assign | None = None
    """The statement that defines ``preamble`` further down, and is to be moved up."""
    question: str = ""
    """What ``flag`` asks, however that is written; see `Decider.question`."""


class Argument(Struct, frozen=True):
    """What one call passes for a new parameter."""

    source: Source
    torch: str
    """The name under which that file imports torch; empty where it does not."""
    call: ast.Call
    device: DeviceName


class Parameter(Struct, frozen=True):
    """A parameter for the device, None by default, and the calls that pass it."""

    source: Source
    function: ast.AST
    name: str
    arguments: tuple[Argument, ...]


class Transfer(Struct, frozen=True):
    """One transfer that the cheapest consistent placement needs."""

    offence: Offence
    tree: ast.AST
    """The factory call, the expression, or the statement after which a name is rebound."""
    keyword: bool
    """``device=`` on ``tree`` instead of ``.to(device)`` behind it."""
    name: str
    """The name that a new statement rebinds; empty where an expression is wrapped."""
    device: DeviceName | None
    """None for ``.cpu()``."""
    group: str
    blocked: str
    """Why a person has to decide; empty where the fix is safe."""
    unsafe: str
    """Which code that was not seen decides; empty where none does."""
    pinned: bool = False
    """What is transferred comes from pinned memory: the transfer need not block."""
    each: bool = False
    """``tree`` is a tuple of tensors, and each of them is moved."""


class Kind(enum.Enum):
    """What ``.cuda()`` or ``.to()`` was called on."""

    TORCH = "torch"
    """A tensor, a module, or something of torch that travels."""
    OVERRIDDEN = "overridden"
    """A module, of a class of the program whose ``cuda`` does more than torch's, or perhaps so:
    ``.to(device)`` would not call that."""
    OWN = "own"
    """An object of the program whose ``cuda`` only moves what it holds; see `OwnMove`."""
    OTHER = "other"
    """Surely something else with a method of that name."""
    STORAGE = "storage"
    """The memory of a tensor, perhaps: it has no ``.to(device)``."""
    UNKNOWN = "unknown"


class OwnMove(Struct, frozen=True):
    """A method ``cuda(self)`` that does nothing but move what an object holds.

    With ``to(self, device)`` in its place, its moves and its calls take a device as modules do.
    """

    source: Source
    function: ast.FunctionDef
    moves: frozenset[ast.Call]
    """Those in it."""
    calls: frozenset[ast.Call]
    """All calls of it."""


class Leaf(enum.Enum):
    """How a leaf was made that is moved at once."""

    WRAPPED = "Parameter(x)"
    FACTORY = "torch.zeros(n, requires_grad=True)"
    DRAWN = "torch.randn(n, requires_grad=True)"
    SWITCHED = "x.requires_grad_()"


class TransferCall(Struct, frozen=True):
    """A call of ``.cuda()``, ``.to()``, ``.cpu()`` … in the program."""

    call: ast.Call
    kind: Kind
    surely_tensor: bool
    """The receiver is a tensor (``.to()`` returns a new one) and cannot be a module."""
    only_moves: bool
    """It surely moves a tensor and does not change its dtype."""
    bound_to_stay: bool
    """The tensor is a leaf, or written in place: a moved copy would be another tensor."""
    device: DeviceName | None
    """What names the device there; None where nothing does."""
    probes: bool = False
    """Its failure is caught: this is how the program asks for CUDA."""
    leaf: Leaf | None = None
    """The receiver is a leaf that nothing else holds: on a device the result is none."""
    joins: bool = False
    """A method of a module other than its constructor sets an attribute to the result."""
    keeps_dtype: bool = False
    """What it is called on surely has the dtype already that ``x.type(…)`` asks for."""
    keeps_index: bool = True
    """The device is surely the one of ``.cuda(index)``."""
    spent: bool = False
    """It is a statement, and nothing reads the name of the receiver afterwards."""
    condition: str = ""
    """The condition around it that does nothing but move, as it reads; empty: there is none."""
    asked: bool = False
    """It is reached where there is CUDA only, and nothing names its device but what asks that."""
    stateless: bool = False
    """The receiver surely is a layer or loss of torch without parameters and buffers."""
    needless: bool = False
    """It is there in every run: the program has brought it, or made it like what it then meets; or
    it is at once sent on to where it has to be."""
    own: OwnMove | None = None
    """The method of the program that the call is in, or that it calls."""


class Route(Struct, frozen=True):
    """One transfer of a tensor to the device, as the program has it now."""

    call: ast.Call
    factory: ast.Call | None
    """The receiver, where it is made on the host for nothing else."""
    names: frozenset[str]
    """Canonical names of that factory."""
    again: ast.Call | None
    """The transfer that has brought the tensor to the same place before."""
    pinned: bool
    """The tensor comes from pinned memory."""
    loop: ast.stmt | None
    """The loop that transfers the same host tensor in every iteration."""


class Wait(Struct, frozen=True):
    """A read of a device tensor in every iteration of a loop."""

    call: ast.Call
    loop: ast.stmt


class Timing(Struct, frozen=True):
    """A difference of two readings of a clock, with device work between them that may not be done
    when the second one is taken."""

    difference: ast.BinOp
    work: ast.AST
    """What gives the device the work."""


class UnfinishedCopy(Struct, frozen=True):
    """A copy to the host that does not block, and is read before anything has waited for it."""

    call: ast.Call
    read: ast.AST


class Staleness(enum.Enum):
    """How an optimizer came to be older than its parameters."""

    BUILT = "its constructor created state where the parameters were"
    LOADED = "its state was loaded to where the parameters were"
    REPLACED = "a module was replaced by one whose parameters it does not have"


class StaleOptimizer(Struct, frozen=True):
    """An optimizer whose parameters have moved, or have been exchanged, since it was made."""

    call: ast.Call
    """Its constructor."""
    made: ast.expr
    """What made its state."""
    change: ast.expr
    """What moves the module, or the attribute that gets another one."""
    how: Staleness


class Use(enum.Enum):
    """What the program does with what a call gives, where that is not the same on all devices."""

    HOST = "read on the CPU"
    """It has to be a tensor of the host: a random state, what NumPy reads."""
    STATE = "state of an optimizer"
    """An optimizer brings what it sums up to its parameters, and leaves its counts where they were
    loaded: on the accelerator, each step would wait for them."""
    DEVICE = "beside what is on the device"
    """It has to be a tensor of the device: the program itself has brought there what it meets."""
    OBJECT = "an object of Python"
    """It, or a part of it, is called or asked for what no tensor and no container has."""
    OPEN = "open"
    """It meets code or values that may need it in one place."""


class LibraryCall(Struct, frozen=True):
    """A call of the library that needs CUDA, names it, or depends on where it runs."""

    call: ast.Call
    names: frozenset[str]
    """Canonical names that it may reach: ``torch.cuda.amp.autocast``, ``torch.load`` …"""
    device: DeviceName | None
    """What names the device of the program there; None where nothing does."""
    where: ast.expr | None = None
    """The argument that says where: ``map_location``, ``device`` …"""
    uses: Mapping[Use, ast.AST] = field(default_factory=dict)
    """How the program uses what a loader gives, with one place for each kind of use."""
    needs_cuda: bool = False
    """It raises where there is no CUDA."""
    guarded: bool = False
    """It stands below a condition that asks for CUDA, or errors of it are caught."""
    missing: Set[ast.expr] = frozenset()
    """Arguments that may be None."""
    own: bool = False
    """It loads what this very run has saved before."""
    spread: bool = False
    """Each of several processes takes its own device: they need CUDA for more than that."""


class Mention(Struct, frozen=True):
    """Where the program names something of ``torch.cuda``: called, decorating, or as a value."""

    tree: ast.expr
    """A name, a dotted name, or the string in ``x.type("torch.cuda.FloatTensor")``."""
    name: str
    """Its canonical name; empty where contexts differ."""
    root: ast.AST
    """The name at its start: ``torch``, or what an import binds."""
    is_type: bool
    """An annotation, or the class in ``isinstance(x, …)``."""
    device: DeviceName | None
    """What names the device of the program there, where a rewrite would name it."""
    dtype: str = ""
    """Of a tensor type: ``float32`` for ``torch.cuda.FloatTensor``."""
    guarded: bool = False
    """It stands below a condition that asks for CUDA."""
    takes_no_tensor: bool = False
    """A tensor type that is called, surely with no tensor."""
    again: bool = False
    """A tensor type that is called with a tensor, of that type, that nothing else holds."""
    sent_on: bool = False
    """A tensor type, of what is at once sent on to where it has to be, or only read."""


class TypeAlias(Struct, frozen=True):
    """``T = torch.cuda.FloatTensor``, or a choice of types; and ``def cast(x, dtype=T)``."""

    statement: ast.Assign | ast.If | ast.arg
    """What defines it, the choice included."""
    tree: ast.expr
    """The type for CUDA in it; the name of another alias, where this one stands for that."""
    type: str
    """The canonical name of the type for CUDA."""
    reads: tuple[ast.Name, ...]
    """Where the name is read."""
    sole: bool
    """Nothing else binds the name, or can: no other file reads it, no call gives a parameter."""
    condition: str = ""
    """As it is written, where it asks more than whether there is CUDA."""


class CudaImport(Struct, frozen=True):
    """A name of ``torch.cuda`` that an import binds."""

    statement: ast.Import | ast.ImportFrom
    local: str
    origin: str
    """Its canonical name."""
    reads: tuple[ast.Name, ...]
    """Where the file reads the local name, other than in annotations."""
    sole: bool
    """Nothing else binds the local name, and the import is not tried."""


class Guard(Struct, frozen=True):
    """An ``if`` (or ternary) that does nothing but move things to the accelerator.

    Where it asks an option of the user, the device of its moves obeys that option.
    """

    tree: ast.If | ast.IfExp
    moves: tuple[ast.Call, ...]
    follows: str = ""
    """``x.device`` where the condition is ``x.is_cuda``."""
    option: str = ""
    """The option that it asks, by its name: in a file, all that ask the same go, or none does."""
    works: bool = False
    """It is true only where there is CUDA: then the same holds for those of all files."""
    own: bool = False
    """It asks what one asks that is around a call of an `OwnMove`."""
    rest: tuple[ast.stmt, ...] = ()
    """The ``return`` behind it, which does the same without the move."""


class DeviceLiteral(Struct, frozen=True):
    """A string such as ``"cuda:0"`` used as a device outside any test for an accelerator."""

    literal: ast.expr
    """``"cuda"``, ``f"cuda:{rank}"``."""
    device: DeviceName | None
    """What can stand in its place; None where the string itself has to ask."""
    generator: bool = False
    """It is where a ``torch.Generator`` is made."""
    left: str = ""
    """Why it stays; empty where it can ask whether there is CUDA."""
    replaceable: bool = False
    """A ``torch.device`` would do in its place."""


class Number(enum.Enum):
    """How a number is used as a device."""

    LOCATED = "where a tensor is"
    """``x.get_device()``."""
    CURRENT = "the current device"
    """``0``, ``torch.cuda.current_device()``, where the program chooses no other one."""
    OTHER = "one of several"
    COMPUTED = "a device that is computed"
    """``torch.device(f"cuda:{i}")`` where nobody has asked."""


class Draw(Struct, frozen=True):
    """A factory without ``device=`` that draws from a generator of an accelerator."""

    call: ast.Call
    generator: ast.expr


class DeviceNumber(Struct, frozen=True):
    """A number used as a device."""

    tree: ast.expr
    """The number; all of ``torch.device(…)`` where that is computed."""
    kind: Number
    sure: bool
    """What ``get_device()`` is called on is surely a tensor."""
    device: DeviceName | None
    """What names the current device there; None where nothing does."""


class DefaultType(Struct, frozen=True):
    """``torch.set_default_tensor_type("torch.cuda.FloatTensor")``."""

    call: ast.Call
    name: str
    """The canonical name of the type."""
    guarded: bool
    """It stands below a condition that asks for CUDA."""
    unconditional: bool
    """It is a statement that no condition decides about."""
    group: str = ""
    """The decision that does without it: all that it carried is transferred; empty: none."""


class Crossing(Struct, frozen=True):
    """Something of the device goes where only the host's tensors can go."""

    tree: ast.AST
    """The call that takes it there."""
    how: str
    """``process`` (``spawned``: it starts afresh), ``workers`` or ``pinned`` (of a loader);
    ``generator``: a CPU generator fills a device tensor; ``factory``: it is to make one;
    ``written``: ``x.apply_(f)``."""


class Need(Struct, frozen=True):
    """Where a program shows that it needs CUDA."""

    tree: ast.AST
    reason: str


class PlainContainer(Struct, frozen=True):
    """A list, tuple or dict in an attribute of a module, with modules that nothing registers."""

    statement: ast.stmt
    """The assignment in the constructor."""
    name: str
    """The attribute."""
    wrapper: str
    """``nn.ModuleList`` or ``nn.ModuleDict`` as the file writes it, where that can hold them."""
    blocked: str
    """Why it cannot; empty where it can."""


class FileFacts(Struct, frozen=True):
    """Everything codemods may ask about one file."""

    transfers: tuple[Transfer, ...] = ()
    calls: Mapping[ast.Call, TransferCall] = field(default_factory=dict)
    library: tuple[LibraryCall, ...] = ()
    mentions: tuple[Mention, ...] = ()
    imports: tuple[CudaImport, ...] = ()
    aliases: tuple[TypeAlias, ...] = ()
    guards: tuple[Guard, ...] = ()
    literals: tuple[DeviceLiteral, ...] = ()
    choices: tuple[ast.expr, ...] = ()
    """Where a device is chosen: CUDA where it is there, else the host, and nothing else."""
    numbers: tuple[DeviceNumber, ...] = ()
    draws: tuple[Draw, ...] = ()
    clashes: tuple[DtypeClash, ...] = ()
    crossings: tuple[Crossing, ...] = ()
    doubles: tuple[DtypeClash, ...] = ()
    """float64 on its way to the device that nothing refuses."""
    stuck: str = ""
    """The first place in any file of the program at which it may fail on the device as it is: a
    transfer that is no safe fix, an optimizer that is older than the move of its module."""
    crosses: str = ""
    """The place of the first crossing in any file of the program; empty where there is none."""
    double_precision: str = ""
    """Where the program has float64 on the device: ``PATH:LINE``, if it surely has any."""
    dtype_uses: Mapping[ast.AST, frozenset[ast.AST]] = field(default_factory=dict)
    parameters: Mapping[ast.AST, Parameter] = field(default_factory=dict)
    """New parameters by function, of the whole program."""
    routes: Mapping[ast.Call, Route] = field(default_factory=dict)
    exact: frozenset[ast.Call] = frozenset()
    """Calls that make the same tensor wherever ``device=`` says, and say nothing of that."""
    waits: tuple[Wait, ...] = ()
    timings: tuple[Timing, ...] = ()
    unfinished_copies: tuple[UnfinishedCopy, ...] = ()
    optimizers: tuple[StaleOptimizer, ...] = ()
    beliefs: Mapping[ast.AST, Belief] = field(default_factory=dict)
    """What is known of the expressions that old idioms are about; nothing of the others."""
    typed: frozenset[ast.Call] = frozenset()
    """Calls of tensor types surely given no tensor; none where the program sets a default dtype."""
    wrappings: tuple[Wrapping, ...] = ()
    """The calls of ``Variable``, in the order of the text."""
    ungraded: tuple[Ungraded, ...] = ()
    """What was computed of volatile values."""
    old_numbers: Mapping[ast.expr, bool] = {}
    """Expressions whose value was a number before torch 0.4, and has to be one; with whether the
    program surely did not get on with a tensor there."""
    for_versions: tuple[Span, ...] = ()
    """The conditions that ask for the version of a library, with what stands below them."""
    old_imports: tuple[OldImport, ...] = ()
    """The imports of what torch has renamed or replaced."""
    unread_flags: tuple[ast.Assign, ...] = ()
    """``use_cuda = torch.cuda.is_available()``, where nothing reads ``use_cuda``."""
    zero_counts: tuple[ast.expr, ...] = ()
    """Numbers of GPUs that the file divides by, or that batch sizes are multiples of."""
    pinned: tuple[ast.expr, ...] = ()
    """``x.pin_memory()``, and the True of ``pin_memory=True``, outside any test for CUDA."""
    defaults: tuple[DefaultType, ...] = ()
    plain_containers: tuple[PlainContainer, ...] = ()
    shuffled: tuple[ast.Call, ...] = ()
    """What draws an order on the CPU where a default makes tensors on an accelerator."""
    parents: Parents = field(default_factory=Parents)
    torch: str = "torch"
    """The name under which the file imports torch; empty where it does not."""
    needs_cuda: str = ""
    """Why the program cannot be made device-agnostic (a hand-written kernel); empty: it can."""
    needs: tuple[Need, ...] = ()
    """Where the file shows that programs need CUDA, as far as something in them stays for that."""
    own_need: Need | None = None
    """The first of what the file itself shows, whatever stays."""
    uses: tuple[CudaUse, ...] = ()
    """Where the file names CUDA, and why it may stay there, in the order of the text."""
    script: bool = False
    """The file does something when it is run: nobody else runs it with another current device."""
    imported: bool = False
    """Other files of the project import it: what its top level does, it does for them, too."""
    complete: bool = True
    """False where the program was too large for placement."""
    settled: bool = True
    """False where evaluation of the program would have found more."""
    limits: tuple[str, ...] = ()
    """Why something may have been missed in the program; in words for the user."""

    def of(self, offence: Offence) -> tuple[Transfer, ...]:
        """The transfers that mend one kind of offence, in the order of the file."""
        return tuple(t for t in self.transfers if t.offence is offence)
