"""The judge: whether a rewritten program still is the program that it was.

It knows nothing of how edits were chosen. It evaluates the program before and after them, follows
each expression through the map of the edits, and asks the questions of ``checks``. What one of them
objects to is not safe, whichever codemod made it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from devicefix.findings import Edit, Span
from devicefix.flow.evaluated import Evaluated
from devicefix.judge.checks import ALL
from devicefix.judge.comparison import Comparison, Objection
from devicefix.judge.text_map import TextMap
from devicefix.source import Program

__all__ = ["ALL", "Comparison", "Edits", "Left", "Objection", "compare", "judge"]

Edits = Mapping[str, Sequence[Sequence[tuple[Edit, int]]]]
"""By file, the edits round by round, each with the number by which an objection names it.

Edits of one decision may share a number. The offsets of a round are those of the text that the
round before has left.
"""
Left = Mapping[str, Collection[Span]]
"""By file of the new program, places that were found and are left."""
INCOMPLETE = "evaluation"
"""The name of the objection that there is nothing to compare."""


def judge(
    before: Program, after: Program, edits: Edits, left: Left = MappingProxyType({})
) -> tuple[Objection, ...]:
    """What speaks against calling ``edits``, which make ``after`` of ``before``, safe.

    ``left``: what no edit will rewrite, however often one looks.
    """
    comparison = compare(before, after, edits, left)
    if comparison.before.complete and not comparison.after.complete:
        path = next(iter(edits))
        reason = "the rewritten program is too large or too complex to be checked"
        return (Objection(INCOMPLETE, path, 1, reason, frozenset()),)
    every = (found for check in ALL.values() for found in check(comparison))
    return tuple(dict.fromkeys(every))


def compare(
    before: Program, after: Program, edits: Edits, left: Left = MappingProxyType({})
) -> Comparison:
    """Both programs, evaluated."""
    maps = {
        path: TextMap.of(len(before.sources[path].text), rounds)
        for path, rounds in edits.items()
        if any(rounds)
    }
    return Comparison(Evaluated.of(before), Evaluated.of(after), maps, left)
