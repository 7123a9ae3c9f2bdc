"""Files that hold other files, or one that is compressed: what is in them.

Archives and compressed files name the time at which they were made, so that two of them are never
the same to the byte. What they hold is.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Final, Protocol


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


MOST: Final = 256_000_000
"""Bytes that are unpacked of one file; one that holds more is compared as it is."""
_ZIP: Final = b"PK\x03\x04"
_TAR: Final = slice(257, 262)
_COMPRESSED: Final[tuple[tuple[bytes, Callable[[io.BytesIO], _Readable]], ...]] = (
    (b"\x1f\x8b", gzip.open),
    (b"BZh", bz2.open),
    (b"\xfd7zXZ\0", lzma.open),
)
"""How a compressed file begins, and what opens it."""
_DAMAGED: Final = (OSError, EOFError, ValueError, RuntimeError, NotImplementedError, zlib.error,
                   lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile)  # fmt: skip


def unpacked(content: bytes) -> list[tuple[str, bytes]] | None:
    """What is in a file, each with what is to be added to its path; None for no packed file."""
    try:
        return list(_parts(content))
    except (_NotPackedError, *_DAMAGED):
        return None


class _NotPackedError(Exception):
    pass


def _parts(content: bytes) -> Iterator[tuple[str, bytes]]:
    file = io.BytesIO(content)
    for magic, opened in _COMPRESSED:
        if content.startswith(magic):
            yield "", _read(opened(file), MOST)
            return
    if content.startswith(_ZIP):
        yield from _zipped(file)
    elif content[_TAR] == b"ustar":
        yield from _tarred(file)
    else:
        raise _NotPackedError


def _read(file: _Readable, most: int) -> bytes:
    found = file.read(most + 1)
    if len(found) > most:
        raise _NotPackedError
    return found


def _zipped(file: io.BytesIO) -> Iterator[tuple[str, bytes]]:
    left = MOST
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            if not info.is_dir():
                with archive.open(info) as part:
                    found = _read(part, left)
                left -= len(found)
                yield f"/{info.filename}", found


def _tarred(file: io.BytesIO) -> Iterator[tuple[str, bytes]]:
    left = MOST
    with tarfile.open(fileobj=file, mode="r:") as archive:
        for member in archive:
            part = archive.extractfile(member) if member.isfile() else None
            if part is not None:
                found = _read(part, left)
                left -= len(found)
                yield f"/{member.name}", found
