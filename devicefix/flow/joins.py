"""What holds where several values meet, and what is inside a value."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from devicefix.flow.graph import Label
from devicefix.flow.values import (
    ALONE,
    BOTTOM,
    NUMBER,
    PLAIN,
    RECURSIVE,
    Array,
    Beside,
    Bound,
    Class,
    Const,
    Dataset,
    Device,
    Either,
    External,
    Flag,
    Flat,
    Function,
    Generator,
    Instance,
    Listing,
    Loader,
    Mapping,
    OneOf,
    Opaque,
    Optimizer,
    Partial,
    Plain,
    Stream,
    Tensor,
    Tuple,
    Unknown,
    Value,
    as_device,
    is_none,
    is_number,
    is_text,
)

MAX_DEPTH = 5
"""Of streams in each other: recursive data has no deeper shape than this."""
_MANY = "many callables"
_DEEP = "deeply nested"
_TOO_MANY = Unknown(_MANY, beside=Beside(capped=frozenset((_MANY,))))
TOO_DEEP = Unknown(_DEEP, beside=Beside(capped=frozenset((_DEEP,))))
"""A tuple, list or stream of which nothing is known; joined with others, it stays that."""
_MOST_CALLABLES = 6
_CALLABLES = (Function, Class, Bound, External, Partial, OneOf)
_SEQUENCES = (Tuple, Listing, Stream)
_HOLDERS = (Tuple, Listing, Mapping, Stream)
_SCALARS = (Plain, Const, Flag)
_HOLDER_TYPES = frozenset((*_HOLDERS, Either))
_NEVER_ALONE = (Instance, Function, Bound)
"""Whoever uses one of these uses what was not seen in its place, too."""


def join(first: Value | None, second: Value | None, depth: int = MAX_DEPTH) -> Value:
    """What holds when either may.

    It is associative, commutative and idempotent, `BOTTOM` (or None) is its neutral element. What
    says most is the value: kinds of value (a tensor, an array, a callable …), else the parameter of
    a function, else a number or a string, else None, else what was not seen. All that says less
    leaves a trace `beside` it, which is never lost.

    ``depth``: streams inside each other that are still to be told apart.
    """
    if second is None:
        return first if first is not None else BOTTOM
    if first is None or first is second:
        return second
    if first == second:
        return _equal(first, second)
    if first.beside is second.beside is ALONE and type(first) is type(second):
        merge = _MERGES.get(type(first))
        if merge is not None:
            return merge(first, second, depth)
    if BOTTOM in (first, second):
        return second if first == BOTTOM else first
    return _join_ranks(_told(first, second), _told(second, first), depth)


def _told(value: Value, other: Value) -> Value:
    """A string that names a device is one as soon as it meets anything but its like."""
    if not isinstance(value, Const) or not isinstance(value.value, str) or _rank(other) < _SCALAR:
        return value
    same = isinstance(other, Const) and other.value == value.value
    device = as_device(value) if not same else None
    return replace(device, beside=value.beside) if device is not None else value


_UNSEEN, _NONE, _SCALAR, _OPAQUE, _KIND = range(5)


def _rank(value: Value) -> int:
    """How much a value says: of two that are joined, the one that says less becomes a trace."""
    if isinstance(value, Unknown):
        return _KIND if isinstance(value, Either) or value.beside.capped else _UNSEEN
    if isinstance(value, _SCALARS):
        return _NONE if is_none(value) else _SCALAR
    return _OPAQUE if isinstance(value, Opaque) else _KIND


def _join_ranks(first: Value, second: Value, depth: int) -> Value:
    beside = _both(first.beside, second.beside)
    low, high = sorted((first, second), key=_rank)
    rank = _rank(high)
    if _rank(low) < rank:
        beside = _both(beside, _trace(low))
        return _composed(_kinds(high), beside) if rank == _KIND else replace(high, beside=beside)
    if rank == _KIND:
        kinds, capped = _merged(_kinds(first), _kinds(second), depth)
        return _composed(
            kinds, replace(beside, capped=beside.capped | capped) if capped else beside
        )
    one, other = _alone(first), _alone(second)
    both = _equal(one, other) if one == other else _join_level(one, other)
    return replace(both, beside=beside)


def _alone(value: Value) -> Value:
    """Without what it may be else."""
    return value if value.beside is ALONE else replace(value, beside=ALONE)


def _both(first: Beside, second: Beside) -> Beside:
    if first is second or second is ALONE:
        return first
    if first is ALONE:
        return second
    unseen = first.unseen or second.unseen
    if first.unseen is not None and second.unseen is not None:
        unseen = _join_unseen(first.unseen, second.unseen)
    return Beside(
        first.none or second.none,
        first.other or second.other,
        first.options | second.options,
        first.vague or second.vague,
        max(first.doubt, second.doubt),
        unseen,
        first.capped | second.capped,
    )


def _trace(value: Value) -> Beside:
    """What is kept of a value beside one that says more."""
    match value:
        case Unknown():
            doubt = "" if _is_mute(value) else value.reason
            return Beside(vague=True, doubt=doubt, unseen=_unseen(value))
        case Opaque():
            return Beside(vague=True)
        case Plain(choice=True):
            return Beside(options=value.options or frozenset(("",)))
        case Plain():
            return Beside(other=True, options=value.options)
        case _:
            return Beside(none=True) if is_none(value) else Beside(other=True)


def _unseen(value: Unknown) -> Unknown:
    return Unknown(value.reason, value.near, value.foreign, value.torch, value.place)


def _is_mute(unknown: Unknown) -> bool:
    return unknown.reason in ("", RECURSIVE)


def _join_unseen(first: Unknown, second: Unknown) -> Unknown:
    """A reason is better than none; of several, any one will do, as long as it is the same."""
    near = first.near | second.near
    low, high = sorted((first, second), key=lambda u: (not _is_mute(u), u.reason))
    if _is_mute(low) and not _is_mute(high):
        return replace(high, near=near)
    foreign, torch = first.foreign and second.foreign, first.torch and second.torch
    place = first.place | second.place if first.place and second.place else frozenset[int]()
    return Unknown(high.reason, near, foreign, torch, place)


def _join_opaque(first: Opaque, second: Opaque) -> Opaque:
    """Of several parameters one stands for all, whatever the order."""
    return max(first, second, key=lambda opaque: (opaque.parameter.node, opaque.part))


def _join_scalars(first: Value, second: Value) -> Value:
    match first, second:
        case Flag(holds=holds), Flag(holds=alike) if holds is alike:
            return Flag(holds, first.pure and second.pure)
        case (Flag(holds=holds) as flag, Const(value=int(value))) | (
            Const(value=int(value)),
            Flag(holds=holds) as flag,
        ) if value == (not holds):  # in Python, 0 is False
            # `if args.cpu: use_cuda = False`: true only where there is an accelerator, as before
            return replace(flag, pure=False)
    one, other = _as_plain(first), _as_plain(second)
    return Plain(
        one.choice and other.choice,
        one.options | other.options,
        one.reads or other.reads,
        one.text and other.text,
        one.number and other.number,
        one.sizes and other.sizes,
        one.storage or other.storage,
    )


def _as_plain(value: Value) -> Plain:
    if isinstance(value, Plain):
        unnamed = value.choice and not value.options
        return replace(value, options=frozenset(("",))) if unnamed else value
    return Plain(text=is_text(value), number=is_number(value))


def _join_level(first: Value, second: Value) -> Value:
    """Of two that say as much as each other, but not that they are of some kind."""
    match first, second:
        case Unknown(), Unknown():
            return _join_unseen(first, second)
        case Opaque(), Opaque():
            return _join_opaque(first, second)
    return _join_scalars(first, second)


# -- kinds of value ----------------------------------------------------------------------------


def _kinds(value: Value) -> tuple[Value, ...]:
    """The kinds of value that it may be, without traces."""
    if isinstance(value, Either):
        return value.kinds
    return () if isinstance(value, Unknown) else (_alone(value),)


def _slot(value: Value) -> Hashable:
    """Of values in the same slot one is kept, which is their join."""
    if isinstance(value, _CALLABLES):
        return _MANY
    if isinstance(value, _SEQUENCES):
        return _DEEP
    return type(value) if type(value) in _MERGES else value


def _merged(
    first: tuple[Value, ...], second: tuple[Value, ...], depth: int
) -> tuple[tuple[Value, ...], frozenset[str]]:
    """One value of each kind, and of which kinds there are too many."""
    found = {_slot(value): value for value in first}
    capped = set[str]()
    for value in second:
        slot = _slot(value)
        old = found.get(slot)
        if old is None:
            found[slot] = value
            continue
        found[slot] = _equal(old, value) if old == value else _merge(slot, old, value, depth)
        capped |= found[slot].beside.capped
    return tuple(found.values()), frozenset(capped)


def _merge(slot: Hashable, first: Value, second: Value, depth: int) -> Value:
    if slot == _MANY:
        return one_of((*options(first), *options(second)))
    if slot == _DEEP:
        return _join_sequences(first, second, depth)
    return _MERGES[type(first)](first, second, depth)


def _composed(kinds: tuple[Value, ...], beside: Beside) -> Value:
    """The value that may be of these kinds."""
    if beside.capped:
        kept = (kind for kind in kinds if kind.beside is ALONE)
        kinds = tuple(kind for kind in kept if _slot(kind) not in beside.capped)
    if not kinds:
        return Unknown(min(beside.capped), beside=beside)
    if beside.options and any(isinstance(kind, Device) for kind in kinds):
        option = Device(Label.TARGET, typed=False, origins=beside.options)
        kinds = tuple(_join_devices(k, option) if isinstance(k, Device) else k for k in kinds)
        beside = replace(beside, options=frozenset())
    if len(kinds) == 1 and not _asks_for(kinds, beside):
        return replace(kinds[0], beside=beside) if beside is not ALONE else kinds[0]
    ordered = sorted(kinds, key=lambda kind: type(kind).__name__)
    return Either("it can be values of different types", kinds=tuple(ordered), beside=beside)


def _asks_for(kinds: Iterable[Value], beside: Beside) -> bool:
    """Whether what was not seen counts like a kind of value."""
    return bool(beside.doubt and beside.unseen) and any(
        isinstance(option, _NEVER_ALONE) for kind in kinds for option in options(kind)
    )


def alternatives(value: Value) -> tuple[Value, ...]:
    """What ``value`` may be, one of each kind."""
    if not isinstance(value, Either):
        return (value,)
    beside = value.beside
    if not _asks_for(value.kinds, beside):
        return tuple(replace(kind, beside=beside) for kind in value.kinds)
    unseen = beside.unseen
    assert unseen is not None
    beside = replace(beside, doubt="", vague=False, unseen=None)
    return (*(replace(kind, beside=beside) for kind in value.kinds), unseen)


def unsure(value: Either) -> tuple[Value, ...]:
    """The same for one who does not ask which: nothing can be written behind a tensor then."""
    return tuple(
        replace(part, beside=replace(part.beside, other=True)) if isinstance(part, Tensor) else part
        for part in alternatives(value)
    )


def _join_tensors(first: Tensor, second: Tensor, _depth: int) -> Tensor:
    learns = first.parameter is not second.parameter  # perhaps a parameter: then it is a leaf
    return Tensor(
        first.nodes | second.nodes,
        first.dtype if first.dtype == second.dtype else None,
        first.scalar and second.scalar,
        first.born if first.born is second.born else None,
        first.raw and second.raw,
        first.parameter and second.parameter,
        first.leaf or second.leaf or learns,
        constant=first.constant and second.constant,
        computed=first.computed and second.computed,
        flat=flat_of(first.flat, second.flat),
        parts=tuple(one | other for one, other in zip(first.parts, second.parts, strict=False)),
    )


def _join_arrays(first: Array, second: Array, _depth: int) -> Array:
    return Array(
        first.dtype if first.dtype == second.dtype else None,
        first.memory | second.memory,
        first.views | second.views,
        None if None in (first.least, second.least) else min(_leasts(first, second)),
        flat_of(first.flat, second.flat),
    )


def flat_of(first: Flat, second: Flat) -> Flat:
    """Of what may be either of two tensors, or is computed of both, element by element."""
    if first is second:
        return first
    if min(first, second) >= Flat.SURE:
        return Flat.SURE
    return Flat.NO if Flat.NO in (first, second) else Flat.LIKELY


def _leasts(*arrays: Array) -> list[int]:
    return [a.least for a in arrays if a.least is not None]


def _join_devices(first: Device, second: Device) -> Device:
    """``"cuda"`` in one branch and ``"cpu"`` in the other is a choice of device."""
    typed, origins = first.typed and second.typed, first.origins | second.origins
    number = first.number or second.number
    if first.label is None or second.label is None:
        named = {first.label, first.named, second.label, second.named} - {None}
        return Device(
            None,
            first.nodes | second.nodes,
            typed=typed,
            number=number,
            origins=origins,
            named=Label.TARGET if Label.TARGET in named else next(iter(named), None),
        )
    optional = first.optional or second.optional or first.label is not second.label
    gpus = {device.gpu for device in (first, second) if device.label is Label.TARGET}
    return Device(
        Label.TARGET if gpus else Label.HOST,
        agnostic=first.agnostic and second.agnostic,
        optional=optional,
        typed=typed,
        number=number,
        written=_written_both(first, second),
        gpu=gpus.pop() if len(gpus) == 1 else "",
        origins=origins,
    )


def _written_both(first: Device, second: Device) -> frozenset[ast.expr]:
    """Where the strings stand that name it, if nothing else does."""
    by_name = first.written and second.written
    return first.written | second.written if by_name else frozenset()


def _join_sequences(first: Value, second: Value, depth: int) -> Value:
    match first, second:
        case Listing(), Listing():
            return Listing(first.records | second.records)
        case Tuple(), Tuple() if len(first.items) == len(second.items):
            names = first.names if first.names == second.names else ()
            pairs = zip(first.items, second.items, strict=True)
            listed = first.listed if first.listed == second.listed else None
            return Tuple(tuple(join(one, other, depth) for one, other in pairs), names, listed)
    if not depth:
        return TOO_DEEP
    # a list may hold itself: the elements are joined with what is left of the depth
    parts = element(first, depth - 1), element(second, depth - 1)
    return Stream(_shallow(join(*parts, depth - 1), depth - 1))


def _shallow(value: Value, depth: int) -> Value:
    """``value`` with nothing known of streams deeper than ``depth``."""
    match value:
        case Stream() if not depth:
            return _composed((), _both(value.beside, TOO_DEEP.beside))
        case Stream(element=inner):
            return replace(value, element=_shallow(inner, depth - 1))
        case Tuple(items=items):
            return replace(value, items=tuple(_shallow(item, depth) for item in items))
        case Either(kinds=kinds) if any(isinstance(kind, (Tuple, Stream)) for kind in kinds):
            cut = [_shallow(kind, depth) for kind in kinds]
            capped = frozenset[str]().union(*(kind.beside.capped for kind in cut))
            return _composed(tuple(cut), _both(value.beside, Beside(capped=capped)))
    return value


_MERGES: dict[type[Value], Callable[[Any, Any, int], Value]] = {
    Tensor: _join_tensors,
    Array: _join_arrays,
    Device: lambda first, second, _: _join_devices(first, second),
    Instance: lambda first, second, _: Instance(first.records | second.records),
    Mapping: lambda first, second, _: Mapping(first.records | second.records),
    Listing: _join_sequences,
    Tuple: _join_sequences,
    Stream: _join_sequences,
    Optimizer: lambda first, second, _: Optimizer(
        first.nodes | second.nodes, first.made | second.made
    ),
    Generator: lambda first, second, _: Generator(_join_devices(first.device, second.device)),
    Dataset: lambda first, second, depth: Dataset(
        join(first.element, second.element, depth),
        first.table if first.table == second.table else None,
    ),
    Loader: lambda first, second, depth: Loader(
        join(first.element, second.element, depth), join(first.dataset, second.dataset, depth)
    ),
}


def _equal(first: Value, second: Value) -> Value:
    """Of two that are equal, with all that is not compared."""
    match first, second:
        case Const(), Const():
            return replace(second, written=first.written | second.written)
        case Device(), Device():
            return replace(second, written=_written_both(first, second))
        case Plain(), Plain() if first.options != second.options:
            return replace(second, options=_as_plain(first).options | _as_plain(second).options)
    return second


# -- callables ---------------------------------------------------------------------------------


def options(value: Value) -> tuple[Value, ...]:
    """The callables that ``value`` may be."""
    return value.options if isinstance(value, OneOf) else (value,)


def one_of(values: Iterable[Value]) -> Value:
    """A choice between callables; a long one is not worth following."""
    unique: dict[Hashable, Value] = {}
    for value in values:  # the newest of those alike
        key = _type_of_tensors(value) or value
        old = unique.get(key, value)
        unique[key] = value if old == value else max(old, value, key=_is_of_cuda)
    found = tuple(unique.values())
    if len(found) == 1:
        return found[0]
    return OneOf(found) if len(found) <= _MOST_CALLABLES else _TOO_MANY


def _type_of_tensors(value: Value) -> str:
    """``torch.cuda.FloatTensor if cuda else torch.FloatTensor``: where there is CUDA, the first."""
    name = value.name if isinstance(value, External) else ""
    if not (name.startswith("torch.") and name.endswith("Tensor")):
        return ""
    host = name.replace(".cuda.", ".")
    return "torch.FloatTensor" if host == "torch.Tensor" else host


def _is_of_cuda(value: Value) -> tuple[bool, str]:
    assert isinstance(value, External)
    return value.name.startswith("torch.cuda."), value.name


def is_update(old: Value | None, new: Value) -> bool:
    """Whether a record that holds ``old`` has to take ``new``.

    Each pass makes functions anew, in frames where names mean what they mean in that pass: of equal
    ones the newest is kept.
    """
    return new != old or _holds_function(new)


def _holds_function(value: Value) -> bool:
    match value:
        case Function():
            return True
        case Bound(function=function):
            return function is not None
        case Partial(function=function, args=args):
            return any(map(_holds_function, (function, *args)))
        case OneOf(options=parts) | Tuple(items=parts):
            return any(map(_holds_function, parts))
        case Stream(element=inner):
            return _holds_function(inner)
        case _:
            return False


def join_all(values: Iterable[Value | None], depth: int = MAX_DEPTH) -> Value:
    """The join of all of them; `BOTTOM` for none."""
    result: Value = BOTTOM
    for value in values:
        result = join(result, value, depth)
    return result


def element(value: Value, depth: int = MAX_DEPTH) -> Value | None:
    """What iterating ``value`` yields, or None where that is not known."""
    match value:
        case Tuple(items=items):
            return join_all(items, depth) if items else PLAIN
        case Listing(records=records):
            return join_all((r.element for r in records), depth)
        case Stream(element=inner) | Loader(element=inner) | Dataset(element=inner):
            return inner
        case Tensor():
            known = (value.dtype, False, value.born, value.raw)
            nodes, *parts = value.parts or (value.nodes,)
            item = Tensor(
                nodes, *known, parts=tuple(parts), constant=value.constant, computed=value.computed
            )
            return replace(item, beside=value.doubted) if value.elsewhere else item
        case Opaque():
            return Opaque(value.parameter, part=True)
        case Array():
            least = value.least - 1 if value.least is not None and value.least > 1 else None
            return Array(value.dtype, value.memory, value.views, least)
        case Plain(reads=True):
            return value
        case Plain(sizes=True):
            return NUMBER
        case Mapping() | Plain() | Const():
            return PLAIN
        case Either():
            each = [element(part, depth) for part in unsure(value)]
            return join_all(each, depth) if any(each) else None
        case _:
            return None


def tensors_in(value: Value) -> tuple[Tensor, ...]:
    """All tensors inside ``value``: itself, or the leaves of containers."""
    if isinstance(value, Tensor):
        return (value,)
    if type(value) not in _HOLDER_TYPES:
        return ()
    return tuple(leaf for leaf in _leaves(value, _elements) if isinstance(leaf, Tensor))


def _elements(value: Value) -> list[Value]:
    """What may lie in a container, one level down; of a list, what any element may be."""
    if isinstance(value, Listing):
        return [r.element for r in value.records if r.element is not None]
    return _held(value)


def _leaves(value: Value, held: Callable[[Value], list[Value]]) -> Iterator[Value]:
    """What lies in containers and is none, in order; ``held`` says what is in one of them.

    Each container is opened once: through dicts that hold each other lead more ways than can be
    walked, and through one that holds itself they lead nowhere.
    """
    opened: dict[object, Value] = {}  # with the containers: what is gone leaves its `id` to others
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if type(part) not in _HOLDER_TYPES:
            yield part
        elif (name := _identity(part)) not in opened:
            opened[name] = part
            waiting += reversed(held(part))


def _identity(container: Value) -> object:
    """What tells a container from others, without a look at all that is in it."""
    return container.records if isinstance(container, (Listing, Mapping)) else id(container)


def exact_items(value: Value) -> tuple[Value, ...]:
    """The items of a tuple or list, where all of them are known."""
    if isinstance(value, Tuple):
        return value.items
    if isinstance(value, Listing) and len(value.records) == 1:
        return next(iter(value.records)).items or ()
    return ()


def nesting(value: Value, depth: int = 6) -> int:
    """How many containers lie inside each other; what holds itself is as deep as can be."""
    level = _holders((value,))
    found = 0
    while level and found < depth:
        # each container counts once in a level: those that share their parts are no more work
        inner = dict.fromkeys(part for holder in level for part in _held(holder))
        level = _holders(inner)
        found += 1
    return found


def _holders(values: Iterable[Value]) -> list[Value]:
    parts = (part for value in values for part in alternatives(value))
    return [part for part in parts if isinstance(part, _HOLDERS)]


def _held(value: Value) -> list[Value]:
    """What lies in a container, one level down."""
    match value:
        case Tuple(items=items):
            return list(items)
        case Listing(records=records):
            return [v for r in records for v in (r.items or (r.element,)) if v is not None]
        case Mapping(records=mappings):
            return [v for r in mappings for v in (*r.items.values(), r.element) if v is not None]
        case Stream(element=inner):
            return [inner]
        case Either():
            return list(unsure(value))
        case _:
            return []


def parts_in(value: Value) -> tuple[Value, ...]:
    """All leaves of containers, or the value itself."""
    if type(value) not in _HOLDER_TYPES:
        return (value,)
    return tuple(_leaves(value, _held))


def tensor_parts(value: Value) -> tuple[Tensor, ...]:
    """The tensors among the leaves."""
    if isinstance(value, Tensor):
        return (value,)
    if type(value) not in _HOLDER_TYPES:
        return ()
    return tuple(part for part in parts_in(value) if isinstance(part, Tensor))
