"""Methods of lists, dicts, tuples and iterators."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.flow.binding import extend, forget_order
from devicefix.flow.dicts import join_item, join_rest, note_perhaps
from devicefix.flow.escapes import hand_over_all
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.iteration import new_list, pairs_of
from devicefix.flow.joins import element, join, join_all
from devicefix.flow.overloads import compare_items, look_for
from devicefix.flow.storing import stored
from devicefix.flow.values import (
    NONE,
    PLAIN,
    Const,
    DictRecord,
    Listing,
    Mapping,
    Stream,
    Tuple,
    Unknown,
    Value,
    is_none,
)

_REORDER = frozenset({
    "__delitem__", "appendleft", "clear", "extendleft", "get_nowait", "insert", "move_to_end",
    "pop", "popitem", "popleft", "remove", "reverse", "rotate", "sort",
})  # fmt: skip
"""Methods after which an item stands at another place, or is gone."""

_SEARCHES = frozenset({"__contains__", "count", "index", "remove"})
"""Methods that compare what they are given with the items."""


def call_container_method(
    frame: Frame, tree: ast.expr, receiver: Value, name: str, args: Arguments
) -> Value:
    """``receiver.name(args)`` for a list, set, deque, dict, tuple or iterator."""
    if name in _REORDER:
        forget_order(frame, receiver)
    if name == "__setitem__":
        hand_over_all(frame, tree, args, "an item set by a method")
    if name == "sort" and is_none(args.value(None, "key") or NONE):
        compare_items(frame, tree, receiver)
    if name in _SEARCHES and args.positional:
        look_for(frame, tree, args.positional[0], (None, receiver))
    if name == "__getitem__" and isinstance(receiver, Mapping):
        return call_container_method(frame, tree, receiver, "get", args)
    if name == "__getitem__":
        return element(receiver) or Unknown("an item returned by a method")
    match receiver:
        case Listing():
            return _list_method(frame, tree, receiver, name, args)
        case Mapping(records=records):
            return join_all(_dict_method(frame, tree, r, name, args) for r in records)
        case _:
            if name in ("asend", "athrow", "send", "throw"):
                hand_over_all(frame, tree, args, "it is sent to a generator")
            if name in ("__next__", "asend", "next", "send"):
                return element(receiver) or Unknown("an element")
            return PLAIN


def _list_method(
    frame: Frame, tree: ast.expr, receiver: Listing, name: str, args: Arguments
) -> Value:
    if name in ("append", "add", "appendleft", "insert", "put") and args.positional:
        value = stored(frame, args.positional[-1])
        for record in receiver.records:
            extend(frame, record, value)
    elif name in ("extend", "update", "extendleft") and args.positional:
        part = element(args.positional[0][1])
        for record in receiver.records:
            if part is not None:
                extend(frame, record, part)
    elif name in ("pop", "popleft", "get", "get_nowait", "__next__", "next"):
        return element(receiver) or Unknown("an element")
    elif name in ("copy", "union", "intersection", "difference", "symmetric_difference"):
        others = [element(value) for _, value in args.positional]
        return new_list(frame, tree, join_all([element(receiver), *others]))
    return PLAIN


def _dict_method(
    frame: Frame, tree: ast.expr, record: DictRecord, name: str, args: Arguments
) -> Value:
    values = [*record.items.values(), record.element]
    if name == "items":
        known = [v for v in values if v is not None]
        if record.element is None and 0 < len(known) <= 8 and not record.reordered:
            pairs = zip(record.items, known, strict=True)
            return Tuple(tuple(Tuple((Const(k), v)) for k, v in pairs))
        return Stream(Tuple((PLAIN, join_all(values))))
    if name == "values":
        known = [v for v in values if v is not None]
        exact = record.element is None and not record.reordered
        return Tuple(tuple(known)) if exact else Stream(join_all(values))
    if name == "keys":
        return Stream(PLAIN)
    if name == "popitem":
        return Tuple((PLAIN, join_all(values)))
    if name in ("get", "pop", "setdefault"):
        return _keyed(frame, tree, record, name, args)
    if name == "update":
        update_dict(frame, record, args)
    if name == "copy":
        return Mapping(frozenset((record,)))
    return PLAIN


def _keyed(frame: Frame, tree: ast.expr, record: DictRecord, name: str, args: Arguments) -> Value:
    key = args.value(0)
    default = args.positional[1] if len(args.positional) > 1 else None
    if name == "setdefault" and default is not None:
        value = stored(frame, default)
        if isinstance(key, Const):
            join_item(frame, record, key.value, value)
        else:
            join_rest(frame, record, value)
    known = isinstance(key, Const) and key.value in record.items
    if isinstance(key, Const) and known:
        found: Value = record.items[key.value]
    else:
        found = join_all([*record.items.values(), record.element])
    if name == "get" and default is None and not (known and _is_there(frame, record, key)):
        return frame.bounded(join(found, NONE))
    if name in ("get", "pop") and default is not None:
        return frame.bounded(join(found if record.items or record.element else None, default[1]))
    return found


def _is_there(frame: Frame, record: DictRecord, key: Value | None) -> bool:
    """Whether this pass has put the item into the dict by now, on every path."""
    if not isinstance(key, Const) or key.value in record.perhaps:
        return False
    return (record, key.value) in frame.analysis.since


def update_dict(frame: Frame, record: DictRecord, args: Arguments) -> None:
    """``d.update(other, key=value)``, ``d |= other``."""
    pairs = [pair for value in _whole(args) for pair in pairs_of(value)]
    pairs += [(name, value) for name, (_, value) in args.keywords if name is not None]
    for key, value in pairs:
        if key is None:
            join_rest(frame, record, value)
        else:
            note_perhaps(frame, record, key)
            join_item(frame, record, key, value)


def _whole(args: Arguments) -> Iterator[Value]:
    """``other`` and ``more`` of ``update(other, **more)``, if they were seen."""
    first = args.value(0)
    if isinstance(first, (Listing, Mapping, Stream, Tuple)):
        yield first
    yield from (v for name, (_, v) in args.keywords if name is None and isinstance(v, Mapping))
