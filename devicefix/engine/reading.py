"""Reading files: what they import, and early whether they are any of our business."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from devicefix.engine.discovery import reason_of
from devicefix.engine.overlay import NOTHING, Overlay
from devicefix.engine.report import FileFailedError
from devicefix.source import NOTEBOOK, NotPythonError, Source, SourceError

LARGEST: Final = 5_000_000
"""Bytes; what is larger was made by a program, and its tree would take gigabytes."""
LARGEST_NOTEBOOK: Final = 100_000_000
"""Bytes with all that is displayed in it."""

_IMPORT: Final = re.compile(
    rb"(?:^(?:\xef\xbb\xbf)?|[;:])[ \t\f]*"
    rb"((?:from(?:[ \t]|\\\n)*[.\w]+(?:[ \t]|\\\n)+)?"
    rb"import\b(?:[ \t]*\([^)]*\)|(?:[^\n\\;]|\\\n)*))",
    re.MULTILINE,
)
"""A statement that imports, wherever it stands, also in a text that does not parse.

One that stands in a string is found, too: it only makes two files neighbours.
"""

_OLD: Final = re.compile(
    rb"^[ \t]*(?:print[ \t]+[^\s(=.,:\[]|print[ \t]*>>|exec[ \t]+[^\s(=.,:\[]"
    rb"|except[ \t]+[\w.(][^:\n]*,[ \t]*\w+[ \t]*:|raise[ \t]+[\w.]+[ \t]*,)",
    re.MULTILINE,
)
"""Statements of Python 2, also in a string: most files that Python 3 refuses have one."""


class Import(NamedTuple):
    """One module that a file imports, and the names that it takes from it."""

    module: str
    level: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scan:
    """What is known of a file before it is parsed."""

    path: str
    size: int
    mentions_torch: bool
    statements: tuple[str, ...]
    """Those that import."""
    looks_old: bool = False
    """Whether it may be Python 2."""

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
    if is_notebook(path):
        return _scan_notebook(path, data)
    return _scanned(path, data)


def _scanned(path: Path, data: bytes) -> Scan:
    mentions_torch = b"torch" in data
    if len(data) > LARGEST:
        if mentions_torch:
            raise _too_large(path, len(data))
        return Scan(str(path), len(data), False, ())
    found = _IMPORT.findall(data.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
    statements = tuple(statement.decode("utf-8", "replace") for statement in found)
    return Scan(str(path), len(data), mentions_torch, statements, bool(_OLD.search(data)))


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
        if b"torch" in data:
            raise FileFailedError.of(error) from error
        return Scan(str(path), 0, False, ())
    found = _scanned(path, source.text.encode("utf-8", "surrogatepass"))
    # what a cell imports that is left out, as it is broken, makes the notebook our business, too
    left_out = source.notebook is not None and bool(source.notebook.left_out)
    return replace(found, mentions_torch=found.mentions_torch or (left_out and b"torch" in data))


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
    return held if held is not None else _read_from_disk(path)


def _read_from_disk(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            before = os.fstat(file.fileno())
            if before.st_size > LARGEST_NOTEBOOK:  # it need not even be on the disk
                raise _too_large(path, before.st_size, LARGEST_NOTEBOOK)
            data = file.read()
            after = os.fstat(file.fileno())
    except OSError as error:
        raise FileFailedError(str(path), None, reason_of(error)) from error
    same = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
    if not same or len(data) != after.st_size:
        raise FileFailedError(str(path), None, "changed while it was read")
    return data
