"""The frozen types that all layers share: places, edits, fixes and findings.

Offsets are indices into the *decoded* text of a file (``Source.text``), never bytes of the file.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable

from msgspec import Struct


class Applicability(enum.IntEnum):
    """How safe a fix is (ruff's terms). A group is as safe as its least safe member."""

    DISPLAY = 0
    """Needs a decision by the user; never applied."""
    UNSAFE = 1
    """Applied only with ``--unsafe-fixes``."""
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
    """The file, if it is not that of the finding: a group may edit several files."""


def in_order(edits: Iterable[Edit]) -> list[Edit]:
    """``edits`` without duplicates, in the order of the new text: an insertion comes before a
    replacement at the same place, and insertions at one place are ordered by rank."""
    return sorted(dict.fromkeys(edits), key=lambda e: (e.start, e.end > e.start, e.rank))


class Fix(Struct, frozen=True):
    """The edits of one finding, and the group that they belong to.

    All fixes of a file with the same group are applied, rejected, selected and undone together; if
    the group is ``shared``, those of all files of the program are.
    """

    edits: tuple[Edit, ...]
    applicability: Applicability
    group: str
    shared: bool = False
    early: bool = False
    """Other groups are determined only after this one is applied, on the new text."""
    needed: bool = False
    """The program fails on an accelerator without it."""
    placed: bool = True
    """False if its edits refer to an intermediate text and were therefore dropped."""


def place_text(
    path: str, line: int | None, column: int | None = None, cell: int | None = None
) -> str:
    """A place as all reports name it: ``train.py:3:5``, ``lesson.ipynb:cell 2:3:5``."""
    parts = [path, f"cell {cell}" if cell is not None else "", line or "", column or ""]
    return ":".join(str(part) for part in parts if part)


class Place(Struct, frozen=True):
    """A position for users: 1-based; columns count characters."""

    line: int
    column: int
    cell: int | None = None
    """In a notebook: the number of the cell among all cells; ``line`` counts within it."""


class Mention(Struct, frozen=True):
    """A line that is named in the texts of a finding."""

    name: str
    """The text that names it: ``line 8``, ``cell 2, line 3``, ``model.py:8``."""
    path: str
    offset: int
    """Where the line starts."""


class Finding(Struct, frozen=True):
    """One problem at one place.

    ``line`` and ``column`` are 1-based (columns count characters), in a notebook within the
    ``cell``. ``advice`` says what the user has to decide if there is no safe fix.
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
    """In a notebook: the number of the cell, counting all cells."""
    mentions: tuple[Mention, ...] = ()
    """The lines that ``message`` and ``advice`` name."""
    seen: bool = False
    """It depends on a recorded run (`--evidence`); the source alone does not show it."""

    @property
    def where(self) -> str:
        """File, cell and line."""
        return place_text(self.path, self.line, cell=self.cell)


class Reason(enum.Enum):
    """Why a use of CUDA remains."""

    ASKED = "query only"
    """The program checks for CUDA, or compares or chooses device names."""
    HARMLESS = "harmless"
    """It does nothing, or returns 0, without CUDA."""
    GUARDED = "guarded"
    """It is under a check for CUDA."""
    NEEDED = "needs CUDA"
    """The program needs it."""
    REPORTED = "reported"
    """A rule reports it but does not fix it."""
    UNKNOWN = "not understood"
    """Its meaning is unknown."""


class CudaUse(Struct, frozen=True):
    """One place where a program uses CUDA."""

    span: Span
    """The call that it is part of, ``net.cuda()`` or ``f("cuda")``; if none, the same as `name`."""
    name: Span
    """The part that names CUDA: ``cuda()``, ``"cuda"``."""
    reason: Reason
    detail: str = ""
    """Further information."""
