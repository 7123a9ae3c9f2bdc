from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from devicefix.reporting.progress import FEW, announced, progress_bar, steps, waiting

MANY = [Path(f"{number}.py") for number in range(FEW + 1)]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_where_many_files_and_a_terminal_are(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    assert list(progress_bar(MANY)) == MANY
    assert "Analysing files" in screen.getvalue()


def test_no_bar_for_few_files_or_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, pipe = Terminal(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    assert list(progress_bar(MANY[:FEW])) == MANY[:FEW]
    monkeypatch.setattr(sys, "stderr", pipe)
    assert list(progress_bar(MANY)) == MANY
    assert screen.getvalue() + pipe.getvalue() == ""


def test_what_is_waited_for_is_said_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    screen, pipe = Terminal(), io.StringIO()
    for stream in (screen, pipe):
        monkeypatch.setattr(sys, "stderr", stream)
        with waiting("Trying this torch"):
            pass
    assert "Trying this torch" in screen.getvalue()
    assert pipe.getvalue() == ""


def test_steps_are_named_on_a_terminal_only_and_nothing_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen, pipe = Terminal(), io.StringIO()
    for stream in (screen, pipe):
        monkeypatch.setattr(sys, "stderr", stream)
        with pytest.raises(KeyboardInterrupt), steps() as name:  # noqa: PT012
            name("before\x1b[31m")
            name("after")
            raise KeyboardInterrupt
    *said, last = screen.getvalue().split("\r\x1b[2K")
    assert said == ["", "before\\x1b[31m …", "after …"]
    assert last == ""
    assert pipe.getvalue() == ""


def test_what_begins_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    progress = announced()
    for _ in range(2):
        assert list(progress([Path("a.py"), Path("b.py")])) == [Path("a.py"), Path("b.py")]
    assert capsys.readouterr().err == "Looking at 2 files …\n"
