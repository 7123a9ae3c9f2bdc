"""Which groups of fixes each line of a file belongs to, before and after."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from devicefix.engine import AppliedGroup
from devicefix.findings import Span
from devicefix.proposals.hunks import identifier
from devicefix.proposals.texts import Text

Owners = Mapping[int, Sequence[str]]
"""By line, from 0; in the order in which the groups were made."""


def owners(groups: Iterable[AppliedGroup], before: Text, after: Text) -> tuple[Owners, Owners]:
    """Whose the lines are that were replaced, and those that were put in their place."""
    old: dict[int, dict[str, None]] = {}
    new: dict[int, dict[str, None]] = {}
    for group in groups:
        pieces = group.pieces.get(before.source.path, ())
        name = identifier(group.identity) if pieces else ""
        for piece in pieces:
            for text, span, found in ((before, piece.before, old), (after, piece.after, new)):
                for line in _lines(text, span):
                    found.setdefault(line, {})[name] = None
    return _frozen(old), _frozen(new)


def _lines(text: Text, span: Span) -> range:
    """The lines of what is not blank in ``span``; all of its lines where all is."""
    inside = text.source.text[span.start : span.end]
    if not inside:
        return range(0)
    start, end = span.start, span.end
    if inside.strip():
        start += len(inside) - len(inside.lstrip())
        end -= len(inside) - len(inside.rstrip())
    return range(text.line_at(start), text.line_at(end - 1) + 1)


def _frozen(found: Mapping[int, Iterable[str]]) -> Owners:
    return {line: tuple(names) for line, names in found.items()}
