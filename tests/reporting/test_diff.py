from __future__ import annotations

import io
import shutil
import subprocess
from pathlib import Path

import pytest

from devicefix.engine import Change, FileResult, Report
from devicefix.reporting.diff import show_diffs, unified, unified_text, write_diffs

CASES = {
    "plain.py": (b"a\nb\nc\n", b"a\nB\nc\n"),
    "crlf.py": (b"a\r\nb\r\nc\r\n", b"a\r\nB\r\nc\r\n"),
    "mixed.py": (b"a\r\nb\nc\rd\n", b"a\r\nB\nc\rd\n"),
    "no_end.py": (b"a\nb", b"a\nB"),
    "end_far_off.py": (b"a\n" + b"x\n" * 9 + b"b", b"A\n" + b"x\n" * 9 + b"b"),
    "end_gained.py": (b"a\nb", b"a\nb\n"),
    "latin.py": (b"# coding: latin-1\n# \xe9\nb\n", b"# coding: latin-1\n# \xe9\nB\n"),
    "bom.py": (b"\xef\xbb\xbfa\nb\n", b"\xef\xbb\xbfa\nB\n"),
    "form\u2028feed.py": ("a\x0c\u2028\nb\n".encode(), "a\x0c\u2028\nB\n".encode()),
    "sub folder/two words.py": (b"a\n", b"b\n"),
    'quo"te\t.py': (b"a\n", b"b\n"),
}


@pytest.mark.parametrize("tool", [["git", "apply", "-"], ["patch", "-p1", "--binary", "-s"]])
@pytest.mark.parametrize("name", CASES)
def test_patches_give_the_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, tool: list[str]
) -> None:
    if shutil.which(tool[0]) is None:
        pytest.skip(f"no {tool[0]} here")
    monkeypatch.chdir(tmp_path)
    before, after = CASES[name]
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(before)
    patch = unified(name, Change(before, after, "utf-8"))
    subprocess.run(tool, input=patch, check=True, cwd=tmp_path)
    assert path.read_bytes() == after


def test_frequent_lines_that_stay_are_not_in_the_diff() -> None:
    before = b"".join(b"y = f(%d)\n\nz = g(%d)\n" % (n, n) for n in range(80))
    after = before.replace(b"(40)", b"(0)")
    lines = unified("x.py", Change(before, after, "utf-8")).splitlines()[3:]
    assert [line for line in lines if not line.startswith(b" ")] == [
        b"-y = f(40)",
        b"+y = f(0)",
        b"-z = g(40)",
        b"+z = g(0)",
    ]


def test_names_count_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    change = Change(b"a\n", b"b\n", "utf-8")
    for path in ("./x.py", str(tmp_path / "x.py"), "sub/../x.py"):
        assert unified(path, change).startswith(b"--- a/x.py\n+++ b/x.py\n")
    assert unified("/elsewhere/x.py", change).startswith(b"--- a/elsewhere/x.py\n")


def _report(change: Change) -> Report:
    return Report((FileResult("x.py", (), (), (), change),), (), 1, 0.0)


def test_a_pipe_gets_the_bytes_of_the_file() -> None:
    out = io.BytesIO()
    write_diffs(_report(Change(b"# \xe9\n", b"# \xe8\n", "latin-1")), out)
    assert out.getvalue().endswith(b"-# \xe9\n+# \xe8\n")


def test_a_reader_gets_characters() -> None:
    change = Change(b"# \xe9\n", b"# \xe8\n", "latin-1")
    assert unified_text("é.py", change).split("\n")[0] == "--- a/é.py"
    assert unified_text("x.py", change).endswith("-# é\n+# è\n")


def test_a_terminal_gets_colour_and_no_control_characters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for variable in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    screen = Terminal()
    show_diffs(_report(Change(b"old\r\n\x1b[2J" + b"y" * 300, b"new\r\n", "utf-8")), screen)
    assert "\x1b[31m-old\x1b[0m\n" in screen.getvalue()
    assert "\x1b[32m+new\x1b[0m\n" in screen.getvalue()
    assert "\\x1b[2J" + "y" * 300 in screen.getvalue()
