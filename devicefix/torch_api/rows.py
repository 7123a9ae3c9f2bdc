"""How the rows of the tables are written: many names that share one fact, and one source for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, Literal, Protocol, TypeVar

ZeroDim = Literal["never", "always", "without dim", "as inputs", "reduced"]
"""When a result has no dimensions. ``never``: not to be known from the call (two vectors make one
by ``matmul``); take it as having some. ``without dim``: where the call names no ``dim``. ``as
inputs``: where every tensor operand has none. ``reduced``: a loss, unless the call says
``reduction="none"``.
"""

DOCS: Final = "https://docs.pytorch.org/docs/stable/"


class Named(Protocol):
    """A row that is found by its name."""

    @property
    def name(self) -> str: ...


Row = TypeVar("Row", bound=Named)


def table(*groups: Iterable[Row]) -> Mapping[str, Row]:
    """Return a read-only mapping from name to row; raise ``ValueError`` for a name given twice."""
    rows: dict[str, Row] = {}
    for group in groups:
        for row in group:
            if row.name in rows:
                raise ValueError(f"two rows for {row.name}")
            rows[row.name] = row
    return MappingProxyType(rows)


def words(text: str) -> frozenset[str]:
    """Return the names in a text that are separated by white space."""
    return frozenset(text.split())
