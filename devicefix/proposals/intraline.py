"""Which characters of two lines that stand side by side are not the same."""

from __future__ import annotations

import difflib
import re
from typing import Final

from devicefix.findings import Span
from devicefix.proposals.blocks import Block, Pair
from devicefix.proposals.texts import Text

Ranges = tuple[tuple[int, int], ...]
_WORD: Final = re.compile(r"\w+|\s+|.")
_ALIKE: Final = 0.3
"""Lines that have less in common are other lines."""
_MANY: Final = 1000
"""Words of lines that nobody compares by eye."""


def changed_columns(pair: Pair, block: Block, before: Text, after: Text) -> tuple[Ranges, Ranges]:
    """The ranges on both sides; none where a whole line is another one."""
    old, new = pair
    if old is None or new is None:
        return (), ()
    one, other = before.shown(old), after.shown(new)
    left = _on_line(before, old, [region.before for region in block.regions])
    right = _on_line(after, new, [region.after for region in block.regions])
    if one != before.raw[old] or other != after.raw[new] or _all_of(one, left, other, right):
        return _by_words(one, other)
    return left, right


def _on_line(text: Text, line: int, spans: list[Span]) -> Ranges:
    columns = (text.columns(line, span) for span in spans)
    return tuple((start, end) for start, end in columns if start < end)


def _all_of(one: str, left: Ranges, other: str, right: Ranges) -> bool:
    """Whether nothing but blanks is the same on one of the sides."""
    return any(
        not "".join(c for n, c in enumerate(line) if not any(a <= n < b for a, b in ranges)).strip()
        for line, ranges in ((one, left), (other, right))
    )


def _by_words(one: str, other: str) -> tuple[Ranges, Ranges]:
    old, new = _WORD.findall(one), _WORD.findall(other)
    if len(old) > _MANY or len(new) > _MANY:
        return (), ()
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    same = sum(
        len("".join(old[a : a + size]).strip()) for a, _, size in matcher.get_matching_blocks()
    )
    if same < _ALIKE * max(len(one.strip()), len(other.strip())):
        return (), ()
    changes = [codes for codes in matcher.get_opcodes() if codes[0] != "equal"]
    return (
        _ranges(old, [(a, b) for _, a, b, _, _ in changes]),
        _ranges(new, [(c, d) for _, _, _, c, d in changes]),
    )


def _ranges(words: list[str], pieces: list[tuple[int, int]]) -> Ranges:
    ends = [0]
    for word in words:
        ends.append(ends[-1] + len(word))
    return tuple((ends[a], ends[b]) for a, b in pieces if a < b)
