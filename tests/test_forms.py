"""What is found in a program does not depend on the form in which it is written.

The programs are those of the case files, in the forms of `tests.forms`. One in `SHARE` of them is
taken in each form, others in each; ``DEVICEFIX_ALL_FORMS=1`` takes them all.
"""

from __future__ import annotations

import ast
import os
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from devicefix.engine import check
from tests.codemods.test_cases import CASES, CODEMODS, Case, settings
from tests.forms import FORMS, written

SHARE: Final = 1 if os.environ.get("DEVICEFIX_ALL_FORMS") else 16
_Found = list[tuple[str, str]]


def is_python3(case: Case) -> bool:
    try:
        ast.parse(case.before)
    except SyntaxError:
        return False
    return True


PROGRAMS: Final = [case for case in CASES if is_python3(case)]


def found_in(text: str, case: Case, folder: Path) -> _Found:
    """The rules that find something, and whether they have a fix, and which kind."""
    path = folder / "program.py"
    path.write_text(text)
    report = check([path], settings(case), codemods=CODEMODS)
    assert not report.errors, report.errors
    findings = (f for result in report.files for f in result.findings)
    return sorted((f.code, f.fix.applicability.name if f.fix else "no fix") for f in findings)


@cache
def found_before(case: Case, folder: Path) -> _Found:
    return found_in(written(ast.parse(case.before)), case, folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("forms")


@pytest.mark.parametrize("form", FORMS)
def test_the_form_of_a_program_says_nothing(form: str, folder: Path) -> None:
    start = list(FORMS).index(form)
    different = []
    for case in PROGRAMS[start % SHARE :: SHARE]:
        text = FORMS[form](ast.parse(case.before))
        if text is not None and found_in(text, case, folder) != found_before(case, folder):
            different.append(f"{case}\n{text}")
    assert not different, "\n\n".join(different)
