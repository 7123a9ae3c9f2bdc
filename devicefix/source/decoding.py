"""Bytes to text and back, by Python's own rules (PEP 263), without losing a byte."""

from __future__ import annotations

import codecs
import hashlib
import io
import re
import tokenize
from typing import Final

from devicefix.source.errors import SourceError

LINE_END: Final = re.compile(r"\r\n|\r|\n")
"""What ends a line for ``ast``; form feeds, vertical tabs and U+2028 do not."""

_LINE_END_BYTES: Final = re.compile(rb"\r\n|\r|\n")


def decode(data: bytes, path: str) -> tuple[str, str]:
    """Return the text of ``data`` and the name of its codec (``utf-8-sig`` where there is a BOM).

    Raises ``SourceError`` for UTF-16/32, null bytes, unknown codecs, bytes that the codec refuses,
    and codecs that would not give back the same bytes.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise SourceError(path, None, "is UTF-16 or UTF-32, which Python does not accept as source")
    null = data.find(b"\0")
    if null >= 0:
        raise SourceError(path, _line_of(data, null), "contains null bytes")
    encoding = _declared_encoding(data, path)
    text = _decode_with(data, encoding, path)
    if not encoding.startswith("utf-8") and encode(text, encoding, path) != data:
        raise SourceError(path, None, f"changes when it is decoded and encoded again as {encoding}")
    return text, encoding


def encode(text: str, encoding: str, path: str) -> bytes:
    """Return the bytes of ``text``; raises ``SourceError`` for what the codec cannot write."""
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        line = len(LINE_END.findall(text, 0, error.start)) + 1
        character = text[error.start : error.start + 1]
        reason = f"the file's encoding {encoding} has no character {character!r}"
        raise SourceError(path, line, reason) from None
    except (LookupError, ValueError) as error:
        raise SourceError(path, None, f"cannot be encoded as {encoding}: {error}") from None


def dominant_line_end(text: str) -> str:
    r"""Return the commonest of ``\n``, ``\r\n`` and ``\r``; ``\n`` where there is none."""
    crlf = text.count("\r\n")
    counts = {"\n": text.count("\n") - crlf, "\r\n": crlf, "\r": text.count("\r") - crlf}
    return max(counts, key=lambda newline: counts[newline])


def _declared_encoding(data: bytes, path: str) -> str:
    # CPython translates line ends before it looks for the cookie; tokenize.detect_encoding does
    # not, and would read a whole file of lone carriage returns as its first line.
    head = b"".join(line + b"\n" for line in _LINE_END_BYTES.split(data, maxsplit=2)[:2])
    try:
        return tokenize.detect_encoding(io.BytesIO(head).readline)[0]
    except SyntaxError as error:
        raise SourceError(path, _undecodable_line(data), str(error.msg)) from None


def _undecodable_line(data: bytes) -> int | None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return _line_of(data, error.start)
    return 1


def _decode_with(data: bytes, encoding: str, path: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        reason = (
            f"byte 0x{data[error.start]:02x} is not valid {encoding} (a `# coding:` line names "
            "another encoding)"
        )
        raise SourceError(path, _line_of(data, error.start), reason) from None
    except (LookupError, ValueError) as error:
        raise SourceError(path, 1, f"cannot be decoded as {encoding}: {error}") from None


def _line_of(data: bytes, offset: int) -> int:
    return len(_LINE_END_BYTES.findall(data, 0, offset)) + 1


def signature_of(data: bytes) -> str:
    """A digest of what a file holds."""
    return hashlib.blake2b(data, digest_size=20).hexdigest()
