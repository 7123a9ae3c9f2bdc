"""What reports say of groups, held against what the installed rules do to real programs."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Final

import pytest

from devicefix.engine import Change, Choice, Rehearsal, Report, rehearsal
from devicefix.settings import Settings
from devicefix.source import Source

ROOT: Final = Path(__file__).parents[2]
PROGRAMS: Final = ROOT / "tests" / "traps" / "programs"
LEGACY: Final = "DFX6"
FOLDERS: Final = (ROOT / "examples", PROGRAMS / "snippets", PROGRAMS / "threading")


@pytest.fixture(scope="module")
def trial() -> Rehearsal:
    return rehearsal(FOLDERS, Settings())


@pytest.fixture(scope="module")
def every(trial: Rehearsal) -> Report:
    return trial.report(Choice(trusts_all=True))


def new_lines(path: str, change: Change) -> tuple[set[int], set[int]]:
    """Lines of the new text that are not in the old one, and those beside lines that went."""
    texts = (Source.from_bytes(data, path).text for data in (change.before, change.after))
    old, new = (text.splitlines() for text in texts)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    pieces = [(start, end) for tag, _, _, start, end in matcher.get_opcodes() if tag != "equal"]
    written = {n + 1 for start, end in pieces for n in range(start, end) if new[n].strip()}
    return written, {n for start, end in pieces for n in range(start, end + 2)}


def test_the_lines_of_all_groups_are_those_that_a_diff_shows(every: Report) -> None:
    assert len(every.changes) > 30
    for result, change in every.changes:
        written, near = new_lines(result.path, change)
        told = {n for group in every.groups for n in group.lines.get(result.path, ())}
        assert written <= told <= near | written, result.path


def test_names_hold_whichever_group_is_left_out(trial: Rehearsal, every: Report) -> None:
    names = {group.identity for group in every.groups}
    assert len(names) == len(every.groups) > 30
    for group in every.groups:
        if any(code.startswith(LEGACY) for code in group.codes):
            continue  # others build upon it: what does not parse has no other findings
        without = Choice(without=frozenset({group.identity}), trusts_all=True)
        left = {other.identity for other in trial.report(without).groups}
        assert names - {group.identity} <= left  # what was hidden by it may come to light
        assert not any(identity & group.identity for identity in left)
