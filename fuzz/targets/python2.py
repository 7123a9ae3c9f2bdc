"""Texts of Python 2: left as they are with a reason, or made Python 3 that parses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from devicefix.dialect import Surroundings, convert
from devicefix.source import Source, SourceError
from fuzz.lines import line_splicer
from fuzz.seeds import ROOT, encoded, examples, texts_of
from fuzz.target import Target, require


def check(data: bytes) -> None:
    """What does not parse is refused, or parses once it is converted; notes have places."""
    try:
        source = Source.from_bytes(data, "old.py")
    except SourceError:
        return
    try:
        _ = source.tree
    except SourceError:
        _convert(source)


def _convert(source: Source) -> None:
    try:
        converted = convert(source, Surroundings())
    except SourceError as error:
        require("\n" not in str(error), "an error of several lines")
        return
    new = Source.from_text(source.apply(converted.edits))
    try:
        _ = new.tree
    except SourceError as error:
        require(False, f"what was converted does not parse: {error.reason}")
    for note in converted.notes:
        span = note.span
        require(0 <= span.start <= span.end <= len(source.text), "a note lies outside")
    for edit in converted.edits:
        require(source.text[edit.start : edit.end] != edit.text, "an edit changes nothing")


def seeds() -> Iterator[bytes]:
    """The programs and single lines of the tests, and the example."""
    for path in sorted((ROOT / "tests" / "dialect" / "programs").glob("*.py2")):
        yield from _halves(path.read_bytes())
    yield from (b"print 'old'\n" + text for text in encoded(texts_of("dialect", 6)))
    yield from (data for data in examples("bars_2017/*.py") if len(data) < TARGET.longest)


def _halves(data: bytes) -> Iterator[bytes]:
    """A long program in pieces, each cut where a statement at the left begins."""
    piece = b""
    for line in data.splitlines(keepends=True):
        if len(piece) > TARGET.longest // 4 and not line[:1].isspace():
            yield piece
            piece = b""
        piece += line
    yield piece


TARGET: Final = Target(check, seeds, 2_000, line_splicer(lambda: seeds()))
