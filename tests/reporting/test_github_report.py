"""Workflow commands, read as GitHub's runner reads them.

https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs: a line is a command
if it begins with ``::`` behind blanks, or has ``##[`` anywhere.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from devicefix.engine import FileError, FileResult, Left, Report
from devicefix.findings import Applicability, Finding, Fix, Span
from devicefix.reporting import github
from devicefix.reporting.account import Account

HOSTILE = "::error::x%0A##[error]y\r\n::set-output name=a,b:c::z\x1b[2J"


class Command(NamedTuple):
    name: str
    properties: dict[str, str]
    message: str


def commands(text: str) -> list[Command]:
    found = []
    for line in re.split(r"\r\n|\r|\n", text):
        if line.strip().startswith("::"):
            head, _, data = line.strip()[2:].partition("::")
            name, _, given = head.partition(" ")
            pairs = (one.partition("=") for one in given.split(",") if one)
            found.append(Command(name, {k: meant(v) for k, _, v in pairs}, meant(data)))
        else:
            assert "##[" not in line
    return found


def meant(value: str) -> str:
    for escape, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ",")):
        value = value.replace(escape, character)
    return value.replace("%25", "%")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def finding(number: int, code: str = "DFX101", message: str = "m", path: str = "a.py") -> Finding:
    return Finding(code, "rule", message, path, Span(number, number + 2), 1, number + 1)


def account(*found: Finding, errors: tuple[FileError, ...] = (), left: str = "") -> Account:
    kept = tuple(Left(one, left) for one in found) if left else ()
    files = (FileResult("a.py", found, (), kept),) if found else ()
    return Account(Report(files, errors, 3, 0.1), "check")


def test_a_finding_is_an_annotation_of_its_place() -> None:
    Path("a.py").write_text("x = '😀'; y = f(\n1)\n", encoding="utf-8")
    one = Finding("DFX201", "cuda-method", "`.cuda()`: why, 100 %", "a.py", Span(9, 10), 1, 10)
    several = Finding("DFX101", "moved", "m", "a.py", Span(13, 18), 1, 14)
    first, second, *log = commands(github.render(account(one, several)))
    assert first == Command(
        "error", {"file": "a.py", "line": "1", "endLine": "2", "title": "DFX101 moved"}, "m"
    )
    assert second.name == "warning"
    assert second.message == "`.cuda()`: why, 100 %"
    assert second.properties == {
        "file": "a.py", "line": "1", "endLine": "1", "col": "11", "endColumn": "12",
        "title": "DFX201 cuda-method",
    }  # fmt: skip
    assert [command.name for command in log] == ["group", "endgroup"]


def test_the_level_is_that_of_the_family() -> None:
    found = account(finding(0, "DFX505"), finding(0, "DFX601"), finding(0, "DFX401"))
    assert [c.name for c in commands(github.render(found))][:3] == ["error", "warning", "notice"]


def test_what_is_beyond_the_limit_is_counted_and_in_the_log() -> None:
    found = account(*(finding(n) for n in range(14)), finding(0, "DFX201"))
    text = github.render(found)
    errors = [command for command in commands(text) if command.name == "error"]
    assert len(errors) == 10
    more = "5 more are in the log of this step: GitHub shows only 10 of each type."
    assert errors[9].message == more
    assert len(re.findall(r"^- a\.py:1:\d+ DFX101 m$", text, re.MULTILINE)) == 14
    ten = github.render(account(*(finding(n) for n in range(10))))
    assert [c.message for c in commands(ten) if c.name == "error"] == ["m"] * 10


def test_each_decision_comes_before_the_rest_of_one() -> None:
    def decided(number: int, group: str) -> Finding:
        return replace(finding(number), fix=Fix((), Applicability.SAFE, group))

    Path("a.py").write_text("x" * 50)
    many = [decided(number, "one") for number in range(12)]
    text = github.render(account(*many, decided(40, "other"), finding(41), finding(42)))
    columns = [c.properties["col"] for c in commands(text)[:9]]
    assert columns == ["1", "41", "42", "43", "2", "3", "4", "5", "6"]


def test_errors_come_first() -> None:
    broken = FileError("b.py", 3, "is broken")
    text = github.render(account(finding(0), errors=(broken,)))
    assert commands(text)[0] == Command(
        "error", {"file": "b.py", "line": "3", "title": "devicefix: not processed"}, "is broken"
    )


def test_nothing_of_the_code_is_a_command() -> None:
    bad = finding(0, message=HOSTILE, path=HOSTILE)
    error = FileError(HOSTILE, 1, HOSTILE)
    text = github.render(account(bad, errors=(error,), left=HOSTILE))
    assert [c.name for c in commands(text)] == ["error", "error", "group", "endgroup"]
    for command in commands(text)[:2]:
        assert set(command.properties) <= {"file", "line", "title"}
        assert command.message.startswith(HOSTILE[:21])
    assert "\x1b" not in text


def test_nothing_found_is_one_plain_line() -> None:
    assert github.render(account()) == "devicefix found nothing in 3 files.\n"
    done = Account(Report((), (), 3, 0.1), "apply", written=True)
    assert github.render(done) == "devicefix left nothing in 3 files.\n"


def test_a_notebook_has_the_line_of_its_json() -> None:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    cells = [{**cell, "source": ["import torch\n", "x = 1"]}]
    content = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    Path("a.ipynb").write_text(json.dumps(content, indent=1))
    lines = Path("a.ipynb").read_text().split("\n")
    error = FileError("a.ipynb", 2, "is odd", 1)
    (first, *_) = commands(github.render(account(errors=(error,))))
    assert '"x = 1"' in lines[int(first.properties["line"]) - 1]
    assert first.message == "is odd (cell 1, line 2)"
