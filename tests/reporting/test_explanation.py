"""What is believed of a line, on a terminal; `tests/cli` has the rest."""

from __future__ import annotations

import io
import re

import pytest

from devicefix.engine import Explained
from devicefix.flow.explanation import Belief, Explanation, Spot
from devicefix.reporting.explanation import show

SPOT = Spot("a.py", 7, "y = model(" + "x" * 200 + ")", "meets `y\x1b[31m`", "device")
BELIEF = Belief(
    text="x",
    also=(),
    column=1,
    kind="tensor",
    dtype="float32",
    today="CPU",
    after="device",
    ways=((SPOT,),),
    meets=(SPOT,) * 7,
    moves=(),
    notes=("a reason that is longer than the terminal is wide " * 3,),
    group="",
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def explained() -> Explained:
    return Explained("a.py", 3, "x", 1, Explanation("a.py", 3, "x", (BELIEF,), ()), ())


def test_a_terminal_shows_the_columns_and_cuts_the_text(
    explained: Explained, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("NO_COLOR", "1")
    out = Terminal()
    show(explained, out)
    lines = re.sub(r"\x1b\[[\d;]*m", "", out.getvalue()).splitlines()
    (first, *_) = [line for line in lines if "from" in line]
    assert len(first) <= 60
    assert first.endswith("…")
    assert any("longer than the terminal" in line and len(line) > 60 for line in lines)


def test_a_pipe_gets_all_of_it(explained: Explained) -> None:
    out = io.StringIO()
    show(explained, out)
    assert "x" * 200 in out.getvalue()
    assert "\x1b" not in out.getvalue()
    assert "and 2 more" in out.getvalue()
