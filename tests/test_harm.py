"""The harm campaign: what it calls harm, and that a small program goes through it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
sys.path.append(str(BENCHMARKS))

from harm_judging import same_numbers, same_text, steady  # noqa: E402
from harm_programs import Program, Run  # noqa: E402
from harm_trial import SAME, tried  # noqa: E402


def test_numbers_are_compared_and_not_their_spelling() -> None:
    assert same_text("right tensor(2) 0.50", "right 2 0.5")
    assert not same_text("loss 0.5000001", "loss 0.5")
    assert same_numbers("loss 0.5000001 on cpu", "loss 0.5 on cuda:0")
    assert not same_numbers("hits 3", "hits 4")


def test_lines_that_differ_from_run_to_run_do_not_count() -> None:
    assert steady("a 1\nb", "a 2\nb", "a 3\nb") == ("b", "b")


@pytest.mark.slow
def test_a_program_is_the_same_in_both_worlds() -> None:
    text = "import torch\nnet = torch.nn.Linear(2, 1)\nprint(net(torch.ones(1, 2)).item())\n"
    program = Program("test", "line", (Run("program.py"),), {"program.py": text.encode()})
    outcomes, status = tried(program, 60)
    assert status == 0
    assert [(o.verdict, o.changed) for o in outcomes] == [(SAME, True)] * 2
