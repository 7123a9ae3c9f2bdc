"""Places and amounts of a run as people read them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from devicefix.reporting.terminal import printable

if TYPE_CHECKING:
    from devicefix.records import Place

_UNITS: Final = ("", "k", "M", "G", "T", "P")
_THOUSAND: Final = 1000
_PLACE_WIDTH: Final = 44


def near(path: str) -> str:
    """``path`` from the working directory, where it lies below."""
    inside = Path(path).is_absolute() and Path(path).is_relative_to(Path.cwd())
    return printable(os.path.relpath(path) if inside else path)


def where(place: Place | None) -> str:
    """File and line."""
    return f"{near(place.file)}:{place.line}" if place is not None else "not recorded"


def short_where(place: Place | None, width: int = _PLACE_WIDTH) -> str:
    """File and line in at most ``width`` columns: the end of a path says more than its start."""
    text = where(place)
    return text if len(text) <= width else "…" + text[1 - width :]


def source_of(place: Place | None) -> str:
    """The line itself."""
    return printable(place.text) if place is not None else ""


def amount(number: float) -> str:
    """A number in three or four characters and a unit: 1.2 G."""
    size = float(number)
    for unit in _UNITS:
        if abs(size) < _THOUSAND or unit == _UNITS[-1]:
            break
        size /= _THOUSAND
    digits = f"{size:.0f}" if size == int(size) or size >= 100 else f"{size:.1f}"
    return f"{digits} {unit}".rstrip()


def bytes_of(number: int) -> str:
    """A number of bytes: 1.2 MB."""
    text = amount(number)
    return f"{text}B" if text[-1].isalpha() else f"{text} B"


def percent(part: float, whole: float) -> str:
    """A share; never 0.0 or 100.0 for what is neither nothing nor all."""
    if not whole:
        return "0%"
    share = 100 * part / whole
    if 0 < share < 0.1:
        return "< 0.1%"
    if 99.9 < share < 100:
        return "> 99.9%"
    return f"{share:.0f}%" if share in (0, 100) else f"{share:.1f}%"


def shape_of(shape: tuple[int, ...]) -> str:
    """As torch prints a size: [120, 1]."""
    return f"[{', '.join(map(str, shape))}]"
