"""What a run has written to files of the copy, or removed, read when it has ended."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
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
    files = sorted((_made(place), path, place) for path, place in scratch.written())
    for _, path, place in files[:MOST_FILES]:
        try:
            _read(found, path, place, relocation)
        except OSError as error:
            found.notes.append(f"{path} was not compared: {error.strerror}")
    if len(files) > MOST_FILES:
        found.notes.append(f"only {MOST_FILES:,} of the {len(files):,} files written were compared")
    for path in scratch.removed()[:MOST_FILES]:
        found.stored[path] = (_GONE,)
    return found


def _made(place: Path) -> int:
    try:
        return place.lstat().st_mtime_ns
    except OSError:
        return 0


def _read(found: Written, path: str, place: Path, relocation: Relocation) -> None:
    size = place.stat().st_size
    if size > MOST_VALUES:
        found.stored[path] = (whole(_digest(place), size),)
        return
    _take(found, path, place.read_bytes(), relocation)


def _take(
    found: Written, path: str, content: bytes, relocation: Relocation, nested: int = 0
) -> None:
    text = _text_of(content)
    if text is not None:
        found.texts[path] = relocation.text(text).decode("utf-8", "replace")
        return
    parts = unpacked(content) if nested < _NESTED and not holds_values(content) else None
    if not parts or len(parts) > MOST_FILES:
        found.stored[path] = leaves_of(content)
        return
    for name, part in parts:
        _take(found, path + name, part, relocation, nested + 1)


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
