"""Which lines a change touches, in the state before it and in the state after it."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from devicefix.records import Place
from devicefix.verification.changes import content_of
from devicefix.verification.trees import Tree

_LINES: Final = 20_000
"""Of a file; in longer ones all is taken as touched."""

Lines = frozenset[tuple[str, int]]
"""By file, as places name it."""


@dataclass(frozen=True, slots=True)
class Touched:
    """The lines of the statements that are not the same."""

    before: Lines = frozenset()
    after: Lines = frozenset()
    wholly: tuple[str, ...] = ()
    """Files of which it is not known: notebooks, and what cannot be parsed."""

    def was(self, place: Place | None) -> bool:
        """Whether the change touches what stood at ``place`` before it."""
        return place is not None and self._is_among(place, self.before)

    def has(self, place: Place | None) -> bool:
        """Whether the change touches what stands at ``place`` after it."""
        return place is not None and self._is_among(place, self.after)

    def _is_among(self, place: Place, lines: Lines) -> bool:
        return (place.file, place.line) in lines or place.file.startswith(self.wholly)


def touched(before: Tree, after: Tree, changed: Iterable[str]) -> Touched:
    """What the change touches in the files that it ``changed``."""
    mine: set[tuple[str, int]] = set()
    its: set[tuple[str, int]] = set()
    wholly: list[str] = []
    for path in changed:
        files = [str(tree.root / path) for tree in (before, after)]
        try:
            one, other = (content_of(tree, path) or b"" for tree in (before, after))
            lines = _differing(one, other)
        except (SyntaxError, ValueError, RecursionError):
            wholly += files
            continue
        mine.update((files[0], line) for line in lines[0])
        its.update((files[1], line) for line in lines[1])
    return Touched(frozenset(mine), frozenset(its), tuple(wholly))


def _differing(one: bytes, other: bytes) -> tuple[set[int], set[int]]:
    texts = one.splitlines(), other.splitlines()
    if max(map(len, texts)) > _LINES:
        raise ValueError("too long")
    matcher = difflib.SequenceMatcher(None, *texts, autojunk=False)
    found: tuple[set[int], set[int]] = (set(), set())
    for what, a, b, c, d in matcher.get_opcodes():
        if what != "equal":
            found[0].update(range(a + 1, b + 1))
            found[1].update(range(c + 1, d + 1))
    return _statements(one, found[0]), _statements(other, found[1])


def _statements(content: bytes, lines: set[int]) -> set[int]:
    """All lines of the statements, or heads of compound ones, that have some of ``lines``."""
    return lines.union(*(span for span in _spans(ast.parse(content)) if not lines.isdisjoint(span)))


def _spans(tree: ast.AST) -> Iterator[range]:
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            end = body[0].lineno if body else (node.end_lineno or node.lineno) + 1
            yield range(node.lineno, max(end, node.lineno + 1))
