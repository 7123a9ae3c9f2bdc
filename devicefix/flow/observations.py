"""What evaluation sees on its way: transfers, tests, literals, clashes, and the names in scope."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from devicefix.flow.graph import Site
from devicefix.flow.joins import join
from devicefix.flow.values import ClassRecord, Device, FileRecord, ObjectRecord, Tensor, Value

if TYPE_CHECKING:
    from devicefix.flow.facts import StaleOptimizer
    from devicefix.flow.frame import Frame


class Names(Mapping[str, Value]):
    """What names mean where scopes lie inside each other, without a copy of all of them."""

    def __init__(self, scopes: Sequence[Mapping[str, Value]]) -> None:
        self._scopes = scopes

    def __getitem__(self, name: str) -> Value:
        for scope in self._scopes:
            if name in scope:
                return scope[name]
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return any(name in scope for scope in self._scopes)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(name for scope in self._scopes for name in scope))

    def __len__(self) -> int:
        return len(frozenset(name for scope in self._scopes for name in scope))


class Occurrence(Struct, frozen=True, dict=True):
    """A site as one context sees it: the names in scope there."""

    context: int
    frame: Frame
    scopes: tuple[Mapping[str, Value], ...]
    """The names of each scope, nearest first, as they were then."""
    place: ast.AST | None = None
    time: int = 0
    """How much was evaluated before."""

    @property
    def line(self) -> int:
        """The line of the place."""
        return getattr(self.place, "lineno", 0)

    @cached_property
    def names(self) -> Mapping[str, Value]:
        """What each name means there, those of the nearest scope first."""
        return self.scopes[0] if len(self.scopes) == 1 else Names(self.scopes)

    def joined(self, other: Occurrence) -> Occurrence:
        """The same place with the names as they are there, or as they were."""
        pairs = zip(self.scopes, other.scopes, strict=False)
        return replace(self, scopes=tuple(_joined(scope, before) for scope, before in pairs))

    def those_of(self, kinds: tuple[type[Value], ...]) -> list[tuple[str, Value]]:
        """The names that mean something of these kinds, in the order of ``names``.

        Thousands of places see the same names of their file: those are looked through once.
        """
        kept = self.frame.analysis.names_by_kind
        found: list[tuple[str, Value]] = []
        for number, scope in enumerate(self.scopes):
            key = (id(scope), kinds)
            if key not in kept:  # the scope is kept, too: nothing else has its number meanwhile
                kept[key] = scope, [item for item in scope.items() if isinstance(item[1], kinds)]
            nearer = self.scopes[:number]
            found += [item for item in kept[key][1] if not any(item[0] in s for s in nearer)]
        return found


def _joined(scope: Mapping[str, Value], before: Mapping[str, Value]) -> Mapping[str, Value]:
    if scope is before:
        return scope
    return {k: v if before.get(k) is v else join(before.get(k), v) for k, v in scope.items()}


class Meeting(Struct, frozen=True):
    """Something unknown beside a tensor: it decides whether moving the tensor is safe."""

    node: int
    tree: ast.AST
    reason: str
    place: frozenset[int] = frozenset()
    """Where the tensors among it are; none: anywhere."""

    def beside(self, other: Meeting | None) -> Meeting:
        """Both, at one place of the text: the tensors among them are where either has them."""
        if other is None or not (self.place and other.place):
            return other if other is not None and not other.place else self
        return replace(self, place=self.place | other.place)


class Candidate(Struct, frozen=True):
    """A tensor attribute that could be a buffer of its module."""

    record: ObjectRecord
    owner: ClassRecord
    """The class whose constructor sets it."""
    init: ast.FunctionDef
    name: str
    site: Site
    built: frozenset[int]
    """The nodes of the tensors that the constructor stores."""


class Steered(Struct):
    """What an optimizer knows of the modules whose parameters it has."""

    modules: set[ObjectRecord] = field(default_factory=set)
    state: ast.expr | None = None
    """What has made or loaded state before they moved."""
    replaced: ast.expr | None = None
    """The attribute in which a part of them was exchanged since."""


class DtypeClash(Struct, frozen=True):
    """An operand whose dtype a strict consumer refuses on every device."""

    operand: ast.expr
    found: str
    wanted: str
    born: ast.AST | None
    """The expression that gave the operand its dtype; None where it is in another file."""
    on_purpose: bool = False
    """The author asks for that dtype by name there."""
    keyword: bool = False
    """It is a call of torch that takes ``dtype=`` and has none."""
    handed: str = ""
    """Where the dtype comes from, if a caller hands it in, who may hand in others as well."""


class Observations(Struct):
    """What evaluation saw, by syntax tree node; codemods ask for facts made from it."""

    transfers: dict[ast.Call, list[tuple[Value, Value, Occurrence]]] = field(default_factory=dict)
    """Every ``.cuda()``/``.to()``-like call: receiver, result, names in scope."""
    tests: dict[ast.AST, Value] = field(default_factory=dict)
    """Conditions of ``if`` statements and expressions."""
    assumed: set[ast.If] = field(default_factory=set)
    """Conditions of which one answer alone was followed: the one with the accelerator, say."""
    joined: set[ast.If] = field(default_factory=set)
    """Conditions both branches of which were followed, to where they meet."""
    device_literals: dict[ast.expr, dict[int, Occurrence]] = field(default_factory=dict)
    """Accelerator strings used as a device, by context."""
    calls: dict[ast.Call, set[str]] = field(default_factory=dict)
    """Canonical library names that a call may reach."""
    ambiguous: set[ast.AST] = field(default_factory=set)
    """Calls that may reach one thing or another: what one of them does is not sure to be done."""
    fed: set[ast.Call] = field(default_factory=set)
    """Calls of what nobody knows that are given tensors."""
    module_calls: set[ast.Call] = field(default_factory=set)
    """Calls of modules: ``model(x)``."""
    entries: dict[int, dict[tuple[int, ast.AST], Occurrence]] = field(default_factory=dict)
    """How each context of a function is entered: the calls, and the names in scope there."""
    defaults: set[ast.expr] = field(default_factory=set)
    """Those of parameters that a call has used."""
    options_named_cuda: dict[ast.Attribute, bool] = field(default_factory=dict)
    """Where an attribute ``cuda`` is read: whether it surely is a value, and no method."""
    callees: dict[ast.AST, set[ast.AST | None]] = field(default_factory=dict)
    """The functions that a call names itself (None: something else is called there)."""
    decorators: dict[ast.AST, frozenset[str]] = field(default_factory=dict)
    """Canonical names of what decorates a function; empty for what is not of a library."""
    recursions: dict[ast.AST, set[ast.AST]] = field(default_factory=dict)
    """Calls of a function that is running already."""
    ranked: set[FileRecord] = field(default_factory=set)
    """Programs that move things to a device that is an index, or not understood."""
    brought: set[int] = field(default_factory=set)
    """Nodes of names that the program moves as soon as they are bound: they are where they come."""
    mappings: set[int] = field(default_factory=set)
    outputs: dict[int, bool] = field(default_factory=dict)
    """What models of transformers give, and whether ``generate`` gave it."""
    encodings: set[int] = field(default_factory=set)
    """What tokenizers make: dicts with a method ``to``, which moves all, and gives the dict back.
    https://huggingface.co/docs/transformers/main_classes/tokenizer#transformers.BatchEncoding.to"""
    """Nodes of what is subscripted by a string: a batch of that kind has no ``.to()``."""
    scripted: set[ast.AST] = field(default_factory=set)
    """Functions and classes that TorchScript compiles."""
    reached: dict[ast.AST, dict[tuple[ast.AST, int], None]] = field(default_factory=dict)
    """Functions of the program that a call may reach, and how many parameters are bound before."""
    applied: dict[ast.AST, set[ast.AST | None]] = field(default_factory=dict)
    """Calls of objects, and of ``apply`` of autograd functions: what they run. None: not known."""
    cuda_calls: dict[ast.Call, list[Occurrence]] = field(default_factory=dict)
    """Calls that need CUDA, or name it: where they are reached."""
    missing: set[ast.expr] = field(default_factory=set)
    """Arguments of these that may be None."""
    indices: dict[ast.Call, list[Value]] = field(default_factory=dict)
    """What ``.cuda(index)`` and ``torch.cuda.set_device(index)`` were given."""
    places: dict[ast.expr, tuple[bool, dict[int, Occurrence]]] = field(default_factory=dict)
    """Numbers used as a device, by context: literals, ``current_device()``, and
    ``x.get_device()`` with whether x is surely a tensor."""
    drawn: dict[ast.Call, ast.expr] = field(default_factory=dict)
    """Factories without ``device=`` that draw from a generator of an accelerator."""
    computed: set[ast.Call] = field(default_factory=set)
    """``torch.device(f"cuda:{i}")``, ``torch.device("cuda", i)``."""
    typed: dict[ast.AST, bool] = field(default_factory=dict)
    """Calls of ``torch.cuda.FloatTensor``: whether they are surely given no tensor."""
    typed_again: dict[ast.AST, bool] = field(default_factory=dict)
    """And whether it is a tensor of that type that nothing else holds, without a gradient."""
    mentions: dict[ast.expr, dict[int, tuple[str, Occurrence]]] = field(default_factory=dict)
    """Where the program names something of ``torch.cuda``, by context; called or not."""
    default_types: dict[ast.Call, str] = field(default_factory=dict)
    """Calls of ``torch.set_default_tensor_type``, with the type of CUDA that they choose."""
    called: set[int] = field(default_factory=set)
    """The nodes of what a move made a tensor of, and that is called, or trained: a module."""
    shuffled: set[ast.Call] = field(default_factory=set)
    """What draws an order on the CPU where a default makes tensors on an accelerator."""
    clashes: dict[ast.AST, DtypeClash] = field(default_factory=dict)
    """Strict consumers of a dtype that their parameters do not have."""
    accepted: set[ast.AST] = field(default_factory=set)
    """Operands that a module, one of several that may be called there, takes as they are."""
    on_purpose: set[ast.AST] = field(default_factory=set)
    """Expressions in which the author asks for a dtype by name."""
    takes_dtype: set[ast.AST] = field(default_factory=set)
    """Calls such as ``torch.tensor(data)``, to which ``dtype=`` can be added."""
    doubles: dict[ast.AST, Tensor] = field(default_factory=dict)
    """Expressions that are surely float64 tensors."""
    options: set[tuple[ObjectRecord, str]] = field(default_factory=set)
    """What the program reads of the objects that hold its options."""
    device_options: dict[str, set[FileRecord]] = field(default_factory=dict)
    """Options of the user (``args.device``) that are used as a device, and by which programs."""
    device_calls: dict[FileRecord, dict[str, Device]] = field(default_factory=dict)
    """Calls (``get_device()``) that a file uses as a device, and which device that is."""
    unfit_options: set[str] = field(default_factory=set)
    """Those of them that may be something that is no name of a device: a number, a list."""
    loaded: dict[ast.expr, dict[int, frozenset[int]]] = field(default_factory=dict)
    """Operands that may be what was loaded, with the nodes of the operations that take them, and
    those of what they are else."""
    unpaired: dict[ast.expr, set[ast.AST]] = field(default_factory=dict)
    """The same with the operations that have no other operand with a place."""
    sure_operands: dict[int, set[frozenset[int]]] = field(default_factory=dict)
    """By the node of an operation, where some operand is unknown: the nodes of those that surely
    are tensors of these, and no numbers."""
    device_strings: set[ast.expr] = field(default_factory=set)
    """Accelerator strings that are used as a device somewhere else than where they stand."""
    given_devices: set[ast.expr | str] = field(default_factory=set)
    """What stands for devices that callers give whom nobody has seen: see ``Device.origins``."""
    open_devices: set[ast.expr | str] = field(default_factory=set)
    """The same, and calls of ``torch.device`` that are given what was not seen."""
    placed_by: dict[int, set[ast.expr | str]] = field(default_factory=dict)
    """What decides where a node is that the program has placed itself (``Device.origins``)."""
    chosen_devices: set[str] = field(default_factory=set)
    """Names of options of the user that are used as a device."""
    optimizers: dict[ast.Call, Steered] = field(default_factory=dict)
    """The optimizers that are made, and what they know of their modules."""
    read_weights: set[ObjectRecord] = field(default_factory=set)
    """Modules of whose parameters and buffers something may be computed without a call of them."""
    asked_for_parameters: set[ObjectRecord] = field(default_factory=set)
    """Modules whose own ``parameters()`` the program asks for."""
    optimizer_states: set[ast.expr] = field(default_factory=set)
    """Calls that give an optimizer its state back."""
    stale_optimizers: dict[ast.Call, StaleOptimizer] = field(default_factory=dict)
    """Those that are older than the parameters of their modules."""
    held: dict[tuple[ObjectRecord, str], set[ObjectRecord]] = field(default_factory=dict)
    """The modules that were stored in an attribute of a module so far."""
    awaited: dict[ast.Call, set[int]] = field(default_factory=dict)
    """``x.item()`` and its like, with the nodes that are read."""
    loss_weights: set[ast.expr] = field(default_factory=set)
    """Arguments that weigh a loss: ``weight=`` of ``F.cross_entropy``."""
    uncertain_modules: set[ast.AST] = field(default_factory=set)
    """Expressions that are a module, or something else; behind these nothing moves."""
    other_values: set[ast.AST | tuple[ast.AST, str]] = field(default_factory=set)
    """Expressions, and names that statements bind, that somewhere are surely no tensor."""
    states: dict[ast.expr, set[bool]] = field(default_factory=dict)
    """States that recurrent layers are given, and ``*items`` for a module, not written out: whether
    each is a tuple of tensors, which is moved item by item."""
    spread: set[ast.expr] = field(default_factory=set)
    """Those of them that are ``*items``."""
    host_arguments: set[ast.expr] = field(default_factory=set)
    """Arguments that have to be on the CPU."""
    crossings: dict[tuple[ast.AST, str], set[int]] = field(default_factory=dict)
    """Nodes that go where only tensors of the host can go; see ``crossings``."""
    run_by_constructors: set[ast.AST] = field(default_factory=set)
    """Functions that are called while a module is made: its parts may not be there yet."""
    recomputes: bool = False
    """Weights of layers that are not known are computed anew, by ``weight_norm`` say."""
    spawns: bool = False
    """The program starts processes afresh: these can have device tensors."""
    inputs: dict[int, set[int]] = field(default_factory=dict)
    """What the program's own modules are called with, by the node of the module."""
    saved_items: dict[object, bool] = field(default_factory=dict)
    """The keys of the dicts that `torch.save` gets, and whether no tensor is ever under them."""
    reads: set[int] = field(default_factory=set)
    """Nodes that the host reads."""
    views: set[int] = field(default_factory=set)
    """Nodes that the host writes through a view (``x.numpy()[:] = 0``)."""
    stored: dict[ast.expr, bool] = field(default_factory=dict)
    """Targets ``something.name = …``: whether all that is stored there are tensors or None."""
    dtype_uses: dict[ast.AST, set[ast.AST]] = field(default_factory=dict)
    """Which expressions see the dtype of the value born at a call."""
    asked: dict[ast.AST, dict[int, Value]] = field(default_factory=dict)
    """What the expressions are that old idioms are about, by context; see ``beliefs``."""
    old_names: dict[ast.expr, dict[int, str]] = field(default_factory=dict)
    """Where the program names what torch has renamed or replaced, by context."""
    mixed: set[int] = field(default_factory=set)
    """Nodes of tensors into which the program writes what may have a gradient."""

    def forget(self) -> None:
        """Be as new, for all frames that hold it: evaluation starts again."""
        new = Observations()
        for name in self.__struct_fields__:
            setattr(self, name, getattr(new, name))

    def note_given(self, device: Device) -> None:
        """Remember that callers give a device whom nobody has seen."""
        self.given_devices |= device.origins
        self.open_devices |= device.origins
