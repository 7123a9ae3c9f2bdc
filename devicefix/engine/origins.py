"""Following a place in an edited text back to the text that the user wrote."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from itertools import accumulate

from msgspec import Struct, field
from msgspec.structs import replace

from devicefix.findings import Edit, Finding, Mention, Span, in_order
from devicefix.source import Source


class _Round(Struct, frozen=True):
    """Edits of one text, in their order, and where each starts in the text that they make."""

    edits: tuple[Edit, ...]
    starts: tuple[int, ...]
    shifts: tuple[int, ...]
    """By how much the text before each of them, and behind the last, grows."""
    old_starts: tuple[int, ...]
    old_ends: tuple[int, ...]
    numbers: Mapping[Edit, int]

    @classmethod
    def of(cls, edits: Iterable[Edit]) -> _Round:
        ordered = tuple(in_order(edits))
        grown = (len(edit.text) - (edit.end - edit.start) for edit in ordered)
        shifts = tuple(accumulate(grown, initial=0))
        return cls(
            ordered,
            tuple(e.start + shift for e, shift in zip(ordered, shifts, strict=False)),
            shifts,
            tuple(edit.start for edit in ordered),
            tuple(edit.end for edit in ordered),
            {edit: number for number, edit in enumerate(ordered)},
        )

    def before(self, offset: int) -> int:
        """Where ``offset`` of the new text was in the old one."""
        last = bisect_right(self.starts, offset) - 1
        if last < 0:
            return offset
        edit, inside = self.edits[last], offset - self.starts[last]
        return edit.start if inside < len(edit.text) else edit.end + inside - len(edit.text)

    def wrote(self, offset: int) -> bool:
        """Whether ``offset`` of the new text is in what an edit wrote."""
        last = bisect_right(self.starts, offset) - 1
        return last >= 0 and offset - self.starts[last] < len(self.edits[last].text)

    def made(self, edit: Edit) -> Span:
        """Where the text of ``edit``, one of this round, is in the new text."""
        start = self.starts[self.numbers[edit]]
        return Span(start, start + len(edit.text))

    def after(self, span: Span) -> Span:
        """Where ``span`` of the old text is in the new one.

        What replaces a part of it belongs to it, what is put in at its ends does not.
        """
        start, end = self._behind(span.start), self._ahead(span.end)
        return Span(min(start, end), end)

    def _behind(self, offset: int) -> int:
        """``offset`` in the new text, behind what goes in there."""
        done = bisect_right(self.old_ends, offset)
        if done < len(self.edits) and self.old_starts[done] < offset:
            return self.starts[done]
        return offset + self.shifts[done]

    def _ahead(self, offset: int) -> int:
        """``offset`` in the new text, ahead of what goes in there."""
        begun = bisect_left(self.old_starts, offset)
        if begun and self.old_ends[begun - 1] > offset:
            return self.starts[begun - 1] + len(self.edits[begun - 1].text)
        return offset + self.shifts[begun]


class Origins(Struct, frozen=True):
    """Rounds of edits, each in the text that the one before left."""

    rounds: tuple[_Round, ...] = ()

    def after(self, edits: Iterable[Edit]) -> Origins:
        """These rounds and one more."""
        return Origins((*self.rounds, _Round.of(edits)))

    def original(self, offset: int) -> int:
        """Where ``offset`` of the last text was in the first; new text is where it went in."""
        for made in reversed(self.rounds):
            offset = made.before(offset)
        return offset

    def wrote(self, offset: int) -> bool:
        """Whether an edit of any round wrote what is at ``offset`` of the last text."""
        for made in reversed(self.rounds):
            if made.wrote(offset):
                return True
            offset = made.before(offset)
        return False

    def now(self, offset: int) -> int:
        """Where ``offset`` of the first text is in the last."""
        span = Span(offset, offset)
        for made in self.rounds:
            span = made.after(span)
        return span.end

    def last(self, edit: Edit, made: int) -> Span:
        """Where the text of ``edit``, of the round number ``made``, is in the last text."""
        span = self.rounds[made].made(edit)
        for later in self.rounds[made + 1 :]:
            span = later.after(span)
        return span

    def first(self, edit: Edit, made: int) -> Span:
        """What ``edit``, of the round number ``made``, replaces of the first text."""
        start, end = edit.start, edit.end
        for earlier in reversed(self.rounds[:made]):
            start, end = earlier.before(start), earlier.before(end)
        return Span(min(start, end), end)


def renamed(sentence: str, names: Mapping[str, str]) -> str:
    """``sentence`` with other names for lines, all at once."""
    if not names:
        return sentence
    known = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.sub(rf"(?<!\w)(?:{known})(?!\d)", lambda match: names[match[0]], sentence)


class Places(Struct, frozen=True):
    """The origins of several files."""

    first: Mapping[str, Source]
    """The files as the user wrote them."""
    origins: Mapping[str, Origins] = field(default_factory=dict)
    """Of those that were edited."""

    def after(self, edits: Mapping[str, Iterable[Edit]]) -> Places:
        """These places after one more round."""
        new = {path: self._of(path).after(made) for path, made in edits.items()}
        return Places(self.first, {**self.origins, **new})

    def original(self, finding: Finding) -> int:
        """Where ``finding`` starts in the first text of its file."""
        return self._of(finding.path).original(finding.span.start)

    def relocated(self, finding: Finding) -> Finding:
        """``finding`` at its place in the first text.

        Edits that would name no text go; so do all of them, where one does.
        """
        origins, fix = self._of(finding.path), finding.fix
        if fix is not None and any((e.path or finding.path) in self.origins for e in fix.edits):
            fix = replace(fix, edits=(), placed=False)
        span = Span(origins.original(finding.span.start), origins.original(finding.span.end))
        place = self.first[finding.path].place(span.start)
        names = {m.name: self._name(m, finding.path) for m in finding.mentions}
        return replace(
            finding,
            span=span,
            line=place.line,
            column=place.column,
            cell=place.cell,
            fix=fix,
            message=renamed(finding.message, names),
            advice=renamed(finding.advice, names),
            mentions=tuple(
                replace(m, name=names[m.name], offset=self._of(m.path).original(m.offset))
                for m in finding.mentions
            ),
        )

    def _name(self, mention: Mention, path: str) -> str:
        """What the line of ``mention`` is called where the user's text of it is."""
        source = self.first.get(mention.path)
        if source is None:
            return mention.name
        offset = self._of(mention.path).original(mention.offset)
        line = source.position(offset)[0]
        return source.line_name(line) if mention.path == path else f"{mention.path}:{line}"

    def before(self, path: str, offset: int) -> int:
        """Where ``offset`` of the last text of a file was in its first."""
        return self._of(path).original(offset)

    def wrote(self, path: str, offset: int) -> bool:
        """Whether an edit wrote what is at ``offset`` of the last text of a file."""
        return self._of(path).wrote(offset)

    def now(self, path: str, offset: int) -> int:
        """Where ``offset`` of the first text of a file is in its last."""
        return self._of(path).now(offset)

    def rounds(self, path: str) -> int:
        """How many rounds of edits a file has been through."""
        return len(self._of(path).rounds)

    def last(self, path: str, edit: Edit, made: int) -> Span:
        """Where the text of ``edit``, of a file's round number ``made``, is in its last text."""
        return self._of(path).last(edit, made)

    def replaced(self, path: str, edit: Edit, made: int) -> Span:
        """What ``edit``, of a file's round number ``made``, replaces of its first text."""
        return self._of(path).first(edit, made)

    def _of(self, path: str) -> Origins:
        return self.origins.get(path, Origins())
