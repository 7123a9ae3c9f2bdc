"""Outcomes as plain data, and back: no object is made but of the classes that are named here.

The data is a list with a row for each object, behind those of its parts, which it names by their
number. Equal objects are one: most findings are left, too, and are in the outcome twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct

from devicefix.engine.report import FileError, FileResult, Left, Outcome, Remaining
from devicefix.findings import Applicability, Edit, Finding, Fix, Mention, Place, Reason, Span


class FormError(ValueError):
    """It is no outcome, or one of another kind than that of a check."""


class _Kind(Struct, frozen=True):
    """How the objects of one class are written; its other fields are strings, numbers or None."""

    make: Callable[..., Any]
    fields: tuple[str, ...]
    parts: frozenset[int]
    """The fields with one object, by their number in the row."""
    groups: frozenset[int]
    """Those with a tuple of objects."""


def _kind(of: type[Struct], parts: tuple[str, ...] = (), groups: tuple[str, ...] = ()) -> _Kind:
    names = of.__struct_fields__
    numbers = {name: number for number, name in enumerate(names)}
    return _Kind(of, names, *(frozenset(numbers[x] for x in some) for some in (parts, groups)))


_KINDS: Final[dict[str, _Kind]] = {
    "Outcome": _kind(Outcome, (), ("results", "errors", "groups", "unparsed", "recognised")),
    "FileResult": _kind(FileResult, ("change",), ("findings", "applied", "left", "remaining")),
    "FileError": _kind(FileError),
    "Left": _kind(Left, ("finding", "first")),
    "Finding": _kind(Finding, ("span", "fix"), ("mentions",)),
    "Fix": _kind(Fix, ("applicability",), ("edits",)),
    "Applicability": _Kind(Applicability, ("value",), frozenset(), frozenset()),
    "Remaining": _kind(Remaining, ("place", "reason", "first")),
    "Reason": _Kind(Reason, ("value",), frozenset(), frozenset()),
    "Place": _kind(Place),
    "Edit": _kind(Edit),
    "Mention": _kind(Mention),
    "Span": _kind(Span),
}


def plain(value: object) -> list[Any]:
    """``value`` as lists, strings, numbers, booleans and None. Raises `FormError`."""
    rows: list[Any] = []
    _number(value, rows, {})
    return rows


def _number(value: object, rows: list[Any], known: dict[object, int]) -> int | None:
    """The number of the row for ``value``, which is added if it is not there."""
    if value is None:
        return None
    name = type(value).__name__
    kind = _KINDS.get(name)
    if kind is None:
        raise FormError(name)
    key = name, value
    if key not in known:
        row: list[Any] = [name]
        for number, field in enumerate(kind.fields):
            held = getattr(value, field)
            if number in kind.parts:
                row.append(_number(held, rows, known))
            elif number in kind.groups:
                row.append([_number(one, rows, known) for one in held])
            else:
                row.append(_scalar(held))
        known[key] = len(rows)
        rows.append(row)
    return known[key]


def _scalar(value: object) -> object:
    if value is None or type(value) in (str, int, bool):
        return value
    raise FormError(type(value).__name__)


def outcome(content: Any) -> Outcome:
    """The outcome that `plain` made ``content`` of. Raises `FormError`."""
    made: list[Any] = []
    try:
        for name, *row in content:
            kind = _KINDS[name]
            if len(row) != len(kind.fields):
                raise FormError(f"no {name}")
            for part in kind.parts:
                row[part] = made[row[part]] if row[part] is not None else None
            for group in kind.groups:
                row[group] = tuple(made[number] for number in row[group])
            made.append(kind.make(*row))
        found = made[-1]
    except (TypeError, ValueError, LookupError) as error:
        raise FormError(str(error)) from error
    if not isinstance(found, Outcome):
        raise FormError("no outcome")
    return found
