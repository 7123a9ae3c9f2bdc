from __future__ import annotations

import io
import re

import pytest

from devicefix.engine import FileError, Report
from devicefix.reporting.text import show_apply, show_check, show_errors


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(report: Report, **options: bool) -> str:
    out = io.StringIO()
    if options:
        show_apply(report, out, **options)
    else:
        show_check(report, out)
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n"))


def test_check_shows_findings_then_a_summary_then_what_is_left(report: Report) -> None:
    text = shown(report)
    assert text.startswith(
        "src/a.py:3:5 DFX103 made on the [red]host[/red] [safe]\n"
        "src/a.py:7:5 DFX103 enters helper() [unsafe]\n"
        f"src/a.py:9:5 DFX201 {'x' * 200} [display]\n"
    )
    table, left = text.index("Findings   Fixable"), text.index("Needs your decision:")
    assert table < left
    assert "DFX103   rule-dfx103          2         1      1" in text
    assert text.endswith(
        "Needs your decision:\n"
        "  src/a.py:7:5 DFX103 enters helper()\n"
        "    the fix is unsafe\n"
        f"  src/a.py:9:5 DFX201 {'x' * 200}\n"
        "    choose a device\n"
        "\n"
        "3 findings in 1 file (12 checked; 1 file not processed): devicefix apply fixes 1.\n"
    )


def test_apply_shows_what_was_done_and_what_was_left(report: Report) -> None:
    text = shown(report, dry_run=False)
    assert text.startswith("src/a.py:3:5 DFX103 made on the [red]host[/red] [safe]\n\n")
    assert "Fixed   Left" in text
    assert "    choose a device\n" in text
    done = "1 finding in 1 file (12 checked; 1 file not processed); 2 left."
    after = "devicefix undo reverts it, devicefix verify ENTRY checks it."
    assert text.endswith(f"Fixed {done} {after}\n")
    assert shown(report, dry_run=True).endswith(f"Would fix {done}\n")


def test_nothing_found() -> None:
    empty = Report((), (), 1, 0.0)
    assert shown(empty) == "Nothing found in 1 file.\n"
    assert shown(empty, dry_run=False) == "Nothing to fix in 1 file.\n"


def test_what_was_not_understood_is_no_part_of_nothing() -> None:
    unfinished = FileError.unfinished(("a.py", "b.py"), "too large")
    report = Report((), (unfinished,), 3, 0.0)
    assert shown(report) == "Nothing found in 3 files; 2 files not analysed to the end.\n"
    lost = Report((), (FileError("a.py", None, "not written: the disk is full"),), 3, 0.0)
    assert shown(lost, dry_run=False) == "Nothing fixed in 3 files; 1 file not processed.\n"


def test_colour_only_on_a_terminal_that_wants_it(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b[" not in shown(report)
    screen = Terminal()
    show_check(report, screen)
    assert "\x1b[36mDFX103" in screen.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    plain = Terminal()
    show_check(report, plain)
    assert "\x1b[3" not in plain.getvalue()


def test_without_colour_the_lines_are_the_same(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "500")
    screen, plain = Terminal(), io.StringIO()
    show_check(report, screen)
    show_check(report, plain)
    assert re.sub(r"\x1b\[[0-9;]*m", "", screen.getvalue()) == plain.getvalue()


def test_errors_are_one_line_each_and_steer_no_terminal(
    report: Report, capsys: pytest.CaptureFixture[str]
) -> None:
    show_errors(report.errors)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "src/b.py:4: error: looks like Python 2\\x1b[31m\n"
