from __future__ import annotations

import io
import re

import pytest
from msgspec.structs import replace

from devicefix.engine import FileError, Report
from devicefix.findings import Finding, Span
from devicefix.reporting.text import Detail, show_apply, show_check, show_errors


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(report: Report, *, dry_run: bool | None = None, detail: Detail = Detail.NORMAL) -> str:
    """What `apply` says, or `check` where nothing is said of a dry run."""
    out = io.StringIO()
    if dry_run is not None:
        show_apply(report, out, dry_run=dry_run, detail=detail)
    else:
        show_check(report, out, detail=detail)
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n"))


def test_check_shows_decisions_then_fixes_then_a_summary(report: Report) -> None:
    text = shown(report)
    assert text.startswith(
        "Needs your decision:\n"
        f"  src/a.py:9:5 DFX201 {'x' * 200} [display]\n"
        "    choose a device\n"
        "  src/a.py:7:5 DFX103 enters helper() [unsafe]\n"
        "    the fix is unsafe\n"
        "\n"
        "src/a.py:3:5 DFX103 made on the [red]host[/red] [safe]\n"
    )
    assert "DFX103   rule-dfx103          2         1\n" in text
    assert text.endswith(
        "3 findings in 1 file (12 checked; 1 file not processed), "
        "1 fixable with `devicefix apply`, 1 more with `--unsafe-fixes`.\n"
    )


def test_where_nothing_can_be_fixed_it_says_so_without_a_gap(report: Report) -> None:
    (result,) = report.files
    bare = replace(result, findings=tuple(x.finding for x in result.left))
    text = shown(replace(report, files=(bare,)))
    assert "    the fix is unsafe\n\n  Code     Rule" in text
    assert text.endswith(", none fixable with `devicefix apply`, 1 with `--unsafe-fixes`.\n")


def test_apply_shows_what_was_left_and_what_was_done(report: Report) -> None:
    text = shown(report, dry_run=False)
    fixed = "\n\nsrc/a.py:3:5 DFX103 made on the [red]host[/red] [safe]\n\n"
    assert (
        text.index("    choose a device\n") < text.index(fixed) < text.index("Findings   Fixed\n")
    )
    done = "1 finding in 1 file (12 checked; 1 file not processed); 2 need your decision."
    after = "`devicefix undo` reverts this; `devicefix verify ENTRY` checks it."
    assert text.endswith(f"Fixed {done} {after}\n")
    assert shown(report, dry_run=True).endswith(f"Would fix {done}\n")


def test_what_was_verified_needs_no_hint_to_verify(report: Report) -> None:
    out = io.StringIO()
    show_apply(report, out, dry_run=False, verified=True)
    assert out.getvalue().endswith("2 need your decision. `devicefix undo` reverts this.\n")


def placed(finding: Finding, line: int) -> Finding:
    return replace(finding, line=line, span=Span(line * 10, line * 10 + 3))


def test_a_cause_is_told_once_with_its_places(report: Report) -> None:
    (result,) = report.files
    bare = result.left[1]
    left = tuple(replace(bare, finding=placed(bare.finding, n)) for n in range(1, 8))
    many = replace(report, files=(replace(result, left=left),))
    text = shown(many)
    assert text.count("choose a device") == 1
    places = ", ".join(f"src/a.py:{n}:5" for n in (2, 3, 4, 5))
    assert f"    also: {places} and 2 more (7 places, -v lists them)\n" in text
    assert "    also: " + places + ", src/a.py:6:5, src/a.py:7:5 (7 places)\n" in shown(
        many, detail=Detail.VERBOSE
    )


def test_many_fixes_are_counted_by_file(report: Report) -> None:
    (result,) = report.files
    fixes = tuple(placed(result.applied[0], n) for n in range(1, 31))
    many = replace(report, files=(replace(result, findings=fixes, applied=fixes, left=()),))
    assert shown(many).startswith("Fixes by file (-v lists them):\n  src/a.py: 30 fixes (DFX103)\n")
    for dry_run in (None, False):
        text = shown(many, detail=Detail.VERBOSE, dry_run=dry_run)
        assert text.count("src/a.py:") == 30
        assert "Fixes by file" not in text


def test_quiet_is_the_findings_and_nothing_else(report: Report) -> None:
    lines = [
        "src/a.py:3:5 DFX103 made on the [red]host[/red] [safe]",
        "src/a.py:7:5 DFX103 enters helper() [unsafe]",
        f"src/a.py:9:5 DFX201 {'x' * 200} [display]",
    ]
    assert shown(report, detail=Detail.QUIET).splitlines() == lines
    assert shown(report, dry_run=False, detail=Detail.QUIET).splitlines() == lines[1:]
    assert shown(Report((), (), 1, 0.0), detail=Detail.QUIET) == ""


def test_nothing_found() -> None:
    empty = Report((), (), 1, 0.0)
    assert shown(empty) == "Nothing found in 1 file.\n"
    assert shown(empty, dry_run=False) == "Nothing to fix in 1 file.\n"


def test_what_was_not_understood_is_no_part_of_nothing() -> None:
    unfinished = FileError.unfinished(("a.py", "b.py"), "too large")
    report = Report((), (unfinished,), 3, 0.0)
    assert shown(report) == "Nothing found in 3 files; 2 files not fully analysed.\n"
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
