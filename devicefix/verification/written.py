"""What a run has written to files of the copy, or removed, read when it has ended."""

from __future__ import annotations

import hashlib
import itertools
import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from devicefix.records.observations import Leaf
from devicefix.verification.packed import unpacked
from devicefix.verification.relocation import Relocation
from devicefix.verification.scratch import Scratch
from devicefix.verification.stored import holds_values, leaves_of, whole

MOST_FILES: Final = 1000
"""Files that are looked at, the oldest."""
MOST_TEXT: Final = 1_000_000
"""Bytes of a file that is read as text, line by line."""
MOST_VALUES: Final = 256_000_000
"""Bytes of a file that is read as values; of a larger one there is the digest."""
_BLOCK: Final = 1 << 20
_CODE: Final = frozenset({".py", ".ipynb"})
_NESTED: Final = 3
"""Packed files within each other."""
_GONE: Final = Leaf("", "file", text="removed")


@dataclass
class Written:
    """The files by path below the root of the copy, the oldest first."""

    texts: dict[str, str] = field(default_factory=dict)
    stored: dict[str, tuple[Leaf, ...]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """What was not read."""


def read_written(scratch: Scratch, relocation: Relocation) -> Written:
    """All files that were made, changed or removed since the copy was restored."""
    found = Written()
    listing = scratch.listing()
    reader = _Reader(found, relocation, scratch)
    files = sorted((_made(place), path, place) for path, place in scratch.written(listing))
    for _, path, place in files[:MOST_FILES]:
        try:
            reader.read(path, place)
        except OSError as error:
            found.notes.append(f"{path} was not compared: {error.strerror}")
    if len(files) > MOST_FILES:
        found.notes.append(f"only {MOST_FILES:,} of the {len(files):,} files written were compared")
    for path, target in itertools.islice(scratch.linked(listing), MOST_FILES):
        leads = os.fsdecode(relocation.text(os.fsencode(target)))
        found.stored[path] = (Leaf("", "file", text=f"a link to {leads}"),)
    for path in scratch.removed()[:MOST_FILES]:
        found.stored[path] = (_GONE,)
    return found


def _made(place: Path) -> int:
    try:
        return place.lstat().st_mtime_ns
    except OSError:
        return 0


class _Reader:
    """Reads what is in single files."""

    def __init__(self, found: Written, relocation: Relocation, scratch: Scratch) -> None:
        self._found = found
        self._relocation = relocation
        self._scratch = scratch

    def read(self, path: str, place: Path) -> None:
        """The file at ``place``. Raises `OSError`."""
        size = place.stat().st_size
        if size > MOST_VALUES:
            self._found.stored[path] = (whole(_digest(place), size),)
            return
        self._take(path, place.read_bytes())

    def _take(self, path: str, content: bytes, nested: int = 0) -> None:
        original = self._source(content)
        text = _text_of(content)
        if original is not None:
            self._found.stored[path] = (Leaf("", "file", text=f"a copy of {original}"),)
        elif text is not None:
            moved = self._relocation.text(text)
            self._found.texts[path] = moved.decode("utf-8", "replace")
        else:
            self._unpack(path, content, nested)

    def _unpack(self, path: str, content: bytes, nested: int) -> None:
        parts = unpacked(content) if nested < _NESTED and not holds_values(content) else None
        if not parts or len(parts) > MOST_FILES:
            self._found.stored[path] = leaves_of(content)
            return
        for name, part in parts:
            self._take(path + name, part, nested + 1)

    def _source(self, content: bytes) -> str | None:
        """The file of the tree that holds the same code: a program that keeps its code beside its
        results keeps what the change changes.
        """
        alike = self._code_by_size.get(len(content), ()) if content else ()
        root = self._scratch.root
        return next((path for path in alike if (root / path).read_bytes() == content), None)

    @cached_property
    def _code_by_size(self) -> dict[int, list[str]]:
        found: dict[int, list[str]] = {}
        for path in self._scratch.held:
            place = self._scratch.root / path
            if place.suffix in _CODE and place.is_file():
                found.setdefault(place.stat().st_size, []).append(path)
        return found


def _text_of(content: bytes) -> bytes | None:
    """None for what is no text, or a very long one."""
    if len(content) > MOST_TEXT or b"\0" in content:
        return None
    try:
        content.decode("utf-8")
    except ValueError:
        return None
    return content


def _digest(place: Path) -> str:
    digest = hashlib.blake2b(digest_size=16)
    with place.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
