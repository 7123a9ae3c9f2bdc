"""What a run of the engine hands to those who show it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from devicefix.engine.choice import Identity
from devicefix.engine.known import Recognised
from devicefix.findings import Applicability, Finding, Place, Reason, Span, place_text
from devicefix.source import SourceError


class FileError(Struct, frozen=True):
    """Why one file could not be worked on; it never stops the others."""

    path: str
    line: int | None
    """1-based, where the reason has a place in the file."""
    reason: str
    cell: int | None = None
    """The cell of a notebook, in which the line is."""
    program: tuple[str, ...] = ()
    """All files of the program, the first included, where its analysis did not come to its end:
    what is wrong in them may be missing. Empty where it is about this file alone."""

    @classmethod
    def unfinished(cls, paths: Sequence[str], reason: str) -> FileError:
        """What is told of a program of which something may be missing, and why."""
        what = f"not fully analysed{_together_with(paths[1:])}"
        said = f"{what}: {reason}; findings there may be missing"
        return cls(paths[0], None, said, program=tuple(paths))

    @classmethod
    def of(cls, error: SourceError, path: str = "") -> FileError:
        """What is told of ``error``; of ``path``, where it is said to be another file's."""
        return cls(path or error.path, error.line, error.reason, error.cell)

    def __str__(self) -> str:
        return f"{place_text(self.path, self.line, cell=self.cell)}: error: {self.reason}"


_NAMED: Final = 3
"""Files of a program that a sentence names."""


def _together_with(others: Sequence[str]) -> str:
    names = list(others[:_NAMED])
    if len(others) > _NAMED:
        names.append(f"{len(others) - _NAMED} more files")
    if not names:
        return ""
    *first, last = names
    return f" together with {' and '.join((', '.join(first), last)) if first else last}"


class FileFailedError(Exception):
    """Raised where work on one file ends; `error` says why."""

    def __init__(self, path: str, line: int | None, reason: str) -> None:
        super().__init__(reason)
        self.error = FileError(path, line, reason)

    @classmethod
    def of(cls, error: SourceError) -> FileFailedError:
        """The same, where a text cannot be read."""
        failure = cls(error.path, error.line, error.reason)
        failure.error = FileError.of(error)
        return failure


class Left(Struct, frozen=True):
    """A finding that is not fixed, and why."""

    finding: Finding
    reason: str
    first: Finding | None = None
    """The same at its place in the file as it was, where ``finding`` is in the file to be written.
    """


class Remaining(Struct, frozen=True):
    """A use of CUDA that `apply` leaves, or has left."""

    path: str
    place: Place
    """In the file as it is, or is to be."""
    text: str
    """What is written there."""
    reason: Reason
    detail: str = ""
    """What is known besides; of one that is reported the rule, and why it is not fixed."""
    first: Place | None = None
    """Its place in the file as it was, where `place` is in the file to be written."""
    new: bool = False
    """Whether a fix writes it; `check` does not count it, as it is not there yet."""

    @property
    def where(self) -> str:
        """File, cell, line and column."""
        return place_text(self.path, self.place.line, self.place.column, self.place.cell)


class Remains(Struct, frozen=True):
    """All uses of CUDA that a run leaves."""

    uses: tuple[Remaining, ...]
    """By file, in the order of the text."""
    uncounted: tuple[str, ...] = ()
    """The files that could not be counted: not read, not parsed, not analysed, not written."""

    def without(self, paths: Collection[str]) -> Remains:
        """The same, but nothing is known of these files."""
        if not paths:
            return self
        uses = tuple(use for use in self.uses if use.path not in paths)
        return Remains(uses, tuple(sorted({*self.uncounted, *paths})))


class Change(Struct, frozen=True):
    """What a file holds before and after, byte for byte."""

    before: bytes
    after: bytes
    encoding: str
    codes: frozenset[str] = frozenset()
    """The rules whose fixes changed it, those that found something in another file included."""
    partners: frozenset[str] = frozenset()
    """The files that share fixes with it: all of them are written, or none."""


class Piece(Struct, frozen=True):
    """What one edit put in the place of what, in the decoded texts as they were and as they are."""

    before: Span
    after: Span


