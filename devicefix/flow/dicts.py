"""Writes into dicts that tell evaluation whether another pass would find something else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from devicefix.flow.arrivals import ANY_KEY
from devicefix.flow.joins import join, join_all
from devicefix.flow.values import (
    DictRecord,
    Instance,
    ListRecord,
    Mapping,
    ObjectRecord,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from devicefix.flow.frame import Frame

ANY_NAME: Final = "*"
"""Stands for any text in the name of an attribute."""


def join_item(
    frame: Frame, record: DictRecord, key: object, value: Value, *, making: bool = False
) -> None:
    """``value`` may be under ``key``. ``making``: nobody can have read the dict yet."""
    put_item(frame, record, key, frame.bounded(join(record.items.get(key), value)), making=making)


def put_item(
    frame: Frame, record: DictRecord, key: object, value: Value, *, making: bool = False
) -> None:
    """``value`` is under ``key``, and nothing else."""
    old = record.items.get(key)
    if value != old and not (making and old is None):
        frame.analysis.note_change(record, key, old)
    record.items[key] = value
    if not making:
        show(frame, record, key, value)


def join_rest(frame: Frame, record: DictRecord, value: Value, *, making: bool = False) -> None:
    """``value`` may be under any key."""
    put_rest(frame, record, frame.bounded(join(record.element, value)), making=making)


def put_rest(
    frame: Frame, record: DictRecord | ListRecord, value: Value | None, *, making: bool = False
) -> None:
    """``value`` is under all keys that are not known, and nothing else; so it is in a list."""
    old = record.element
    if value != old and not (making and old is None):
        key = ANY_KEY if isinstance(record, DictRecord) else None  # as all others note it
        frame.analysis.note_change(record, key, old)
    record.element = value
    if not making and isinstance(record, DictRecord) and value is not None:
        show(frame, record, ANY_KEY, value)


def show(frame: Frame, record: DictRecord, key: object, value: Value) -> None:
    """What is put into ``vars(x)`` is an attribute of ``x``, past all that ``x`` would register."""
    for owner in record.shows:
        if key is not ANY_KEY and not isinstance(key, str):
            continue
        name = key if isinstance(key, str) else ANY_NAME
        put_attribute(frame, owner, name, value)


def put_attribute(frame: Frame, owner: ObjectRecord, name: str, value: Value) -> None:
    """``object.__setattr__(owner, name, value)``: a module does not register it."""
    owner.travels[name] = owner.parts[name] = False
    note_pattern(owner, name)
    owner.unregistered.update(value.modules if isinstance(value, Instance) else ())
    plain = isinstance(value, Tensor) and value.parameter
    frame.put(owner, name, replace(value, parameter=False) if plain else value)


def note_pattern(owner: ObjectRecord, name: str) -> None:
    """A name that is computed stands for all that it may be."""
    if ANY_NAME in name:
        owner.patterns.add(name)


def note_perhaps(frame: Frame, record: DictRecord, key: object) -> None:
    """The dict may have the item or not, unless it had it before."""
    if key not in record.items:
        frame.analysis.note_change(record, key, None)
        record.perhaps.add(key)


def items_of(value: Mapping) -> Iterator[tuple[object, Value, bool]]:
    """What is under each key that is known, and whether something surely is."""
    records = sorted(value.records, key=lambda record: record.serial)
    for key in dict.fromkeys(key for record in records for key in record.items):
        having = [record for record in records if key in record.items]
        sure = having == records and not any(key in record.perhaps for record in records)
        yield key, join_all(record.items[key] for record in having), sure


def spread(frame: Frame, record: DictRecord, other: Mapping) -> None:
    """``{**other}``: its items take the place of those that the dict has so far."""
    for key, value, sure in items_of(other):
        if sure:
            put_item(frame, record, key, value, making=True)
            continue
        note_perhaps(frame, record, key)
        join_item(frame, record, key, value, making=True)
    for each in other.records:
        if each.element is not None:
            join_rest(frame, record, each.element, making=True)
