"""Places as editors count them, in all three encodings, and documents as they are opened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from lsprotocol import types

from devicefix.lsp.documents import as_bytes, path_of
from devicefix.lsp.positions import Positions, characters, units
from devicefix.source import Source, SourceError
from fuzz.drawing import Draw
from fuzz.seeds import encoded, texts_of
from fuzz.target import Target, require

_ENCODINGS: Final = ("utf-8", "utf-16", "utf-32")
_MOST: Final = 3


def check(data: bytes) -> None:
    """Each offset leads to a position and back; any position is somewhere in the text."""
    draw = Draw(data)
    line, column = draw.number(40), draw.number(60_000)
    text = draw.rest().decode("utf-8", "replace") or "x"
    if line % 2:
        text = text.replace("\ufffd", "\ud800")  # half of a pair, as an editor may send it
    source = Source.from_text(text)
    for encoding in _ENCODINGS:
        _there_and_back(source, encoding)
        found = Positions(source, encoding).offset(types.Position(line, column))
        require(0 <= found <= len(text), "a position leads out of the text")
    _document(text)


def _there_and_back(source: Source, encoding: str) -> None:
    positions = Positions(source, encoding)
    for offset in range(0, len(source.text) + 1, max(1, len(source.text) // 64)):
        if source.text[max(0, offset - 1) : offset + 1] == "\r\n":
            continue  # between the two there is no place
        there = positions.position(offset)
        require(positions.offset(there) == offset, "an offset does not lead back to itself")
    line = source.text[: source.line_end(0)]
    require(characters(line, units(line, encoding), encoding) == len(line), "a line is too long")


def _document(text: str) -> None:
    """What an editor sends is bytes that can be read, or is refused as a file would be."""
    try:
        source = Source.from_bytes(as_bytes(text), "open.py")
    except SourceError:
        return
    fits = _fits(text, source.encoding)  # else nothing is edited (`Desk.workspace_edit`)
    require(source.text == text or not fits, "another text is read")
    path = path_of(text[:200], Path("/folder"))
    require(path is None or path.is_absolute(), "a document without a place")


def _fits(text: str, encoding: str) -> bool:
    """Whether a file in that encoding could hold the text."""
    try:
        return text.encode(encoding).decode(encoding) == text
    except UnicodeError:
        return False


def seeds() -> Iterator[bytes]:
    """Texts and addresses of the tests."""
    for number, data in enumerate(encoded(texts_of("lsp", 4))):
        yield bytes([number % 8, 0, number % 50]) + data


TARGET: Final = Target(check, seeds, 400)
