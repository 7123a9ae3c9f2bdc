"""Unified diffs that ``patch -p1`` and ``git apply`` take, byte for byte in the file's encoding.

Those of notebooks are for people: by cell, and not of the JSON; ``patch`` passes over them.
"""

from __future__ import annotations

import difflib
import itertools
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final, TextIO, TypeAlias

from devicefix.engine import Change, Report
from devicefix.reporting.patience import Opcode, hunks
from devicefix.reporting.terminal import console, printable
from devicefix.source import NOTEBOOK
from devicefix.source.decoding import LINE_END

_Lines: TypeAlias = Sequence[bytes]

_HUNK: Final = re.compile(r"@@ (-\S+ \+\S+) @@")
_STYLES: Final = (
    ("---", "bold"),
    ("+++", "bold"),
    ("@@", "cyan"),
    ("-", "red"),
    ("+", "green"),
)


def unified(path: str, change: Change) -> bytes:
    """The diff of one file, with ``a/`` and ``b/`` before its path from the working directory."""
    name = _name(path)
    if path.endswith(NOTEBOOK):
        return _by_cell(path, name, change)
    before, after = _lines(change.before), _lines(change.after)
    parts = [line for hunk in hunks(before, after) for line in _hunk(hunk, before, after)]
    if not parts:
        return b""
    header = b"--- %s\n+++ %s\n" % (_header(b"a/" + name), _header(b"b/" + name))
    return header + b"".join(map(_ended, parts))


def _hunk(opcodes: Sequence[Opcode], before: _Lines, after: _Lines) -> Iterator[bytes]:
    old = _range(opcodes[0][1], opcodes[-1][2])
    new = _range(opcodes[0][3], opcodes[-1][4])
    yield f"@@ -{old} +{new} @@\n".encode()
    for tag, start, end, first, last in opcodes:
        if tag == "equal":
            yield from (b" " + line for line in before[start:end])
        else:
            yield from (b"-" + line for line in before[start:end])
            yield from (b"+" + line for line in after[first:last])


def _range(start: int, end: int) -> str:
    """As `diff` writes it: from 1, without a length of 1; an empty range by the line above."""
    length = end - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


def _by_cell(path: str, name: bytes, change: Change) -> bytes:
    """The changed cells of a notebook."""
    from devicefix.source.notebooks import read_notebook

    before, after = (read_notebook(data, path) for data in (change.before, change.after))
    lines = [
        f"--- {os.fsdecode(_header(b'a/' + name))}",
        f"+++ {os.fsdecode(_header(b'b/' + name))}",
    ]
    for old, new in zip(before.cells, after.cells, strict=True):
        cleared = ", outputs cleared" if old.outputs and not new.outputs else ""
        one, other = (re.split(LINE_END, c.source) if c.source else [] for c in (old, new))
        for line in itertools.islice(difflib.unified_diff(one, other, lineterm=""), 2, None):
            hunk = _HUNK.fullmatch(line)
            lines.append(f"@@ cell {old.number}: {hunk[1]} @@{cleared}" if hunk else line)
    return "".join(line + "\n" for line in lines).encode("utf-8", "surrogateescape")


def unified_text(path: str, change: Change) -> str:
    """The same to be read: in characters, those that the encoding lacks replaced."""
    lines = _lines(unified(path, change))
    header = "".join(os.fsdecode(line) for line in lines[:2])
    return header + "".join(line.decode(change.encoding, "replace") for line in lines[2:])


def show_or_write(report: Report) -> None:
    """All diffs on stdout, to be read or to be applied."""
    if sys.stdout.isatty():
        show_diffs(report, sys.stdout)
    else:
        write_diffs(report, sys.stdout.buffer)


def write_diffs(report: Report, out: BinaryIO) -> None:
    """All diffs as they are: for a pipe or a file."""
    for result, change in report.changes:
        out.write(unified(result.path, change))
    out.flush()


def show_diffs(report: Report, out: TextIO) -> None:
    """All diffs in colour: for a terminal."""
    for result, change in report.changes:
        show_diff(result.path, change, out)


def show_diff(path: str, change: Change, out: TextIO) -> None:
    """One diff, to be read."""
    from rich.text import Text

    screen = console(out)
    for line in unified_text(path, change).removesuffix("\n").split("\n"):
        style = next((style for start, style in _STYLES if line.startswith(start)), "")
        screen.print(Text(printable(line.removesuffix("\r").expandtabs()), style))


def _lines(data: bytes) -> list[bytes]:
    """Lines as patch sees them: a carriage return ends none."""
    return [line for line in _pieces(data) if line]


def _pieces(data: bytes) -> Iterable[bytes]:
    *complete, rest = data.split(b"\n")
    yield from (line + b"\n" for line in complete)
    yield rest


def _ended(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def _name(path: str) -> bytes:
    absolute = Path(os.path.normpath(Path(path).absolute()))
    here = Path.cwd()
    name = absolute.relative_to(here) if absolute.is_relative_to(here) else absolute
    return os.fsencode(name.as_posix().lstrip("/"))


def _header(name: bytes) -> bytes:
    """As git writes names: quoted where a control character or a quote is in them."""
    if any(byte < 32 or byte in b'"\\\x7f' for byte in name):
        return b'"' + b"".join(_quoted(name)) + b'"'
    return name + b"\t" if b" " in name else name  # the tab ends a name that has spaces


def _quoted(name: bytes) -> Iterator[bytes]:
    for byte in name:
        if byte in b'"\\':
            yield b"\\" + bytes([byte])
        elif byte < 32 or byte == 127:
            yield b"\\%03o" % byte
        else:
            yield bytes([byte])
