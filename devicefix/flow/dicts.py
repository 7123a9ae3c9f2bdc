"""Writes into dicts that tell evaluation whether another pass would find something else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devicefix.flow.arrivals import ANY_KEY
from devicefix.flow.joins import join
from devicefix.flow.values import DictRecord, ListRecord, Value

if TYPE_CHECKING:
    from devicefix.flow.frame import Frame


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


def join_rest(frame: Frame, record: DictRecord, value: Value, *, making: bool = False) -> None:
    """``value`` may be under any key."""
    put_rest(frame, record, frame.bounded(join(record.element, value)), making=making)


def put_rest(
    frame: Frame, record: DictRecord | ListRecord, value: Value | None, *, making: bool = False
) -> None:
    """``value`` is under all keys that are not known, and nothing else; so it is in a list."""
    old = record.element
    if value != old and not (making and old is None):
        frame.analysis.note_change(record, ANY_KEY, old)
    record.element = value


def spread(frame: Frame, record: DictRecord, other: DictRecord) -> None:
    """``{**other}``: its items take the place of those that the dict has so far."""
    for key, value in other.items.items():
        put_item(frame, record, key, value, making=True)
    if other.element is not None:
        join_rest(frame, record, other.element, making=True)
