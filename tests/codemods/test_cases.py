"""Every codemod against its cases, through the engine as the command line uses it.

All codemods run on every case: a placement decision is one group of several codes, and what one
codemod leaves must not be spoilt by another. How the case files are written: see `cases`.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from devicefix.codemod import Codemod
from devicefix.engine import FileResult, apply
from devicefix.engine.registry import load_codemods
from devicefix.settings import Settings

from .cases import Case, CaseError, case_files, parse_cases, read_cases

CODEMODS: Final = tuple(c for c in load_codemods() if c.__module__.startswith("codemods."))
FILE_OF: Final = {c: c.__module__.removeprefix("codemods.").replace(".", "/") + ".py" for c in CODEMODS}
CODE_OF: Final = {path: codemod.code for codemod, path in FILE_OF.items()}
CASES: Final = [case for path in case_files() for case in read_cases(path)]
CHANGED: Final = [case for case in CASES if case.after is not None]
UNCHANGED: Final = [case for case in CASES if case.after is None]


def run(text: str, folder: Path) -> tuple[str, FileResult | None]:
    """What apply makes of a program, and what it found in it."""
    path = folder / "program.py"
    path.write_bytes(text.encode())
    report = apply([path], Settings(), dry_run=True, codemods=CODEMODS)
    assert not report.errors, report.errors
    if not report.files:
        return text, None
    (result,) = report.files
    return (result.change.after.decode() if result.change else text), result


def left(result: FileResult | None) -> frozenset[str]:
    """The codes of what is left for a person."""
    return frozenset(item.finding.code for item in result.left) if result else frozenset()


@pytest.mark.parametrize("case", CHANGED, ids=str)
def test_a_changed_case_becomes_its_output(case: Case, tmp_path: Path) -> None:
    text, result = run(case.before, tmp_path)
    assert text == case.after
    ast.parse(text)
    assert result is not None
    assert CODE_OF[case.path] in {finding.code for finding in result.applied}
    assert left(result) == case.reports


@pytest.mark.parametrize("case", CHANGED, ids=str)
def test_a_second_run_changes_nothing(case: Case, tmp_path: Path) -> None:
    assert case.after is not None
    text, result = run(case.after, tmp_path)
    assert text == case.after
    assert left(result) == case.reports


@pytest.mark.parametrize("case", CHANGED, ids=str)
def test_dos_line_ends_survive(case: Case, tmp_path: Path) -> None:
    dos = replace(case, before=with_dos_line_ends(case.before))
    text, _ = run(dos.before, tmp_path)
    assert case.after is not None
    assert text == with_dos_line_ends(case.after)


@pytest.mark.parametrize("case", UNCHANGED, ids=str)
def test_an_unchanged_case_stays_as_it_is(case: Case, tmp_path: Path) -> None:
    text, result = run(case.before, tmp_path)
    assert text == case.before
    assert left(result) == case.reports


def with_dos_line_ends(text: str) -> str:
    return text.replace("\n", "\r\n")


@pytest.mark.parametrize("codemod", CODEMODS, ids=lambda codemod: codemod.name)
def test_a_codemod_has_as_many_unchanged_cases_as_changed_ones(codemod: type[Codemod]) -> None:
    mine = [case for case in CASES if case.path == FILE_OF[codemod]]
    changed = [case for case in mine if case.after is not None]
    assert changed, f"tests/codemods/{FILE_OF[codemod]} has no case that changes"
    assert len(mine) - len(changed) >= len(changed)


def test_every_case_file_belongs_to_a_codemod() -> None:
    assert sorted(CODE_OF) == case_files()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import torch\n", "above the first"),
        ("# case: a\nx\n# case: a\ny\n", "title of its own"),
        ("# case: a\nx\n# output\ny\n# output\nz\n", "at most once"),
        ("# case: a\n\n", "needs a program"),
        ("# case: a\nx\n\n# output\nx\n", "its input"),
    ],
)
def test_a_case_file_that_is_not_well_written_is_refused(text: str, reason: str) -> None:
    with pytest.raises(CaseError, match=reason):
        list(parse_cases(text, "family/rule.py"))


def test_the_parts_of_a_case() -> None:
    text = "# case: one\n# reports: DFX201 DFX203\nx\n\n# output\ny\n\n# case: two\nz\n"
    one, two = parse_cases(text, "family/rule.py")
    assert (one.title, one.before, one.after) == ("one", "x\n", "y\n")
    assert one.reports == {"DFX201", "DFX203"}
    assert (two.title, two.before, two.after, two.reports) == ("two", "z\n", None, frozenset())
