"""Bytes of a file: decoded as Python does, taken apart, and given back as they were."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from typing import Final

from devicefix.source import Source, SourceError
from fuzz.seeds import blobs_of, encoded, examples, texts_of
from fuzz.splicing import splicer
from fuzz.target import Target, require

_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_SPANNED: Final = (ast.expr, ast.stmt, ast.keyword, ast.arg, ast.alias)


def check(data: bytes) -> None:
    """Nothing but `SourceError`; the same bytes come back; every place leads back to itself."""
    try:
        source = Source.from_bytes(data, "file.py")
    except SourceError:
        return
    require(source.encode(source.text) == data, "other bytes come back")
    _ = source.suppressions
    _lines(source)
    _comments(source)
    try:
        _ = source.tree
    except SourceError:
        return
    _as_python_does(data, source)
    _nodes(source)


def _lines(source: Source) -> None:
    lines = _LINE_END.split(source.text)
    for number in (1, len(lines) // 2 + 1, len(lines)):
        start = source.offset(number, 0)
        require(source.position(start) == (number, 1), "a line does not lead back to itself")
        end = source.line_end(start)
        require(source.text[start:end] == lines[number - 1], "a line is another one")
        require(source.line_start(end) == start, "the end of a line is on another one")


def _comments(source: Source) -> None:
    for line, span in source.comments.items():
        require(source.text.startswith("#", span.start), "a comment begins with no hash sign")
        require(source.position(span.start)[0] == line, "a comment is on another line")


def _as_python_does(data: bytes, source: Source) -> None:
    """Python makes the same tree of the bytes as we do of the text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            theirs = ast.parse(data)
        except (SyntaxError, ValueError):
            return  # a declaration of an encoding that is none
    require(ast.dump(theirs) == ast.dump(source.tree), "Python reads another program")


def _nodes(source: Source) -> None:
    for node in source.nodes:
        if isinstance(node, _SPANNED):
            span = source.span(node)
            require(0 <= span.start <= span.end <= len(source.text), "a node lies outside")
        if isinstance(node, ast.stmt):
            _ = source.indent_of(node)
        if isinstance(node, ast.Name) and source.is_editable(node):
            require(_is_name(source.segment(node), node.id), "a name has another text")


def _is_name(text: str, name: str) -> bool:
    import unicodedata

    return unicodedata.normalize("NFKC", text) == name


def seeds() -> Iterator[bytes]:
    """The tests of the room, and the examples."""
    yield from blobs_of("source")
    yield from encoded(texts_of("source", 8))
    yield from (data for data in examples() if len(data) < TARGET.longest)


TARGET: Final = Target(check, seeds, mutate=splicer(lambda: seeds()))
