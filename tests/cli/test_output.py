"""Where reports go, and in which format."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devicefix.reporting.formats import FORMATS

Devicefix = Callable[..., Any]
OLD = "import torch\nold = risky = torch\n"


@pytest.fixture(autouse=True)
def _files(devicefix: Devicefix, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    Path("a.py").write_text(OLD)


@pytest.mark.parametrize("form", FORMATS)
def test_each_format_is_alone_on_stdout(devicefix: Devicefix, form: str) -> None:
    commands = (["check"], ["apply", "--check"], ["apply", "--dry-run"])
    for command, status in zip(commands, (1, 1, 0), strict=True):
        run = devicefix(*command, "a.py", "--output-format", form)
        assert run.status == status
        assert run.out.endswith("\n")
        assert "TST101" in run.out or "+new = risky" in run.out
        assert run.err == "" or (form, command[-1]) == ("text", "--dry-run")
    assert Path("a.py").read_text() == OLD


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("r.json", '{\n  "version": 1'),
        ("r.sarif", '{\n  "$schema"'),
        ("r.MD", "**devicefix** found"),
        ("r.txt", "Needs your decision:"),
        ("r", "Needs your decision:"),
    ],
)
def test_the_name_of_the_file_says_in_which_format(
    devicefix: Devicefix, name: str, start: str
) -> None:
    run = devicefix("check", "a.py", "--output-file", name)
    assert (run.status, run.err) == (1, "")
    assert run.out.startswith("Needs your decision:\n  a.py:2:7 TST202")
    assert Path(name).read_text().startswith(start)


def test_a_format_may_be_said_besides(devicefix: Devicefix) -> None:
    devicefix("check", "a.py", "--output-file", "r.txt", "--output-format", "json")
    assert json.loads(Path("r.txt").read_text())["command"] == "check"


def test_a_rehearsal_keeps_its_patch_and_writes_its_report(devicefix: Devicefix) -> None:
    plain = devicefix("apply", "--dry-run", "a.py")
    run = devicefix("apply", "--dry-run", "a.py", "--output-file", "r.json")
    assert run == plain
    assert json.loads(Path("r.json").read_text())["dry_run"]
    devicefix("apply", "--dry-run", "a.py", "--output-file", "r.txt")
    text = Path("r.txt").read_text()
    assert text.startswith("--- a/a.py\n+++ b/a.py\n")
    assert "Would fix 1 finding in 1 file" in text


def test_what_was_written_is_reported(devicefix: Devicefix) -> None:
    run = devicefix("apply", "a.py", "--output-file", "r.md")
    assert "Fixed 1 finding" in run.out
    assert "**devicefix** fixed 1 finding in 1 file" in Path("r.md").read_text()


def test_errors_are_in_the_file_and_on_stderr(devicefix: Devicefix) -> None:
    Path("b.py").write_text("import torch\nx = (\n")
    run = devicefix("check", ".", "--output-file", "r.txt")
    assert run.status == 2
    assert run.err.startswith("b.py:2: error: ")
    assert run.err in Path("r.txt").read_text()


@pytest.mark.parametrize("name", ["a.py", "b.PY", "lesson.ipynb", "no/such/folder/r.json", "."])
def test_a_file_that_must_not_be_written_is_refused_before_any_work(
    devicefix: Devicefix, name: str
) -> None:
    run = devicefix("check", "a.py", "--output-file", name)
    assert (run.status, run.out) == (2, "")
    assert "--output-file" in run.err
    assert Path("a.py").read_text() == OLD


def test_a_report_names_files_of_any_encoding(devicefix: Devicefix) -> None:
    Path("\udcff.py").write_text(OLD)
    for form in FORMATS:
        name = f"report-{form}"
        run = devicefix("check", ".", "--output-format", form, "--output-file", name)
        assert run.status == 1
        assert Path(name).read_bytes().decode("utf-8")


def test_github_gets_a_summary_of_the_job(
    devicefix: Devicefix, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    Path("summary.md").write_text("before\n\n")
    run = devicefix("check", "a.py", "--output-format", "github")
    assert run.out.startswith("::warning file=")
    assert Path("summary.md").read_text().startswith("before\n\n**devicefix** found 2 findings")
    length = len(Path("summary.md").read_text())
    devicefix("check", "a.py", "--output-format", "json")
    assert len(Path("summary.md").read_text()) == length
