"""A text of Python 2, said in Python 3: the spelling first, then what names and operators meant."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from devicefix.dialect.classes import rename_special
from devicefix.dialect.difference import Offsets, difference
from devicefix.dialect.division import divide
from devicefix.dialect.draft import Draft, Note, Surroundings
from devicefix.dialect.exceptions import ask_exceptions
from devicefix.dialect.files import open_pickles
from devicefix.dialect.listing import make_lists, replace_methods
from devicefix.dialect.methods import call_next, end_generators
from devicefix.dialect.modules import change_imports
from devicefix.dialect.names import rename
from devicefix.dialect.ordering import order
from devicefix.dialect.printing import join_lines, unwrap_printed
from devicefix.dialect.reports import report
from devicefix.dialect.texts import call_methods, delete_characters
from devicefix.findings import Edit, Span
from devicefix.source import Source
from devicefix.source.python2 import Python2

_PASSES: Final[tuple[tuple[Callable[[Draft], None], ...], ...]] = (
    (
        divide,
        make_lists,
        replace_methods,
        rename,
        call_methods,
        delete_characters,
        change_imports,
        call_next,
        end_generators,
        rename_special,
        open_pickles,
        ask_exceptions,
        join_lines,
        unwrap_printed,
        report,
    ),
    (order,),
)
"""What is done on one text; the second needs the text as the first has left it."""


class Converted(Struct, frozen=True):
    """What makes Python 3 of a file, by places in its text."""

    edits: tuple[Edit, ...]
    notes: tuple[Note, ...]
    changes: tuple[tuple[str, int], ...]
    """What was changed, and how often."""


def convert(source: Source, around: Surroundings) -> Converted:
    """What makes Python 3 of ``source``, which only Python 2 can read.

    Raises `SourceError` where Python 2 cannot either.
    """
    old = _Lines(source.text)
    modern = Python2(old.text, source.path).modern()
    draft_source = Source.from_text(modern, source.path)
    changes: Counter[str] = Counter()
    notes: list[Note] = []
    for steps in _PASSES:
        draft = Draft(draft_source, around)
        for step in steps:
            step(draft)
        notes += _placed(draft.notes, old, draft.source.text)
        changes.update(change.what for change in draft.changes)
        draft_source = draft.finished()
    _ = draft_source.tree
    edits = (old.edit(e, source.newline) for e in difference(old.text, draft_source.text))
    return Converted(tuple(edits), tuple(sorted(notes, key=_start)), tuple(changes.items()))


def _start(note: Note) -> Span:
    return note.span


def _placed(notes: Sequence[Note], old: _Lines, text: str) -> Iterator[Note]:
    """``notes`` about ``text``, at their places in the file."""
    offsets = Offsets(difference(old.text, text)) if notes else None
    for note in notes:
        assert offsets is not None
        start, end = offsets.before(note.span.start), offsets.before(note.span.end)
        yield Note(Span(old.offset(start), old.offset(max(start, end))), note.message, note.advice)


class _Lines:
    r"""A text whose lines all end in ``\n``, and where its characters are in the file."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n").replace("\r", "\n")
        self._shifts = [
            at for at, pair in enumerate(itertools.pairwise(text)) if pair == ("\r", "\n")
        ]

    def offset(self, offset: int) -> int:
        """Where a character of ``text`` is in the file."""
        for number, at in enumerate(self._shifts):
            if at - number >= offset:
                return offset + number
        return offset + len(self._shifts)

    def edit(self, edit: Edit, newline: str) -> Edit:
        """An edit of ``text`` as one of the file."""
        start, end = self.offset(edit.start), self.offset(edit.end)
        return Edit(start, end, edit.rank, edit.text.replace("\n", newline))
