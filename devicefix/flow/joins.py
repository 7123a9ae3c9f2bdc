"""What holds where several values meet, and what is inside a value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from devicefix.flow.graph import Label
from devicefix.flow.values import (
    NONE,
    NUMBER,
    PLAIN,
    RECURSIVE,
    Array,
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
    is_number,
)

MAX_DEPTH = 6
"""Of lists that may be in themselves: `xs.append((xs,))`."""
_CALLABLES = (Function, Class, Bound, External, Partial, OneOf)
_CONTAINERS = (Tuple, Listing, Stream)
_HOLDERS = (Tuple, Listing, Mapping, Stream)
_SCALARS = (Plain, Const, Flag)
_HOLDER_TYPES = frozenset((*_HOLDERS, Either))


def join(first: Value | None, second: Value | None, depth: int = MAX_DEPTH) -> Value:
    """What holds when either may: known wins over unknown, a tensor over None or a number.

    ``depth``: containers inside each other, of another kind in one than in the other.
    """
    if second is None:
        return first if first is not None else Unknown()
    if first is None or first is second:
        return second
    if first == second:
        return _equal(first, second)
    match first, second:
        case Tensor(), Tensor():
            return Tensor(
                first.nodes | second.nodes,
                first.dtype if first.dtype == second.dtype else None,
                first.scalar and second.scalar,
                first.born if first.born is second.born else None,
                first.raw and second.raw,
                maybe=max(first.maybe, second.maybe),
                certain=first.certain and second.certain,
                constant=first.constant and second.constant,
                computed=first.computed and second.computed,
                flat=flat_of(first.flat, second.flat),
                doubt=max(first.doubt, second.doubt),
            )
        case Instance(), Instance():
            return Instance(first.records | second.records)
        case Listing(), Listing():
            return Listing(first.records | second.records)
        case Mapping(), Mapping():
            return Mapping(first.records | second.records)
        case Tuple(), Tuple() if len(first.items) == len(second.items):
            names = first.names if first.names == second.names else ()
            pairs = zip(first.items, second.items, strict=True)
            return Tuple(tuple(join(one, other, depth) for one, other in pairs), names)
        case Array(), Array():
            return Array(
                first.dtype if first.dtype == second.dtype else None,
                first.memory | second.memory,
                first.views | second.views,
                None if None in (first.least, second.least) else min(_leasts(first, second)),
                flat_of(first.flat, second.flat),
            )
        case External(), External() if _is_choice_of_types(first.name, second.name):
            return first if first.name.startswith("torch.cuda.") else second
        case Optimizer(), Optimizer():
            return Optimizer(first.nodes | second.nodes, first.made | second.made)
    return _join_kinds(first, second, depth)


def flat_of(first: Flat, second: Flat) -> Flat:
    """Of what may be either of two tensors, or is computed of both, element by element."""
    if first is second:
        return first
    return Flat.NO if Flat.NO in (first, second) else Flat.LIKELY


def _is_choice_of_types(first: str, second: str) -> bool:
    """``torch.cuda.FloatTensor if cuda else torch.FloatTensor``: where there is CUDA, the first."""
    both = sorted((first, second), key=len)
    typed = both[1] if both[1].startswith("torch.cuda.") and both[1].endswith("Tensor") else ""
    host = typed.replace(".cuda.", ".")
    return bool(typed) and both[0] in (host, host.replace("FloatTensor", "Tensor"))


def _equal(first: Value, second: Value) -> Value:
    if isinstance(first, Const) and isinstance(second, Const) and first.written != second.written:
        return replace(second, written=first.written | second.written)
    if isinstance(first, Plain) and isinstance(second, Plain) and first.option != second.option:
        return replace(second, option="")
    return second


def _leasts(*arrays: Array) -> list[int]:
    return [a.least for a in arrays if a.least is not None]


def _join_kinds(first: Value, second: Value, depth: int) -> Value:
    if isinstance(first, Either) or isinstance(second, Either):
        return _either(first, second, depth)
    for one, other in ((first, second), (second, first)):
        if isinstance(one, Unknown):
            return _beside_unknown(other, one)
        if one == NONE:
            return _or_else(other, "none")
    if (devices := _join_devices(first, second)) is not None:
        return devices
    for one, other in ((first, second), (second, first)):
        if isinstance(one, _SCALARS) and not isinstance(other, _SCALARS):
            return _perhaps(_or_else(other, "other"))
    for one, other in ((first, second), (second, first)):
        if isinstance(one, Opaque):
            return _perhaps(other)
    if isinstance(first, _SCALARS):
        plain = [v for v in (first, second) if isinstance(v, Plain)]
        reads, storage = any(v.reads for v in plain), any(v.storage for v in plain)
        if is_number(first) and is_number(second):
            return NUMBER
        return Plain(reads=reads, storage=storage) if reads or storage else PLAIN
    if isinstance(first, _CALLABLES) and isinstance(second, _CALLABLES):
        return one_of((*options(first), *options(second)))
    return _join_containers(first, second, depth)


def _beside_unknown(value: Value, unknown: Unknown) -> Value:
    """What is known wins, but what it meets may meet what was not seen instead."""
    if unknown.reason in ("", RECURSIVE):
        return _perhaps(value)
    if isinstance(value, (Instance, Function, Bound)):
        return _of_kinds((value, unknown))
    return _perhaps(value, unknown.reason)


def _or_else(value: Value, kind: str) -> Value:
    """A tensor that may be something else; ``other`` outweighs ``none``."""
    if isinstance(value, Tensor):
        return replace(value, maybe=max(value.maybe, kind))
    return value


def _perhaps(value: Value, doubt: str = "") -> Value:
    """The value of one branch, where the other has something else; ``doubt``: nobody knows what."""
    if isinstance(value, Tensor) and (value.certain or doubt > value.doubt):
        return replace(value, certain=False, doubt=max(doubt, value.doubt))
    return value


def _join_containers(first: Value, second: Value, depth: int) -> Value:
    if isinstance(first, _CONTAINERS) and isinstance(second, _CONTAINERS):
        if not depth:
            return Unknown("deeply nested")
        # a list may hold itself: the elements are joined with what is left of the depth
        parts = element(first, depth - 1), element(second, depth - 1)
        return Stream(_shallow(join(*parts, depth - 1)))
    return _of_kinds((first, second))


def _either(first: Value, second: Value, depth: int) -> Value:
    """One of them may be of several kinds already: those of one kind are joined.

    What was not seen says nothing of the kinds that were.
    """
    found: list[Value] = []
    both = (*alternatives(first), *alternatives(second))
    for value in both:
        if isinstance(value, (Opaque, *_SCALARS)):
            continue
        known = [join(part, value, depth) for part in found]
        alike = [at for at, joined in enumerate(known) if not isinstance(joined, Either)]
        if alike:
            found[alike[0]] = known[alike[0]]
        else:
            found.append(value)
    for value in both:
        if isinstance(value, _SCALARS):
            found = [join(part, value, depth) for part in found]
    return _of_kinds(found)


def _of_kinds(parts: Iterable[Value]) -> Value:
    known = sorted(parts, key=lambda part: type(part).__name__)
    if len(known) == 1:
        return known[0]
    return Either("different kinds of value", parts=tuple(known))


def alternatives(value: Value) -> tuple[Value, ...]:
    """What ``value`` may be, one of each kind."""
    return value.parts if isinstance(value, Either) else (value,)


def unsure(value: Either) -> tuple[Value, ...]:
    """The same for one who does not ask which: nothing can be written behind a tensor then."""
    return tuple(_perhaps(_or_else(part, "other")) for part in value.parts)


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
    typed, origins = left.typed and right.typed, left.origins | right.origins
    if left.label is right.label and left.label is not None:
        agnostic = left.agnostic and right.agnostic
        written = left.written | right.written
        card = left.card if left.card == right.card else ""
        return Device(
            left.label, agnostic=agnostic, typed=typed, written=written, card=card, origins=origins
        )
    if left.label is None or right.label is None:
        return Device(None, left.nodes | right.nodes, typed=typed, origins=origins)
    card = left.card if left.label is Label.TARGET else right.card
    return Device(Label.TARGET, typed=typed, card=card, origins=origins)


def _is_number(value: Value) -> bool:
    return isinstance(value, Const) and not isinstance(value.value, str)


def options(value: Value) -> tuple[Value, ...]:
    """The callables that ``value`` may be."""
    return value.options if isinstance(value, OneOf) else (value,)


def one_of(values: Iterable[Value]) -> Value:
    """A choice between callables; a long one is not worth following."""
    unique = tuple({value: value for value in values}.values())  # the newest of those alike
    if len(unique) == 1:
        return unique[0]
    return OneOf(unique) if len(unique) <= 6 else Unknown("many callables")


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
    """The join of all of them; ``Unknown`` for none."""
    result: Value | None = None
    for value in values:
        if value is not None:
            result = join(result, value, depth)
    return result if result is not None else Unknown()


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
            return Tensor(value.nodes, *known, constant=value.constant, computed=value.computed)
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
    opened: set[object] = set()
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if type(part) not in _HOLDER_TYPES:
            yield part
        elif (name := _identity(part)) not in opened:
            opened.add(name)
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
