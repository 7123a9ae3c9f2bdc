"""What somebody made of a file's result by hand, and the fixes that were accepted besides."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Iterator, Sequence

from msgspec import Struct

from devicefix.engine import Change
from devicefix.source import Source, SourceError


class ByHand(Struct, frozen=True):
    """One file, as it was offered and as it was saved."""

    offered: bytes
    saved: bytes

    def on(self, result: bytes) -> Merged:
        """The same changes made to another ``result``, line by line."""
        if result == self.offered:
            return Merged(self.saved)
        pieces: list[bytes] = []
        clash = False
        for piece in _merged(*map(_lines, (self.offered, self.saved, result))):
            pieces += _marked(piece) if isinstance(piece, _Clash) else piece
            clash |= isinstance(piece, _Clash)
        return Merged(b"".join(pieces), clash)


class Merged(Struct, frozen=True):
    """What two changes of one file make together."""

    data: bytes
    has_conflicts: bool = False
    """Whether both changed the same lines: these stand between marks, as git writes them."""


def why_not(data: bytes, change: Change, path: str) -> SourceError | None:
    """Why ``data`` may not be the result of a file: it has to be read as the rest of it was."""
    try:
        source = Source.from_bytes(data, path)
        _ = source.tree
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source.text, path, "exec", dont_inherit=True)
    except SourceError as error:
        return error
    except (SyntaxError, ValueError) as error:
        return SourceError(path, getattr(error, "lineno", None), str(error))
    if source.encoding != change.encoding:
        reason = f"is {source.encoding} now, and was {change.encoding}"
        return SourceError(path, None, reason)
    return None


class _Clash(Struct, frozen=True):
    ours: Sequence[bytes]
    theirs: Sequence[bytes]


_Piece = Sequence[bytes] | _Clash


def _marked(clash: _Clash) -> list[bytes]:
    return [
        b"<<<<<<< your edit\n",
        *map(_ended, clash.ours),
        b"=======\n",
        *map(_ended, clash.theirs),
        b">>>>>>> the fixes\n",
    ]


def _ended(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n"


def _lines(data: bytes) -> list[bytes]:
    lines = [line + b"\n" for line in data.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _merged(base: list[bytes], ours: list[bytes], theirs: list[bytes]) -> Iterator[_Piece]:
    """Changes of ``base`` on both sides; those that touch are a clash unless they are the same."""
    one, other = _changes(base, ours), _changes(base, theirs)
    at = 0
    while one or other:
        start, end = _together(one, other)
        yield base[at:start]
        mine, yours = (
            _side(_taken(changes, end), base, lines, start, end)
            for changes, lines in ((one, ours), (other, theirs))
        )
        at = end
        yield _chosen(base[start:end], mine, yours)
    yield base[at:]


_Change = tuple[int, int, int, int]


def _changes(base: Sequence[bytes], new: Sequence[bytes]) -> list[_Change]:
    codes = difflib.SequenceMatcher(None, base, new, autojunk=len(base) > 5000).get_opcodes()
    return [(a, b, c, d) for tag, a, b, c, d in codes if tag != "equal"]


def _together(one: Sequence[_Change], other: Sequence[_Change]) -> tuple[int, int]:
    """The lines of the base that the first changes are about, and those that touch them."""
    changes = sorted((*one, *other))
    start, end = changes[0][:2]
    for change in changes[1:]:
        if change[0] > end:
            break
        end = max(end, change[1])
    return start, end


def _taken(changes: list[_Change], end: int) -> list[_Change]:
    """The first ones, up to ``end`` of the base; the others stay."""
    count = sum(change[0] <= end for change in changes)
    taken, changes[:] = changes[:count], changes[count:]
    return taken


def _side(
    taken: Sequence[_Change], base: Sequence[bytes], lines: Sequence[bytes], start: int, end: int
) -> list[bytes]:
    """What one side made of lines ``start`` to ``end`` of the base."""
    found: list[bytes] = []
    for old, old_end, new, new_end in taken:
        found += (*base[start:old], *lines[new:new_end])
        start = old_end
    return [*found, *base[start:end]]


def _chosen(base: Sequence[bytes], ours: list[bytes], theirs: list[bytes]) -> _Piece:
    if ours == theirs or theirs == list(base):
        return ours
    return theirs if ours == list(base) else _Clash(ours, theirs)
