"""Reading files: what they import, and early whether they are any of our business."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from devicefix.engine.discovery import reason_of
from devicefix.engine.overlay import NOTHING, Overlay
from devicefix.engine.report import FileFailedError
from devicefix.source import NOTEBOOK, NotPythonError, Source, SourceError, signature_of

LARGEST: Final = 5_000_000
"""Bytes; what is larger was made by a program, and its tree would take gigabytes."""
LARGEST_NOTEBOOK: Final = 100_000_000
"""Bytes with all that is displayed in it."""

_WORD: Final = b"import"
_CONTINUES: Final = b"\\\n"
_CONTINUED: Final = 8
"""Lines; few statements have that many before the word."""
_HEAD: Final = (
    rb"(?:^(?:\xef\xbb\xbf)?|[;:])[ \t\f]*"
    rb"(%s(?:from(?:[ \t]|\\\n)*[.\w]+(?:[ \t]|\\\n)+)?import\b%s)"
)
_BEGINNING: Final = re.compile(_HEAD % (b"?=", b""), re.MULTILINE)
"""Where a statement begins that imports."""
_IMPORT: Final = re.compile(_HEAD % (b"", rb"(?:[ \t]*\([^)]*\)|(?:[^\n\\;]|\\\n)*)"), re.MULTILINE)
"""A statement that imports, wherever it stands, also in a text that does not parse.

One that stands in a string is found, too: it only makes two files neighbours.
"""

_OLD: Final = re.compile(
    rb"\n[ \t]*(?:print[ \t]+[^\s(=.,:\[]|print[ \t]*>>|exec[ \t]+[^\s(=.,:\[]"
    rb"|except[ \t]+[\w.(][^:\n]*,[ \t]*\w+[ \t]*:|raise[ \t]+[\w.]+[ \t]*,)"
)
"""Statements of Python 2, also in a string: most files that Python 3 refuses have one.

They begin a line, so the text needs a line end before its first one: a pattern that begins with a
byte is looked for ten times as fast as one that begins with ``^``.
"""

_CUDA: Final = re.compile(rb"""["']cuda["':]""")


class Import(NamedTuple):
    """One module that a file imports, and the names that it takes from it."""

    module: str
    level: int
    names: tuple[str, ...]


class Stamp(NamedTuple):
    """What changes when a file does."""

    size: int
    modified: int
    """Nanoseconds, as is `changed`, which nobody can set but the system."""
    changed: int
    number: int
    """Of the file on its disk: another one was put in its place."""


class Scan(Struct, frozen=True, eq=False):
    """What is known of a file before it is parsed."""

    path: str
    size: int
    mentions_torch: bool
    statements: tuple[str, ...]
    """Those that import."""
    looks_old: bool = False
    """Whether it may be Python 2."""
    signature: str = ""
    """A digest of its bytes; those that nothing else tells apart are equal."""
    names_cuda: bool = False
    """Whether it has a string such as ``"cuda:0"``."""

    def _compared(self) -> tuple[object, ...]:
        return self.path, self.size, self.mentions_torch, self.statements, self.looks_old

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scan) and self._compared() == other._compared()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._compared())

    def imports(self) -> Iterator[Import]:
        """What the file imports, in its order."""
        for statement in self.statements:
            yield from _imports(statement)


