"""Every codemod against its cases, through the engine as the command line uses it.

All codemods run on every case: a placement decision is one group of several codes, and what one
codemod fixes another must not spoil.

``tests/codemods/<family>/<offence>.py`` holds the cases of ``codemods/<family>/<offence>.py``, one
after the other, each below a line ``# case: <what is special about it>``:

    # case: a tuple batch
    <a whole little program>

    # output
    <the same program after `devicefix apply`>

    # case: the batch is moved already
    <a program that has to stay as it is, and in which nothing is found>

A line ``# reports: DFX201 DFX203`` directly below ``# case:`` names the codes of what is found and
left for a person: in a case without output everything that is found, in a case with output what is
still found afterwards. All other cases have to end without a finding. A line ``# unsafe`` below
these applies unsafe fixes, too (``--unsafe-fixes``), and a line ``# min-torch: 2.0`` below that is
the option of that name. So is a line ``# style: accelerator`` below that.

The cases of a rule that runs on request run it alone. A rule that only reports needs as many cases
without its finding as with it.

White space around a case does not count; its text ends with one line end.
"""

from __future__ import annotations

import ast
import itertools
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from devicefix.codemod import Codemod
from devicefix.engine import FileResult, apply
from devicefix.engine.registry import load_codemods
from devicefix.settings import Settings

HERE: Final = Path(__file__).parent
_TITLE: Final = re.compile(r"^# case: *(.*?) *\n", re.MULTILINE)
_OUTPUT: Final = re.compile(r"^# output *\n", re.MULTILINE)
_REPORTS: Final = re.compile(r"# reports: *(.*?) *\n")
_UNSAFE: Final = "# unsafe\n"
_MIN_TORCH: Final = re.compile(r"# min-torch: *(.*?) *\n")
_STYLE: Final = re.compile(r"# style: *(.*?) *\n")


class CaseError(Exception):
    """A case file is not written as it should be; names the file and the case."""


@dataclass(frozen=True, slots=True)
class Case:
    """One program, and what `devicefix apply` has to make of it."""

    path: str
    """Of the case file below this folder, such as ``hardcoded/cuda_method.py``."""
    title: str
    before: str
    after: str | None
    """None where the program has to stay as it is."""
    reports: frozenset[str]
    """The codes of what is left for a person."""
    unsafe: bool = False
    """Unsafe fixes are applied, too."""
    min_torch: str = Settings().min_torch
    """The oldest torch that the output has to run with."""
    style: str = Settings().style
    """How devices are chosen and asked for."""

    def __str__(self) -> str:
        return f"{Path(self.path).stem}: {self.title}"


def case_files() -> list[str]:
    """All case files, as paths below this folder."""
    return sorted(path.relative_to(HERE).as_posix() for path in HERE.glob("*/*.py"))


def read_cases(path: str) -> list[Case]:
    """The cases of one file. Raises `CaseError`."""
    return list(parse_cases((HERE / path).read_text(encoding="utf-8"), path))


def parse_cases(text: str, path: str) -> Iterator[Case]:
    """Take the text of a case file apart. Raises `CaseError`."""
    head, *pieces = _TITLE.split(text)
    if head.strip():
        raise CaseError(f"{path}: there is text above the first '# case:'")
    seen: set[str] = set()
    for title, body in zip(pieces[::2], pieces[1::2], strict=True):
        if not title or title in seen:
            raise CaseError(f"{path}: every case needs a title of its own, {title!r} is none")
        seen.add(title)
        yield _case(path, title, body)


def _case(path: str, title: str, body: str) -> Case:
    reports = _REPORTS.match(body)
    if reports is not None:
        body = body[reports.end() :]
    unsafe = body.startswith(_UNSAFE)
    body = body.removeprefix(_UNSAFE)
    version = _MIN_TORCH.match(body)
    body = body[version.end() :] if version is not None else body
    style = _STYLE.match(body)
    body = body[style.end() :] if style is not None else body
    before, *outputs = (_trimmed(part) for part in _OUTPUT.split(body))
    if len(outputs) > 1 or not before.strip():
        raise CaseError(f"{path}: {title!r} needs a program, and '# output' at most once")
    after = outputs[0] if outputs else None
    if before == after:
        raise CaseError(f"{path}: {title!r} has an output that is its input")
    codes = frozenset(reports.group(1).split()) if reports is not None else frozenset()
    oldest = version.group(1) if version is not None else Settings().min_torch
    chosen = style.group(1) if style is not None else Settings().style
    return Case(path, title, before, after, codes, unsafe, oldest, chosen)


def _trimmed(text: str) -> str:
    return text.strip("\n") + "\n"


