"""Recognising a finding that was there before, wherever its line has gone in the meantime."""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from devicefix.source import Source, SourceError

_LONGEST: Final = 160
"""Characters of a line that are kept; of what is longer a digest says the rest."""


class Entry(Struct, frozen=True, order=True):
    """A finding as a baseline keeps it: no line number, which changes with every edit above it."""

    code: str
    line: str
    """The text of its line, with single spaces."""
    within: str = ""
    """The functions and classes around it, as in ``Trainer.step``; tells apart lines that are the
    same, and does no harm where one of these gets another name."""


Sighting = Entry
"""A finding as it would be kept now."""


class Recognised(Struct, frozen=True):
    """A finding that is in the baseline."""

    path: str
    entry: Entry
    shown: bool
    """Whether it is told of nevertheless: it shares a decision with one that is not."""


def sighted(code: str, offset: int, source: Source) -> Sighting:
    """What a baseline would keep of a finding of ``code`` at ``offset``."""
    line, _ = source.position(offset)
    return Entry(code, _text(source.line_text(line)), _within(source, line))


def recognised(entries: Iterable[Entry], seen: Sequence[Sighting]) -> list[Entry | None]:
    """Which of ``entries``, of one file, each finding of it is; each entry is one finding at most.

    The same line in the same function comes first, then the same line anywhere.
    """
    rest = Counter(entries)
    found: list[Entry | None] = [None] * len(seen)
    for at, one in enumerate(seen):
        if rest[one]:
            rest[one] -= 1
            found[at] = one
    anywhere: dict[tuple[str, str], list[Entry]] = {}
    for entry in sorted(rest.elements(), reverse=True):
        anywhere.setdefault((entry.code, entry.line), []).append(entry)
    for at, one in enumerate(seen):
        if found[at] is None and (others := anywhere.get((one.code, one.line))):
            found[at] = others.pop()
    return found


def _text(line: str) -> str:
    text = " ".join(line.split())
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]}… {hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:12]}"


def _within(source: Source, line: int) -> str:
    try:
        scopes = source.once(_scopes)
    except (SourceError, RecursionError):
        return ""  # Python 2, perhaps
    return ".".join(name for first, last, name in scopes if first <= line <= last)


def _scopes(source: Source) -> tuple[tuple[int, int, str], ...]:
    """The functions and classes of a file with their lines, outer ones first."""
    return tuple(
        sorted(
            (node.lineno, node.end_lineno or node.lineno, node.name)
            for node in source.nodes
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        )
    )
