"""What a run would change, hunk by hunk, and whose decision each line is."""

from __future__ import annotations

import hashlib

from msgspec import Struct

from devicefix.engine import Identity


class Line(Struct, frozen=True):
    """One line of a file, before or after."""

    number: int
    """1-based; in a notebook of the cell's source."""
    text: str
    """Without its line end; characters that its encoding lacks are replaced."""
    changed: tuple[tuple[int, int], ...] = ()
    """Half-open ranges of characters that the other side does not have; empty where the whole line
    is new, gone or the same."""


class Row(Struct, frozen=True):
    """What stands side by side; the same text on both sides is context."""

    before: Line | None
    after: Line | None
    proposals: tuple[str, ...] = ()
    """The ids of the groups that changed it; none for context, and for what was edited by hand."""

    @property
    def is_context(self) -> bool:
        """Whether nothing is changed here."""
        return (
            self.before is not None
            and self.after is not None
            and self.before.text == self.after.text
        )


class Hunk(Struct, frozen=True):
    """Neighbouring changes with three lines of context around them, as in a unified diff."""

    rows: tuple[Row, ...]
    scope: str = ""
    """The ``def`` or ``class`` line that it stands in, as diffs show it behind ``@@``."""
    cell: int | None = None
    """Of a notebook, counted among all its cells; a hunk lies in one cell."""

    @property
    def proposals(self) -> tuple[str, ...]:
        """The ids of all groups that have a line in it, in the order of their lines."""
        return tuple(dict.fromkeys(one for row in self.rows for one in row.proposals))


class FileHunks(Struct, frozen=True):
    """The hunks of one file, from top to bottom."""

    path: str
    hunks: tuple[Hunk, ...]


def identifier(identity: Identity) -> str:
    """A short name for a group."""
    return hashlib.sha256(repr(sorted(identity)).encode()).hexdigest()[:12]
