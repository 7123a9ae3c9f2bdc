"""Edits, nested and touching ones too, against the plainest way of applying them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from devicefix.engine.origins import Origins
from devicefix.findings import Edit, Span
from devicefix.source import Source
from fuzz.drawing import Draw
from fuzz.seeds import encoded, texts_of
from fuzz.target import Target, require

_MOST_EDITS: Final = 12
_MOST_TEXT: Final = 120


def check(data: bytes) -> None:
    """The outcome is that of one character after the other; what overlaps is refused."""
    draw = Draw(data)
    source = Source.from_text(draw.text(_MOST_TEXT))
    rounds: list[tuple[Source, Sequence[Edit]]] = []
    for _ in range(1 + draw.number(2)):
        edits = _edits(draw, len(source.text))
        wanted = _applied(source.text, edits)
        try:
            text = source.apply(edits)
        except ValueError:
            require(wanted is None, "edits are refused that fit together")
            return
        require(wanted is not None, "edits are applied that overlap")
        require(text == wanted, "another text comes out")
        rounds.append((source, edits))
        source = Source.from_text(text)
    _places(rounds, source.text)


def _edits(draw: Draw, length: int) -> list[Edit]:
    edits: list[Edit] = []
    for _ in range(draw.number(_MOST_EDITS)):
        kind = draw.number(7)
        if kind == 7 and edits:
            edits.append(draw.one_of(edits))
            continue
        start = draw.number(length + (kind == 6))
        end = start + (draw.number(max(length - start, 0)) if kind < 4 else 0)
        edits.append(Edit(start, end, draw.number(3), draw.text(6)))
    return edits


def _applied(text: str, edits: Sequence[Edit]) -> str | None:
    """The text that they give; None where two of them want the same character."""
    taken = [0] * len(text)
    once = list(dict.fromkeys(edits))
    for edit in once:
        if not 0 <= edit.start <= edit.end <= len(text):
            return None
        for at in range(edit.start, edit.end):
            taken[at] += 1
        # an insertion inside of what is replaced has no place
        for other in once:
            if edit.start == edit.end and other.start < edit.start < other.end:
                return None
    if any(count > 1 for count in taken):
        return None
    return "".join(_at(at, text, once, taken) for at in range(len(text) + 1))


def _at(at: int, text: str, edits: Sequence[Edit], taken: Sequence[int]) -> str:
    """What stands where the character ``at`` stood: insertions, what replaces it, or itself."""
    inserted = sorted((e for e in edits if e.start == e.end == at), key=lambda e: e.rank)
    replaced = [e.text for e in edits if e.start == at < e.end]
    kept = text[at : at + 1] if at < len(text) and not taken[at] else ""
    return "".join([*(e.text for e in inserted), *replaced, kept])


def _places(rounds: Sequence[tuple[Source, Sequence[Edit]]], last: str) -> None:
    """What came from an edit is where `Origins` says; a place leads back to one before it."""
    origins = Origins()
    for _, edits in rounds:
        origins = origins.after(edits)
    first = rounds[0][0].text
    for offset in range(0, len(last) + 1, 7):
        require(0 <= origins.original(offset) <= len(first), "a place leads out of the text")
    for offset in range(0, len(first) + 1, 7):
        require(0 <= origins.now(offset) <= len(last), "a place leads out of the new text")
    _, edits = rounds[-1]
    for edit in edits:
        span = origins.last(edit, len(rounds) - 1)
        require(last[span.start : span.end] == edit.text, "an edit is not where it was made")
        before = origins.first(edit, len(rounds) - 1)
        require(before == Span(before.start, before.end), "an edit begins behind its end")


def seeds() -> Iterator[bytes]:
    """Texts with a few edits behind them."""
    for number, data in enumerate(encoded(texts_of("edits", 4))):
        size = min(len(data), _MOST_TEXT)
        tail = bytes((number * 37 + k * 11) % 256 for k in range(24))
        yield bytes([size]) + data[:size] + tail


TARGET: Final = Target(check, seeds, 256)
