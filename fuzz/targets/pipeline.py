"""Whole programs: what `devicefix apply` makes of them, up to its fixed point, in memory."""

from __future__ import annotations

import ast
import functools
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from devicefix.codemod import Codemod
from devicefix.engine import Change, Piece, Report, commit, rehearsal, undo
from devicefix.engine.checks import undefined_names
from devicefix.settings import Settings
from devicefix.source import Source, SourceError
from fuzz.places import remembering, workplace
from fuzz.seeds import cases, encoded, examples, texts_of
from fuzz.splicing import splicer
from fuzz.target import Target, require

_TOLERATED: Final = "leaves a name undefined"
"""A fix that was not made after all: what reads names above the statements that bind them is
broken already, and splicing makes a lot of that."""


def check(data: bytes) -> None:
    """No error that Python does not have as well, and all that is promised of a rewritten file."""
    if b"torch" not in data:
        data = b"import torch\n" + data
    report = rewritten(data)
    for error in report.errors:
        if _TOLERATED not in error.reason:
            ours = "internal error" in error.reason
            require(not ours and not _compiles(data), f"error: {error.reason}")
    if not report.changes:
        return
    ((_, change),) = report.changes
    require(change.before == data, "the file was another one")
    _new_text(change)
    _only_edits(report, change)
    require(not rewritten(change.after).changes, "a second run changes something")
    _there_and_back(report, change)


def rewritten(data: bytes) -> Report:
    """What `apply` would make of a file; nothing is written."""
    file = _file()
    run = rehearsal([file], Settings(unsafe_fixes=True), overlay={file: data}, codemods=_codemods())
    return run.report()


def _there_and_back(report: Report, change: Change) -> None:
    """`apply` writes it, and `undo` takes it back."""
    file = _file()
    file.write_bytes(change.before)
    try:
        with remembering(file.parent / "state"):
            require(not commit(report, allow_dirty=True).errors, "it could not be written")
            require(file.read_bytes() == change.after, "other bytes were written")
            require(not undo([file]).errors, "it could not be taken back")
        require(file.read_bytes() == change.before, "other bytes were restored")
    finally:
        file.unlink()


@functools.cache
def _file() -> Path:
    return workplace() / "program.py"


@functools.cache
def _codemods() -> Sequence[type[Codemod]]:
    from devicefix.engine.registry import load_codemods

    return tuple(load_codemods())


def _compiles(data: bytes) -> bool:
    """Whether Python accepts it as a file; of mere bytes it does not look at all comments."""
    try:
        data.decode("ascii" if b"coding" in data else "utf-8")
    except UnicodeDecodeError:
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(data)
            compile(data, "program.py", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def _new_text(change: Change) -> None:
    """It parses, compiles if it did, and has no new undefined names."""
    try:
        before = Source.from_bytes(change.before, "before.py")
        known = undefined_names(before.text)
    except (SourceError, SyntaxError, ValueError):
        return  # converted from Python 2: a target of its own
    after = Source.from_bytes(change.after, "after.py")
    require(not _compiles(change.before) or _compiles(change.after), "it does not compile any more")
    require(not undefined_names(after.text) - known, "a new undefined name")
    require(before.newline == after.newline, "other line ends")


def _only_edits(report: Report, change: Change) -> None:
    """All that no edit has replaced is as it was, byte for byte."""
    before = change.before.decode(change.encoding)
    after = change.after.decode(change.encoding)
    pieces = [piece for g in report.groups for there in g.pieces.values() for piece in there]
    at = there = 0
    for old, new in _joined(pieces):
        require(before[at : old[0]] == after[there : new[0]], "something changed beside the edits")
        at, there = old[1], new[1]
    require(before[at:] == after[there:], "something changed behind the edits")


def _joined(pieces: Sequence[Piece]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """The pieces in their order, those that touch as one."""
    spans = sorted(((p.before.start, p.before.end), (p.after.start, p.after.end)) for p in pieces)
    last: tuple[tuple[int, int], tuple[int, int]] | None = None
    for old, new in spans:
        if last is not None and (old[0] <= last[0][1] or new[0] <= last[1][1]):
            last = (
                (min(last[0][0], old[0]), max(last[0][1], old[1])),
                (min(last[1][0], new[0]), max(last[1][1], new[1])),
            )
            continue
        if last is not None:
            yield last
        last = old, new
    if last is not None:
        yield last


def seeds() -> Iterator[bytes]:
    """The cases of all codemods, the programs in the tests of the analysis, small examples."""
    yield from (data for data in encoded(cases()) if len(data) < TARGET.longest)
    yield from (text.encode() for text in texts_of("flow", 60) if _is_program(text))
    yield from (data for data in examples() if len(data) < TARGET.longest)


def _is_program(text: str) -> bool:
    return "\n" in text and text.isascii() and _compiles(text.encode())


TARGET: Final = Target(check, seeds, 3_000, splicer(lambda: seeds()))