class AppliedGroup(Struct, frozen=True):
    """One decision that was, or would be, carried out in all its files."""

    identity: Identity
    """Its name in a `Choice`."""
    findings: tuple[Finding, ...]
    """What it fixes, at the places in the files as they were."""
    applicability: Applicability
    lines: Mapping[str, frozenset[int]]
    """By file the lines of the new text that it wrote, 1-based; the two around lines that it took
    out."""
    reason: str = ""
    """Why it is not safe, where it is not."""
    substance: str = ""
    """A digest of what it does and how sure it is: another one for the same name is another fix."""
    pieces: Mapping[str, tuple[Piece, ...]] = field(default_factory=dict)
    """By file what it replaced; of several groups they may overlap, as one builds on another."""

    @property
    def codes(self) -> tuple[str, ...]:
        """The rules that it is for."""
        return tuple(sorted({finding.code for finding in self.findings}))


class FileResult(Struct, frozen=True):
    """What was found in one file, by selected rules and not suppressed.

    The applicability of each finding is that of its whole group, members not shown included.
    Positions count in the file as it was read, but for `left` of a file that was rewritten: these
    count in the file as it now is. A fix whose offsets would name a text that stands nowhere has no
    edits.
    """

    path: str
    findings: tuple[Finding, ...]
    """All of them: those with a fix that `apply` makes or made, and those that are left."""
    applied: tuple[Finding, ...]
    """Fixed; empty after a mere check."""
    left: tuple[Left, ...]
    """For a person to decide."""
    change: Change | None = None
    """None where the file stays, or would stay, as it is."""
    remaining: tuple[Remaining, ...] = ()
    """The uses of CUDA that are not fixed, in the order of the text."""
    counted: bool = True
    """Whether these are all: False where the file was not analysed."""

    def unwritten(self) -> FileResult:
        """The same with all positions in the file as it was: it was not rewritten after all."""
        first = {x.finding: x.first for x in self.left if x.first is not None}
        if not first:
            return self
        found = [first.get(finding, finding) for finding in self.findings]
        found.sort(key=lambda finding: (finding.span, finding.code))
        left = tuple(Left(first.get(x.finding, x.finding), x.reason) for x in self.left)
        return replace(self, findings=tuple(found), left=left)


class Outcome(Struct, frozen=True):
    """What became of one program."""

    results: tuple[FileResult, ...]
    """One for each file, also where nothing was found."""
    errors: tuple[FileError, ...] = ()
    groups: tuple[AppliedGroup, ...] = ()
    """What was, or would be, applied; in the order in which it was."""
    unparsed: tuple[FileError, ...] = ()
    """Why files were left out that do not parse, and could not be converted."""
    recognised: tuple[Recognised, ...] = ()
    """What of the baseline was found; empty unless it was a mere check."""


class Stale(Struct, frozen=True):
    """An entry of the baseline that is not found any more."""

    path: str
    """As the baseline names it."""
    code: str
    line: str
    """The text of its line."""


class BaselineUse(Struct, frozen=True):
    """What a check has made of its baseline."""

    location: str
    hidden: int
    """Findings that are in it and are not reported."""
    stale: tuple[Stale, ...]
    """What it has of files that were looked at, or are gone, by rules that are selected."""


class Report(Struct, frozen=True):
    """The outcome of one run."""

    files: tuple[FileResult, ...]
    """Only those in which something was found, and those that a fix of another one changes."""
    errors: tuple[FileError, ...]
    checked: int
    """How many files were looked at, those without a word of torch included."""
    seconds: float
    groups: tuple[AppliedGroup, ...] = ()
    """All that was, or would be, applied; empty after a mere check."""
    baseline: BaselineUse | None = None
    """None without a baseline, and where it was no mere check."""
    remains: Remains | None = None
    """None where not all of the files was looked at."""
    of_uncommitted: bool = False
    """Whether it is about the lines that git does not have yet, as somebody asked."""
    untracked: tuple[str, ...] = ()
    """Of the files that were written, those that git does not track."""

    def unwritten(self) -> Report:
        """The same where nothing was written after all."""
        files = tuple(result.unwritten() for result in self.files)
        if self.remains is None:
            return replace(self, files=files)
        uses = (replace(u, place=u.first or u.place, first=None) for u in self.remains.uses)
        return replace(self, files=files, remains=replace(self.remains, uses=tuple(uses)))

    @property
    def failed(self) -> frozenset[str]:
        """The files that could not be worked on, or not written."""
        return frozenset(error.path for error in self.errors if not error.program)

    @property
    def unfinished(self) -> frozenset[str]:
        """The files of programs whose analysis did not come to its end."""
        return frozenset(path for error in self.errors for path in error.program)

    @property
    def changes(self) -> tuple[tuple[FileResult, Change], ...]:
        """The files that were, or would be, rewritten."""
        return tuple((f, f.change) for f in self.files if f.change is not None)