CODEMODS: Final = tuple(c for c in load_codemods() if c.__module__.startswith("codemods."))
FILE_OF: Final = {
    c: c.__module__.removeprefix("codemods.").replace(".", "/") + ".py" for c in CODEMODS
}
CASES: Final = [case for path in case_files() for case in read_cases(path)]
CHANGED: Final = [case for case in CASES if case.after is not None]
UNCHANGED: Final = [case for case in CASES if case.after is None]
LINES_COME_AND_GO: Final = [
    case for case in CHANGED if case.before.count("\n") != (case.after or "").count("\n")
]
WITH_DOS_LINE_ENDS: Final = [
    case
    for _, cases in itertools.groupby(LINES_COME_AND_GO, lambda case: case.path)
    for case in itertools.islice(cases, None if os.environ.get("DEVICEFIX_ALL_CASES") else 3)
]
"""Three of each rule, as which line end is written hangs on the edits that the rule makes and not
on the program; DEVICEFIX_ALL_CASES=1 takes all."""
CODE_OF: Final = {path: codemod.code for codemod, path in FILE_OF.items()}
FACTS: Final = "facts/"
"""Case files about what torch does, whichever rules that takes."""
ON_REQUEST: Final = {FILE_OF[codemod]: codemod.code for codemod in CODEMODS if codemod.on_request}
"""Rules whose cases are run with that rule alone."""


def settings(case: Case) -> Settings:
    """How a case is run."""
    select = (ON_REQUEST[case.path],) if case.path in ON_REQUEST else ()
    known = {"unsafe_fixes": case.unsafe, "min_torch": case.min_torch, "style": case.style}
    return Settings(select=select, **known)


def run(text: str, folder: Path, case: Case | None = None) -> tuple[str, FileResult | None]:
    """What apply makes of a program, and what it found in it; by default as a user would run it."""
    chosen = settings(case) if case is not None else Settings()
    path = folder / "program.py"
    path.write_bytes(text.encode())
    report = apply([path], chosen, dry_run=True, codemods=CODEMODS)
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
    text, result = run(case.before, tmp_path, case)
    assert text == case.after
    ast.parse(text)
    assert result is not None
    applied = {finding.code for finding in result.applied}
    assert case.path.startswith(FACTS) or CODE_OF[case.path] in applied
    assert left(result) == case.reports


@pytest.mark.parametrize("case", CHANGED, ids=str)
def test_a_second_run_changes_nothing(case: Case, tmp_path: Path) -> None:
    assert case.after is not None
    text, result = run(case.after, tmp_path, case)
    assert text == case.after
    assert left(result) == case.reports


@pytest.mark.parametrize("case", WITH_DOS_LINE_ENDS, ids=str)
def test_dos_line_ends_survive(case: Case, tmp_path: Path) -> None:
    text, _ = run(with_dos_line_ends(case.before), tmp_path, case)
    assert case.after is not None
    assert text == with_dos_line_ends(case.after)


@pytest.mark.parametrize("case", UNCHANGED, ids=str)
def test_an_unchanged_case_stays_as_it_is(case: Case, tmp_path: Path) -> None:
    text, result = run(case.before, tmp_path, case)
    assert text == case.before
    assert left(result) == case.reports


def with_dos_line_ends(text: str) -> str:
    return text.replace("\n", "\r\n")


@pytest.mark.parametrize("codemod", CODEMODS, ids=lambda codemod: codemod.name)
def test_a_codemod_has_as_many_unchanged_cases_as_changed_ones(codemod: type[Codemod]) -> None:
    mine = [case for case in CASES if case.path == FILE_OF[codemod]]
    changed = [case for case in mine if case.after is not None]
    if codemod.only_reports:
        shown = [case for case in mine if codemod.code in case.reports]
        assert shown, f"tests/codemods/{FILE_OF[codemod]} has no case that is reported"
        assert not changed
        changed = shown
    assert changed, f"tests/codemods/{FILE_OF[codemod]} has no case that changes"
    assert len(mine) - len(changed) >= len(changed)


def test_every_case_file_belongs_to_a_codemod_or_is_about_facts() -> None:
    assert sorted(CODE_OF) == [path for path in case_files() if not path.startswith(FACTS)]


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


def test_a_case_for_an_old_torch() -> None:
    (one,) = parse_cases("# case: one\n# reports: DFX205\n# min-torch: 1.13\nx\n", "family/rule.py")
    assert (one.min_torch, one.before, settings(one).min_torch) == ("1.13", "x\n", "1.13")


def test_a_case_of_a_style() -> None:
    (one,) = parse_cases(
        "# case: one\n# min-torch: 2.9\n# style: accelerator\nx\n", "family/rule.py"
    )
    assert (one.before, settings(one).style, settings(one).min_torch) == (
        "x\n",
        "accelerator",
        "2.9",
    )


def test_a_case_of_unsafe_fixes() -> None:
    text = "# case: one\n# reports: DFX303\n# unsafe\nx\n\n# case: two\n# unsafe\ny\n"
    assert [(c.unsafe, c.before) for c in parse_cases(text, "family/rule.py")] == [
        (True, "x\n"),
        (True, "y\n"),
    ]
