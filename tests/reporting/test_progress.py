from __future__ import annotations

import io
import sys
import time
from pathlib import Path

import pytest

from devicefix.reporting import progress
from devicefix.reporting.progress import announced, progress_bar, steps, waiting

FILES = [Path(f"program{number}.py") for number in range(3)]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_what_takes_its_time_is_named_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.05)
    for variable in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    done = []
    for file in progress_bar(FILES):
        done.append(file)
        if file.name == "program1.py":
            time.sleep(0.5)
    assert done == FILES
    assert "Analysing program1.py" in screen.getvalue()
    assert "1/3" in screen.getvalue()
    assert "program0" not in screen.getvalue()


def test_no_progress_for_quick_work_or_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, pipe = Terminal(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    assert list(progress_bar(FILES)) == FILES
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(sys, "stderr", pipe)
    assert list(progress_bar(FILES)) == FILES
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
    assert capsys.readouterr().err == "Analysing 2 files …\n"
