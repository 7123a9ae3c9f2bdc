"""`check -` and `apply -`: standard input in, standard output out."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.notebooks import code, notebook, sources
from tests.repository import commit_all, needs_git

Devicefix = Callable[..., Any]
OLD = "import torch\r\nold = torch  # \u00e9\r\n"
NEW = "import torch\r\nnew = torch  # \u00e9\r\n"


@pytest.fixture
def give(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes | str], None]:
    """Puts something on standard input."""

    def put(data: bytes | str) -> None:
        raw = data.encode() if isinstance(data, str) else data
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))

    return put


Give = Callable[[bytes | str], None]


def test_the_fixed_text_comes_out(devicefix: Devicefix, give: Give) -> None:
    give(OLD)
    assert devicefix("apply", "-") == (0, NEW, "")
    give("print(1)")
    assert devicefix("apply", "-") == (0, "print(1)", "")
    assert list(Path().iterdir()) == []
    assert devicefix("undo").status == 2  # nothing was written


def test_bytes_that_are_not_utf8(
    devicefix: Devicefix, give: Give, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    from devicefix.cli import main

    text = b"\xef\xbb\xbf" + OLD.encode()
    for data in (text, b"# coding: latin-1\rimport torch\rold = torch # \xe9\r", b"\xff\xfe\x00"):
        give(data)
        main(["apply", "-"])
        assert capfdbinary.readouterr().out == data.replace(b"old", b"new")


def test_findings_bear_the_name_that_is_given(devicefix: Devicefix, give: Give) -> None:
    give(OLD)
    run = devicefix("check", "-")
    assert (run.status, run.out.split()[0]) == (1, "<stdin>:2:1")
    give(OLD)
    run = devicefix("check", "-", "--stdin-filename", "no/such.py", "--output-format", "json")
    assert [f["path"] for f in json.loads(run.out)["findings"]] == ["no/such.py"]
    give(OLD)
    run = devicefix("check", "-", "--output-format", "sarif")
    (result,) = json.loads(run.out)["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"]) == (2, 1)


def test_a_dry_run_and_a_check(devicefix: Devicefix, give: Give) -> None:
    give(OLD)
    run = devicefix("apply", "--dry-run", "--stdin-filename", "a.py", "-")
    assert run.status == 0
    assert "+++ b/a.py" in run.out
    assert "+new = torch" in run.out
    for text, status in ((OLD, 1), (NEW, 0)):
        give(text)
        assert devicefix("apply", "--check", "-").status == status


def test_settings_are_those_of_the_file(devicefix: Devicefix, give: Give) -> None:
    Path("sub").mkdir()
    Path("sub/pyproject.toml").write_text('[tool.devicefix]\nignore = ["TST101"]\n')
    give(OLD)
    assert devicefix("apply", "-", "--stdin-filename", "sub/a.py").out == OLD
    give(OLD)
    assert devicefix("apply", "-").out == NEW


def test_the_file_itself_makes_no_difference(devicefix: Devicefix, give: Give) -> None:
    Path("a.py").write_text("nothing = 1\n")
    give(OLD)
    assert devicefix("apply", "-", "--stdin-filename", "a.py").out == NEW
    assert Path("a.py").read_text() == "nothing = 1\n"


def test_notebooks(devicefix: Devicefix, give: Give) -> None:
    give(notebook(code("import torch\nold = torch")))
    out = devicefix("apply", "-", "--stdin-filename", "n.ipynb").out
    assert sources(out.encode()) == ["import torch\nnew = torch"]


@pytest.mark.parametrize(
    ("text", "options", "complaint"),
    [
        ("import torch\nold = (\r\n", (), "<stdin>:2: error: "),
        (OLD, ("--select", "NIX1"), "NIX1"),
        (OLD, ("--baseline", "missing.json"), "no such baseline"),
        (OLD, ("--config", "missing.toml"), "missing.toml: cannot be read"),
    ],
)
def test_what_cannot_be_worked_on_comes_out_as_it_went_in(
    devicefix: Devicefix, give: Give, text: str, options: tuple[str, ...], complaint: str
) -> None:
    give(text)
    run = devicefix("apply", "-", *options)
    assert (run.status, run.out) == (2, text)
    assert complaint in run.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "-", "a.py"),
        ("apply", "-", "-"),
        ("check", "--stdin-filename", "a.py", "."),
        ("apply", "--verify", "a.py", "-"),
        ("apply", "-i", "-"),
        ("apply", "--output-format", "json", "-"),
        ("apply", "--output-file", "x.json", "-"),
    ],
)
def test_what_does_not_go_together(
    devicefix: Devicefix, give: Give, arguments: tuple[str, ...]
) -> None:
    give(OLD)
    run = devicefix(*arguments)
    assert (run.status, run.out) == (2, "")
    assert "Error: " in run.err


@needs_git
def test_since_asks_what_the_file_was(devicefix: Devicefix, give: Give) -> None:
    Path("a.py").write_text(OLD, newline="")
    commit_all(Path())
    for text, status in ((OLD, 0), (OLD + "print(old)\r\n", 1)):
        give(text)
        run = devicefix("check", "-", "--stdin-filename", "a.py", "--since", "HEAD")
        assert (run.status, "a.py:2" in run.out) == (status, False)


def test_the_code_that_is_shown_is_that_of_standard_input(devicefix: Devicefix, give: Give) -> None:
    """Whatever the file of that name holds."""
    Path("a.py").write_text("import torch\nanother_text\n")
    give("import torch\nx = risky\n")
    out = devicefix("check", "-", "--stdin-filename", "a.py").out
    assert "    x = risky\n        ^^^^^\n" in out
    assert "another_text" not in out
    give("import torch\nx = risky\n")
    assert devicefix("check", "-", "-q").out == "<stdin>:2:5 TST202 risky is used [unsafe]\n"
