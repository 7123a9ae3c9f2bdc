"""Digests by which what was recorded of a text finds its lines again. Standard library only."""

from __future__ import annotations

import hashlib
from typing import Final

_LINE: Final = 6
"""Bytes of the digest of one line."""


def digest_of_text(text: str) -> str:
    """A SHA-256 of a source text, whatever ends its lines."""
    return hashlib.sha256(_plain(text).encode("utf-8", "surrogatepass")).hexdigest()


def line_digests(text: str) -> list[str]:
    """A short digest of each line of a source text, in its order; white space counts."""
    return [
        hashlib.blake2b(line.encode("utf-8", "surrogatepass"), digest_size=_LINE).hexdigest()
        for line in _plain(text).split("\n")
    ]


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
