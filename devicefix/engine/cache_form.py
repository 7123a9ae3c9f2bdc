"""Outcomes as plain data, and back: no object is made but of the classes that are named here."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final

from devicefix.engine.report import FileError, FileResult, Left, Outcome
from devicefix.findings import Applicability, Edit, Finding, Fix, Mention, Span

_CLASSES: Final[dict[str, Any]] = {
    kind.__name__: kind
    for kind in (Outcome, FileResult, FileError, Left, Finding, Fix, Edit, Mention, Span)
}
_NAMES: Final[dict[type, tuple[str, ...]]] = {
    kind: tuple(field.name for field in fields(kind)) for kind in _CLASSES.values()
}
_SURE: Final = "Applicability"
_TUPLE: Final = ""


class FormError(ValueError):
    """It is no outcome, or one of another kind than that of a check."""


def plain(value: object) -> Any:
    """``value`` as lists, strings, numbers, booleans and None. Raises `FormError`."""
    if isinstance(value, Applicability):
        return [_SURE, int(value)]
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, tuple):
        return [_TUPLE, *map(plain, value)]
    names = _NAMES.get(type(value))
    if names is None:
        raise FormError(type(value).__name__)
    return [type(value).__name__, *(plain(getattr(value, name)) for name in names)]


def outcome(content: object) -> Outcome:
    """The outcome that `plain` made ``content`` of. Raises `FormError`."""
    try:
        made = _made(content)
    except (TypeError, ValueError, IndexError) as error:
        raise FormError(str(error)) from error
    if not isinstance(made, Outcome):
        raise FormError("no outcome")
    return made


def _made(content: Any) -> object:
    if not isinstance(content, list):
        if content is None or isinstance(content, (str, int)):
            return content
        raise FormError(type(content).__name__)
    name, *parts = content
    if name == _TUPLE:
        return tuple(map(_made, parts))
    if name == _SURE:
        return Applicability(*parts)
    kind = _CLASSES.get(name)
    if kind is None or len(parts) != len(_NAMES[kind]):
        raise FormError(f"no {name}")
    return kind(*map(_made, parts))
