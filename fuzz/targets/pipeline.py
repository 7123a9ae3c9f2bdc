"""Whole programs: what `devicefix apply` makes of them, up to its fixed point.

A line ``# file: helper.py`` begins another file of the program.
"""

from __future__ import annotations

import ast
import functools
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from devicefix.codemod import Codemod
from devicefix.engine import Change, Piece, Report, commit, rehearsal, undo
from devicefix.engine.checks import undefined_names
from devicefix.settings import Settings
from devicefix.source import Source, SourceError
from fuzz.places import remembering, workplace
from fuzz.seeds import cases, examples, texts_of
from fuzz.splicing import splicer
from fuzz.target import Target, require

_PART: Final = re.compile(rb"^# file: (\w+)\.py\n", re.MULTILINE)
_COOKIE: Final = re.compile(rb"[ \t\f]*#.*?coding[:=]")
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_TOLERATED: Final = "leaves a name undefined"
"""A fix that was not made after all: what reads names above the statements that bind them is
broken already, and splicing makes a lot of that."""

Files = Mapping[Path, bytes]


def check(data: bytes) -> None:
    """No error that Python does not have as well, and all that is promised of rewritten files."""
    files = _files(data)
    report = rewritten(files)
    for error in report.errors:
        if _TOLERATED not in error.reason:
            ours = "internal error" in error.reason
            theirs = all(map(_compiles, files.values()))
            require(not ours and not theirs, f"error: {error.reason}")
    changes = {Path(result.path): change for result, change in report.changes}
    for path, change in changes.items():
        require(change.before == files[path], "the file was another one")
        _new_text(change)
        _only_edits(report, str(path), change)
    if changes:
        after = {path: changes[path].after if path in changes else files[path] for path in files}
        require(not rewritten(after).changes, "a second run changes something")
        _there_and_back(report, files, after)


def _files(data: bytes) -> Files:
    """The files of an input; the first one is called ``program.py`` and knows of torch."""
    first, *rest = _PART.split(data)
    first = first if b"torch" in first else b"import torch\n" + first
    others = {f"{name.decode()}.py": text for name, text in zip(rest[::2], rest[1::2], strict=True)}
    named = {"program.py": first, **others}
    return {_folder() / name: text for name, text in named.items()}


def rewritten(files: Files) -> Report:
    """What `apply` would make of a program; nothing is written, or read from the disk."""
    run = rehearsal(list(files), Settings(unsafe_fixes=True), overlay=files, codemods=_codemods())
    return run.report()


def _there_and_back(report: Report, before: Files, after: Files) -> None:
    """`apply` writes it, and `undo` takes it back."""
    for path, data in before.items():
        path.write_bytes(data)
    try:
        with remembering(_folder() / "state"):
            written = commit(report, allow_dirty=True)
            require(written.errors == report.errors, "it could not be written")
            require(_on_disk(before) == after, "other bytes were written")
            require(not undo([_folder()]).errors, "it could not be taken back")
        require(_on_disk(before) == before, "other bytes were restored")
    finally:
        for path in before:
            path.unlink()


def _on_disk(files: Files) -> Files:
    return {path: path.read_bytes() for path in files}


@functools.cache
def _folder() -> Path:
    folder = workplace() / "pipeline"
    folder.mkdir()
    return folder


@functools.cache
def _codemods() -> Sequence[type[Codemod]]:
    from devicefix.engine.registry import load_codemods

    return tuple(load_codemods())


def _compiles(data: bytes) -> bool:
    """Whether Python accepts it as a file; of mere bytes it does not look at all comments."""
    declared = any(map(_COOKIE.match, data.splitlines()[:2]))
    try:
        data.decode("ascii" if declared else "utf-8")
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
    found = undefined_names(after.text)
    require(known is None or (found is not None and not found - known), "a new undefined name")
    known_ends = set(_LINE_END.findall(before.text)) or {before.newline}
    require(known_ends >= set(_LINE_END.findall(after.text)), "other line ends")


def _only_edits(report: Report, path: str, change: Change) -> None:
    """All that no edit has replaced is as it was, byte for byte."""
    before = change.before.decode(change.encoding)
    after = change.after.decode(change.encoding)
    at = there = 0
    for old, new in _joined([p for group in report.groups for p in group.pieces.get(path, ())]):
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
    """The cases of all codemods, also as programs of two files; programs in tests; examples."""
    for text in cases():
        yield from (data.encode() for data in (text, _in_two(text)) if data)
    yield from (text.encode() for text in texts_of("flow", 60) if _is_program(text))
    yield from (data for data in examples() if len(data) < TARGET.longest)


def _is_program(text: str) -> bool:
    return "\n" in text and text.isascii() and _compiles(text.encode())


def _in_two(text: str) -> str:
    """The functions and classes of a program in a file of their own; empty where it has none."""
    if not _is_program(text):
        return ""
    source = Source.from_text(text)
    made = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    moved = [s for s in source.tree.body if isinstance(s, made)]
    imports = [s for s in source.tree.body if isinstance(s, ast.Import | ast.ImportFrom)]
    rest = [s for s in source.tree.body if s not in moved and s not in imports]
    if not moved or not rest:
        return ""

    def told(statements: Sequence[ast.stmt]) -> str:
        spans = map(source.statement_span, statements)
        return "".join(f"{text[span.start : span.end]}\n" for span in spans)

    names = ", ".join(statement.name for statement in moved)
    main = f"{told(imports)}from helper import {names}\n\n{told(rest)}"
    return f"{main}# file: helper.py\n{told(imports)}\n{told(moved)}"


TARGET: Final = Target(check, seeds, 3_000, splicer(lambda: seeds()))
