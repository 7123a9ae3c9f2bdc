"""The frozen types that every layer shares: where, what to change, how sure, and why.

Offsets are indices into the *decoded* text of a file (``Source.text``), never bytes of the file.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable

from msgspec import Struct


class Applicability(enum.IntEnum):
    """How sure a fix is; the weakest member decides for a whole group (ruff's terms)."""

    DISPLAY = 0
    """A person decides; never applied."""
    UNSAFE = 1
    """Applied with ``--unsafe-fixes`` only."""
    SAFE = 2
    """Applied by default."""


class Span(Struct, frozen=True, order=True):
    """A half-open range ``[start, end)`` of the decoded text."""

    start: int
    end: int


class Edit(Struct, frozen=True, order=True):
    """Replace ``text[start:end]`` by ``text``; an insertion where ``start == end``.

    ``rank`` orders insertions at one offset: lower ranks come first in the new text.
    """

    start: int
    end: int
    rank: int
    text: str
    path: str = ""
    """The file, where it is not that of the finding: one decision may reach into several."""


def in_order(edits: Iterable[Edit]) -> list[Edit]:
    """``edits``, each once, as they come in the new text: insertions before what is replaced there,
    those of one place by rank, then as given."""
    return sorted(dict.fromkeys(edits), key=lambda e: (e.start, e.end > e.start, e.rank))


class Fix(Struct, frozen=True):
    """The edits of one finding, and the decision (``group``) they belong to.

    All fixes of one file with the same group are applied, rejected, selected and undone together;
    where the group is ``shared``, those of all files of the program are.
    """

    edits: tuple[Edit, ...]
    applicability: Applicability
    group: str
    shared: bool = False
    early: bool = False
    """Other decisions are made about the text that this one gives: they wait for it."""
    needed: bool = False
    """Without it the program stops where there is an accelerator."""
    placed: bool = True
    """False where there were edits, and the text in which they have their places stands nowhere."""


def place_text(
    path: str, line: int | None, column: int | None = None, cell: int | None = None
) -> str:
    """A place as all reports name it: ``train.py:3:5``, ``lesson.ipynb:cell 2:3:5``."""
    parts = [path, f"cell {cell}" if cell is not None else "", line or "", column or ""]
    return ":".join(str(part) for part in parts if part)


class Place(Struct, frozen=True):
    """Where people find something: 1-based; columns count characters."""

    line: int
    column: int
    cell: int | None = None
    """Of a notebook: its number among all cells; ``line`` is one of the cell's."""


class Mention(Struct, frozen=True):
    """A line that the sentences of a finding name."""

    name: str
    """As it stands there: ``line 8``, ``cell 2, line 3``, ``model.py:8``."""
    path: str
    offset: int
    """Where the line starts."""


class Finding(Struct, frozen=True):
    """One offence at one place.

    ``line`` and ``column`` are 1-based (columns count characters), of the ``cell`` in a notebook;
    ``advice`` says what a person must decide where there is no safe fix.
    """

    code: str
    rule: str
    message: str
    path: str
    span: Span
    line: int
    column: int
    fix: Fix | None = None
    advice: str = ""
    cell: int | None = None
    """Of a notebook, counted among all its cells."""
    mentions: tuple[Mention, ...] = ()
    """Lines that ``message`` and ``advice`` name."""
    seen: bool = False
    """It rests on what a run has seen (`--evidence`): the sources alone do not say it."""

    @property
    def where(self) -> str:
        """File, cell and line."""
        return place_text(self.path, self.line, cell=self.cell)


class Reason(enum.Enum):
    """Why a use of CUDA remains."""

    ASKED = "check only"
    """The program asks whether there is CUDA, or compares or chooses by a device's name."""
    HARMLESS = "harmless"
    """It does nothing or gives 0 where there is no CUDA."""
    GUARDED = "guarded"
    """It stands below a check for CUDA."""
    NEEDED = "needs CUDA"
    """The program needs it."""
    REPORTED = "reported"
    """A rule reports it, and does not fix it."""
    UNKNOWN = "not understood"
    """Nothing is known of it."""


class CudaUse(Struct, frozen=True):
    """One place where a program names CUDA, as one look at it finds it."""

    span: Span
    """Of the call that is made or is given it: ``net.cuda()``, ``f("cuda")``; or as `name`."""
    name: Span
    """Of what names CUDA in it: ``cuda()``, ``"cuda"``."""
    reason: Reason
    detail: str = ""
    """What is known besides."""