@lru_cache(maxsize=10_000)
def _imports(statement: str) -> tuple[Import, ...]:
    """What one statement imports: each is asked several times, and files have many in common."""
    found: list[Import] = []
    try:
        body = ast.parse(statement).body
    except (SyntaxError, ValueError):
        return ()
    for node in body:
        if isinstance(node, ast.Import):
            found += (Import(alias.name, 0, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = tuple(alias.name for alias in node.names)
            found.append(Import(node.module or "", node.level, names))
    return tuple(found)


def scan(path: Path, overlay: Overlay = NOTHING) -> Scan:
    """Read a file, or what ``overlay`` has in its place, for the first time.

    Raises `FileFailedError` where it cannot be read, changes meanwhile, or mentions torch and is
    too large to analyse.
    """
    data = _read(path, overlay)
    return scanned(path, data, signature_of(data))


def scanned(path: Path, data: bytes, signature: str) -> Scan:
    """The scan of what a file holds. Raises `FileFailedError`, as `scan` does."""
    found = _scan_notebook(path, data) if is_notebook(path) else _scanned(path, data)
    return replace(found, signature=signature)


def signature_at(path: Path) -> str:
    """The signature of the `Source` that `load` would give. Raises `FileFailedError`."""
    return signature_of(_read(path, NOTHING))


def _scanned(path: Path, data: bytes) -> Scan:
    mentions_torch = _mentions_torch(data)
    if len(data) > LARGEST:
        if mentions_torch:
            raise _too_large(path, len(data))
        return Scan(str(path), len(data), False, ())
    text = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data
    found = _statements(text)
    statements = tuple(statement.decode("utf-8", "replace") for statement in found)
    looks_old = _OLD.search(b"\n" + data) is not None
    names_cuda = b"cuda" in data and _CUDA.search(data) is not None
    return Scan(str(path), len(data), mentions_torch, statements, looks_old, names_cuda=names_cuda)


def _statements(text: bytes) -> Iterator[bytes]:
    """All that `_IMPORT` finds in ``text``, which is tried only around the word itself."""
    done, at = 0, text.find(_WORD)
    while at >= 0:
        line, end = _line(text, at)
        if line < 0:
            yield from (found[1] for found in _IMPORT.finditer(text, done))
            return
        start = _BEGINNING.search(text, max(line, done), end)
        found = _IMPORT.match(text, start.start()) if start is not None else None
        if found is not None:
            yield found[1]
            done = end = found.end()
        at = text.find(_WORD, end)


def _line(text: bytes, at: int) -> tuple[int, int]:
    """Where the line begins and ends that ``at`` stands in, the beginning with the lines before
    that a backslash continues; -1 where these are so many that to look at them again and again
    would take too long."""
    start, end = text.rfind(b"\n", 0, at) + 1, text.find(b"\n", at)
    for _ in range(_CONTINUED):
        if start < len(_CONTINUES) or not text.endswith(_CONTINUES, 0, start):
            return start, end if end >= 0 else len(text)
        start = text.rfind(b"\n", 0, start - 1) + 1
    return -1, end


def is_notebook(path: Path) -> bool:
    """Whether a file is a notebook by its name."""
    return path.name.endswith(NOTEBOOK)


def _scan_notebook(path: Path, data: bytes) -> Scan:
    """What its cells say; what is displayed below them, in megabytes, does not count."""
    if len(data) > LARGEST_NOTEBOOK:
        raise _too_large(path, len(data), LARGEST_NOTEBOOK)
    try:
        source = Source.from_bytes(data, str(path))
    except NotPythonError:
        return Scan(str(path), 0, False, ())
    except SourceError as error:
        if _mentions_torch(data):
            raise FileFailedError.of(error) from error
        return Scan(str(path), 0, False, ())
    found = _scanned(path, source.text.encode("utf-8", "surrogatepass"))
    # what a cell imports that is left out, as it is broken, makes the notebook our business, too
    left_out = source.notebook is not None and bool(source.notebook.left_out)
    mentions_torch = found.mentions_torch or (left_out and _mentions_torch(data))
    return replace(found, mentions_torch=mentions_torch)


def _mentions_torch(data: bytes) -> bool:
    """Whether it names torch, or asks a tokenizer of transformers for tensors, which are torch's:
    ``tokenizer(text, return_tensors="pt")``."""
    return b"torch" in data or b"return_tensors" in data


def load(path: Path, overlay: Overlay = NOTHING) -> Source:
    """Read and decode a file, or what ``overlay`` has in its place.

    Raises `FileFailedError` and `SourceError`.
    """
    data = _read(path, overlay)
    limit = LARGEST_NOTEBOOK if is_notebook(path) else LARGEST
    if len(data) > limit:
        raise _too_large(path, len(data), limit)
    return Source.from_bytes(data, str(path))


def _too_large(path: Path, number: int, most: int = LARGEST) -> FileFailedError:
    size = number / 1_000_000
    limit = most / 1_000_000
    reason = f"{size:.1f} MB, more than {limit:.0f} MB: probably generated, not analysed"
    return FileFailedError(str(path), None, reason)


def _read(path: Path, overlay: Overlay) -> bytes:
    held = overlay.text(path)
    return held if held is not None else read_from_disk(path)[0]


def read_from_disk(path: Path) -> tuple[bytes, Stamp]:
    """What a file holds, and its stamp from before that was read. Raises `FileFailedError`."""
    try:
        with path.open("rb") as file:
            before = stamp_of(os.fstat(file.fileno()))
            if before.size > LARGEST_NOTEBOOK:  # it need not even be on the disk
                raise _too_large(path, before.size, LARGEST_NOTEBOOK)
            data = file.read()
            after = stamp_of(os.fstat(file.fileno()))
    except OSError as error:
        raise FileFailedError(str(path), None, reason_of(error)) from error
    same = (before.size, before.modified) == (after.size, after.modified)
    if not same or len(data) != after.size:
        raise FileFailedError(str(path), None, "changed while it was read")
    return data, before


def stamp_of(status: os.stat_result) -> Stamp:
    """The stamp of a file with ``status``."""
    return Stamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
