"""What loops yield: batches, samples, elements."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from devicefix.flow.construction import part_of
from devicefix.flow.dicts import (
    items_of,
    join_item,
    join_rest,
    note_perhaps,
    put_item,
    put_rest,
)
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.joins import element, exact_items, join, join_all, unsure
from devicefix.flow.memory import taken_apart
from devicefix.flow.operands import combine
from devicefix.flow.values import (
    PLAIN,
    Array,
    Const,
    Dataset,
    DictRecord,
    Either,
    Instance,
    Listing,
    ListRecord,
    Loader,
    Mapping,
    Opaque,
    Plain,
    Stream,
    Tensor,
    Tuple,
    Unknown,
    Value,
)


def iterated(frame: Frame, tree: ast.expr, source: Value) -> Value:
    """One element of ``source`` as a loop binds it."""
    match source:
        case Loader(element=batch):
            return batch
        case Instance(records=records):
            for record in records:
                if record.cls is not None and record.cls.lookup("__iter__") is not None:
                    inner = frame.call_method(tree, source, "__iter__")
                    return element(inner) or Unknown("an element")
                if record.cls is not None and record.cls.lookup("__getitem__") is not None:
                    return frame.call_method(tree, source, "__getitem__", PLAIN)
                if record.children:
                    return part_of(frame, record, join_all(record.children))
            return Unknown("an element of an object")
        case Either():
            return join_all(iterated(frame, tree, part) for part in unsure(source))
        case Unknown(reason=reason, foreign=foreign, place=place):
            return Unknown(reason, foreign=foreign, place=place)
        case _:
            return element(source) or Unknown("an element")


def collated(
    frame: Frame,
    tree: ast.AST,
    sample: Value,
    name: str = "",
    made: dict[frozenset[DictRecord], Mapping] | None = None,
) -> Value:
    """A batch as ``default_collate`` makes it from samples.

    ``made`` has the dicts that were met on the way: those that hold each other are made once.

    Numbers and arrays become host tensors, tuples and dicts keep their form, and tensors that the
    program has put on the device stay there
    (https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.default_collate).
    """
    made = {} if made is None else made
    match sample:
        case Tensor(nodes=nodes) if frame.graph.is_made_on_target(nodes):
            return Tensor(nodes, sample.dtype, constant=True)  # `torch.stack` of the samples
        case Tensor() | Array():
            # samples that live apart, such as those of two data sets, cannot be stacked
            combine(frame, tree, [(None, Stream(sample))])
            return frame.host_tensor(tree, name, dtype=sample.dtype)
        case Const(value=int()):
            return frame.host_tensor(tree, name, dtype="int64")
        case Const(value=float()):
            return frame.host_tensor(tree, name, dtype="float64")
        case Const(value=str()):
            return sample
        case Plain() | Opaque() | Unknown():
            # a number, an array or a tensor: whichever it is, the batch holds a host tensor
            # or a list of them, or of lists of them
            return taken_apart(frame, frame.host_tensor(tree, name), 1 if "." in name else 2)
        case Tuple(items=items):
            parts = (
                collated(frame, tree, item, f"{name}.{i}", made) for i, item in enumerate(items)
            )
            return Tuple(tuple(parts), sample.names, listed=not sample.names)
        case Mapping(records=records) if records in made:
            return made[records]
        case Mapping(records=records):
            record = frame.analysis.dict_record((frame.context, tree, name))
            made[records] = batch = Mapping(frozenset((record,)))
            for source in records:
                for key, value in source.items.items():
                    item = collated(frame, tree, value, f"{name}.{key}", made)
                    put_item(frame, record, key, item, making=True)
                if source.element is not None:
                    rest = collated(frame, tree, source.element, f"{name}.*", made)
                    put_rest(frame, record, rest, making=True)
            return batch
        case Listing() | Stream():
            inner = element(sample)
            return Stream(collated(frame, tree, inner or Unknown(), f"{name}.*", made))
        case _:
            return frame.host_tensor(tree, name)


def sample_of(frame: Frame, tree: ast.expr, dataset: Value) -> Value:
    """One sample of ``dataset``, from the program's own ``__getitem__`` where there is one."""
    match dataset:
        case Dataset(element=inner):
            return inner
        case Instance(records=records):
            if any(r.cls is not None and r.cls.lookup("__getitem__") for r in records):
                inside = Frame(frame.analysis, tree, frame, context=frame.context, caller=frame)
                inside.host = True
                return inside.call_method(tree, dataset, "__getitem__", PLAIN)
            if any(r.cls is not None and r.cls.lookup("__iter__") for r in records):
                inside = Frame(frame.analysis, tree, frame, context=frame.context, caller=frame)
                inside.host = True
                return element(inside.call_method(tree, dataset, "__iter__")) or Unknown()
            return Unknown("a sample of a dataset")
        case Tensor() | Listing() | Tuple() | Array() | Stream():
            return element(dataset) or Unknown("a sample")
        case _:
            return Unknown("a sample of a dataset")


