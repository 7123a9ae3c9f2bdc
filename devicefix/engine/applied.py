"""What became of one group of fixes: what it fixed, and which lines it wrote."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from devicefix.engine.report import AppliedGroup, Piece
from devicefix.findings import Applicability, Span

if TYPE_CHECKING:
    from devicefix.engine.groups import Group
    from devicefix.engine.made import Made
    from devicefix.engine.settling import Settled
    from devicefix.source import Source


def applied_group(made: Made, settled: Settled) -> AppliedGroup:
    """What is told of a group of ``settled``."""
    group = made.group
    sure = group.applicability
    return AppliedGroup(
        identity=made.identity,
        findings=made.findings,
        applicability=sure,
        lines={path: frozenset(_lines(path, made, settled)) for path in group.edits},
        reason=group.weakest.advice if sure is not Applicability.SAFE else "",
        substance=_substance(group),
        pieces={path: tuple(_pieces(path, made, settled)) for path in group.edits},
    )


def _substance(group: Group) -> str:
    """Without names of files and offsets: other fixes of a file must not change it."""
    edits = sorted(
        [(edit.end - edit.start, edit.text) for edit in sorted(made)]
        for made in group.edits.values()
    )
    return hashlib.sha256(repr((group.applicability, edits)).encode()).hexdigest()[:16]


def _pieces(path: str, made: Made, settled: Settled) -> Iterator[Piece]:
    places, number = settled.places, made.rounds[path]
    for edit in made.group.edits[path]:
        old, new = places.replaced(path, edit, number), places.last(path, edit, number)
        yield Piece(old, new)


def _lines(path: str, made: Made, settled: Settled) -> Iterator[int]:
    source = settled.sources[path]
    for edit in made.group.edits[path]:
        yield from _written(source, settled.places.last(path, edit, made.rounds[path]))


def _written(source: Source, span: Span) -> range:
    """The lines of a text that was put in; beside one that was taken out."""
    text = source.text[span.start : span.end]
    if text.strip():
        start = span.start + len(text) - len(text.lstrip())
        first, _ = source.position(start)
        last, _ = source.position(start + len(text.strip()) - 1)
        return range(first, last + 1)
    line, _ = source.position(span.start)
    before_it = source.text[source.line_start(span.start) : span.start]
    whole = not before_it.strip()  # nothing of the line that begins here was there before
    return range(max(1, line - 1) if whole else line, line + 1)
