"""The hunks of one file, and which group of fixes each of their lines belongs to."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from typing import Final

from devicefix.engine import AppliedGroup, Change
from devicefix.proposals.hunks import FileHunks, Hunk, Line, Row, identifier
from devicefix.source import Source
from devicefix.source.decoding import LINE_END

_CONTEXT: Final = 3
_Opcode = tuple[str, int, int, int, int]


def file_hunks(path: str, change: Change, groups: Sequence[AppliedGroup]) -> FileHunks:
    """What ``groups`` together make of one file."""
    before, after = (_lines(data, path) for data in (change.before, change.after))
    owners: dict[int, list[str]] = {}
    for group in groups:
        for line in group.lines.get(path, ()):
            owners.setdefault(line, []).append(identifier(group.identity))
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return FileHunks(
        path,
        tuple(
            Hunk(tuple(_rows(opcodes, before, after, owners)))
            for opcodes in matcher.get_grouped_opcodes(_CONTEXT)
        ),
    )


def _lines(data: bytes, path: str) -> list[str]:
    return re.split(LINE_END, Source.from_bytes(data, path).text)


def _rows(
    opcodes: Sequence[_Opcode],
    before: Sequence[str],
    after: Sequence[str],
    owners: dict[int, list[str]],
) -> Iterator[Row]:
    for tag, old, old_end, new, new_end in opcodes:
        touched = range(new, new_end + 2) if new == new_end else range(new + 1, new_end + 1)
        whose = tuple(dict.fromkeys(one for n in touched for one in owners.get(n, ())))
        for at in range(max(old_end - old, new_end - new)):
            yield Row(
                Line(old + at + 1, before[old + at]) if old + at < old_end else None,
                Line(new + at + 1, after[new + at]) if new + at < new_end else None,
                () if tag == "equal" else whose,
            )