def new_list(frame: Frame, tree: ast.AST, inner: Value | None, name: str = "") -> Listing:
    """A fresh list whose elements are ``inner``."""
    record: ListRecord = frame.analysis.list_record((frame.context, tree, name))
    if inner is not None:
        record.element = frame.bounded(join(record.element, inner))
    return Listing(frozenset((record,)))


def exact_list(frame: Frame, tree: ast.AST, items: tuple[Value, ...]) -> Listing:
    """A fresh list of these items."""
    record: ListRecord = frame.analysis.list_record((frame.context, tree))
    if record.element is None:
        record.items = items
    elif record.items is not None:
        same = len(items) == len(record.items)
        record.items = tuple(map(join, record.items, items)) if same else None
    for item in items:
        record.element = frame.bounded(join(record.element, item))
    return Listing(frozenset((record,)))


def new_dict(
    frame: Frame, tree: ast.AST, items: dict[object, Value], rest: Value | None = None
) -> Mapping:
    """A fresh dict with constant keys, and ``rest`` under any other."""
    record: DictRecord = frame.analysis.dict_record((frame.context, tree))
    frame.analysis.arrivals.forget(record)
    for key, value in items.items():
        put_item(frame, record, key, value, making=True)
        frame.analysis.note_made(record, key)
    if rest is not None:
        put_rest(frame, record, rest, making=True)
    return Mapping(frozenset((record,)))


def dict_of(frame: Frame, tree: ast.AST, args: Arguments) -> Mapping:
    """``dict(other)``, ``dict(pairs)``, ``dict(key=value)``, and what is one by another name."""
    named: dict[object, Value] = {k: v for k, (_, v) in args.keywords if k is not None}
    source = args.value(0)
    spread = [value for key, (_, value) in args.keywords if key is None]
    return merged(frame, tree, [*([] if source is None else [source]), *spread], named)


def merged(
    frame: Frame,
    tree: ast.AST,
    sources: Sequence[Value],
    named: dict[object, Value] | None = None,
) -> Mapping:
    """A fresh dict of all that ``sources`` hold: ``one | other``."""
    made = new_dict(frame, tree, named or {})
    for record in made.records:
        for key, value, sure in (pair for source in sources for pair in _pairs(source)):
            if key is None:
                join_rest(frame, record, value, making=True)
                continue
            if sure:
                frame.analysis.note_made(record, key)
            else:
                note_perhaps(frame, record, key)
            join_item(frame, record, key, value, making=True)
    return made


def _pairs(source: Value) -> Iterator[tuple[object, Value, bool]]:
    """The same as `pairs_of`, and whether the key is surely there."""
    sure = {key: sure for key, _, sure in items_of(source)} if isinstance(source, Mapping) else {}
    return ((key, value, sure.get(key, True)) for key, value in pairs_of(source))


def pairs_of(source: Value) -> Iterator[tuple[object, Value]]:
    """Keys and values; None is a key that is not known."""
    if isinstance(source, Mapping):
        for record in source.records:
            yield from record.items.items()
            if record.element is not None:
                yield None, record.element
        return
    for pair in exact_items(source) or (element(source),):
        match exact_items(pair) if pair is not None else ():
            case (Const(value=str() | int() as key), value):
                yield key, value
            case (_, value):
                yield None, value
            case _:
                yield None, Unknown("a value of a dict")
