"""Which lines have to run for a change to be proven."""

from __future__ import annotations

import pytest

from devicefix.source import Source
from devicefix.verification.demands import Demand, demands, in_file
from tests.notebooks import notebook

PROGRAM = """\
import torch

# a comment
x = torch.ones(
    3,
)


def train(
    model,
    device=None,
):
    \"\"\"Says something.\"\"\"
    # a comment, too
    if model:
        return model(
            x
        )
    else:
        pass

    global y
    y = 1


class Net:
    size = 3

    @property
    def wide(self): return self.size

    def quick(self):
        if self.size: return 1
        return map(lambda n: n + 1, [])
"""


def asked(line: int) -> list[list[int]]:
    return [sorted(d.lines) for d in demands(Source.from_text(PROGRAM, "x.py"), [line])]


def line_of(text: str) -> int:
    (found,) = [n for n, line in enumerate(PROGRAM.splitlines(), 1) if text in line]
    return found


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("import torch", [1]),
        ("    3,", [4, 5, 6]),  # a line inside a call: any of its lines
        ("model,", [15]),  # a parameter: the body, whose text and comments never run
        ("def train", [15]),
        ("if model", [15]),  # the header, not what is below it
        ("return model(", [16, 17, 18]),
        ("pass", [20]),
        ("y = 1", [23]),
        ("size = 3", [27]),
    ],
)
def test_a_line_stands_for_its_statement(text: str, lines: list[int]) -> None:
    assert asked(line_of(text)) == [lines]


@pytest.mark.parametrize("text", ["# a comment, too", "else:", "global y"])
def test_what_never_runs_asks_for_nothing(text: str) -> None:
    assert asked(line_of(text)) == []


def test_blank_lines_and_comments_ask_for_nothing() -> None:
    assert asked(2) == asked(3) == asked(8) == []


@pytest.mark.parametrize("text", ["def wide", "if self.size: return", "lambda"])
def test_where_a_line_does_not_tell_nothing_can_prove_it(text: str) -> None:
    (demand,) = demands(Source.from_text(PROGRAM, "x.py"), [line_of(text)])
    assert not demand.met(range(100))
    assert "it is unknown" in demand.complaint


def test_each_statement_asks_once() -> None:
    source = Source.from_text(PROGRAM, "x.py")
    found = demands(source, range(1, 8))
    assert [d.line for d in found] == [1, 4]
    assert found[1].met({5})
    assert not found[1].met({1, 7})
    assert found[1].complaint == "its line 4 (after the fix) never ran"


def test_a_text_that_does_not_parse_asks_for_nothing() -> None:
    assert demands(Source.from_text("x = = 1\n", "x.py"), [1]) == ()


def test_a_cell_of_a_notebook_is_a_file_of_its_own() -> None:
    source = Source.from_bytes(notebook("#md", "x = 1", "y = 2\n%time z = f(1)"), "n.ipynb")
    line = source.position(source.text.index("y = 2"))[0]
    (demand,) = demands(source, [line])
    assert in_file("n.ipynb", source, demand) == ("n.ipynb:cell 3", Demand(1, frozenset({1})))
    (other,) = demands(Source.from_text("x = 1", "a.py"), [1])
    assert in_file("a.py", Source.from_text("x = 1", "a.py"), other) == ("a.py", other)
