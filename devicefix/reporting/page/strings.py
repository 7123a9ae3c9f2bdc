"""Which lines of a file begin inside a string of several lines: a hunk does not show its start."""

from __future__ import annotations

import functools
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct, field

from devicefix.source import NOTEBOOK, Source, SourceError
from devicefix.source.decoding import LINE_END

_PIECE: Final = re.compile(
    r"#[^\r\n]*"
    r'|"""(?:[^"\\]|\\.|"(?!""))*(?:"""|\Z)'
    r"|'''(?:[^'\\]|\\.|'(?!''))*(?:'''|\Z)"
    r'|"(?:[^"\\\r\n]|\\.)*"?'
    r"|'(?:[^'\\\r\n]|\\.)*'?",
    re.DOTALL,
)
"""What may hide a quote: comments and strings."""
_TRIPLES: Final = ('"""', "'''")


class Strings(Struct, frozen=True):
    """Those of one text, or of each cell of a notebook."""

    _open: Mapping[tuple[int | None, int], str] = field(default_factory=dict)

    def open_at(self, cell: int | None, line: int) -> str:
        """The quotes of the string that ``line`` (1-based) begins in; empty for none."""
        return self._open.get((cell, line), "")


@functools.lru_cache(maxsize=256)
def strings_of(path: str, data: bytes) -> Strings:
    """Those of the file at ``path`` that holds ``data``."""
    if not any(triple.encode() in data for triple in _TRIPLES) and not path.endswith(NOTEBOOK):
        return Strings()
    try:
        texts = list(_texts(Source.from_bytes(data, path)))
    except SourceError:
        return Strings()  # colours are not worth an error
    return Strings(
        {(cell, line): quotes for cell, text in texts for line, quotes in _open_lines(text)}
    )


def _texts(source: Source) -> Iterator[tuple[int | None, str]]:
    if source.notebook is None:
        yield None, source.text
        return
    yield from ((cell.number, cell.source) for cell in source.notebook.cells)


def _open_lines(text: str) -> Iterator[tuple[int, str]]:
    ends = [end.end() for end in LINE_END.finditer(text)]
    for piece in _PIECE.finditer(text):
        if piece[0].startswith(_TRIPLES):
            first = bisect_left(ends, piece.start() + 1)
            last = bisect_left(ends, piece.end())
            yield from ((line + 2, piece[0][:3]) for line in range(first, last))
