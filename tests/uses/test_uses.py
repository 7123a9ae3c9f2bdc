"""Whoever uses what moves was understood, or nothing moves: each program runs before and after.

``programs`` has one program per way in which a value reaches what uses it: a file, or a folder
whose ``main.py`` is run. ``unseen`` and ``choice`` are modules that `apply` does not get to see:
what `unseen.py` here defines, and ``is_(n)``, which is true in the run of that number. The first
line may say how many runs there are, and that the fixes have to move something:

    # choices: 2
    # moves
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Final

import pytest

from tests.properties.checking import Files, rewrite_all
from tests.properties.running import on_cpu, simulated

HERE: Final = Path(__file__).parent
PROGRAMS: Final = sorted((HERE / "programs").iterdir())
UNSEEN: Final = (HERE / "unseen.py").read_text()

HEAD: Final = """
import numpy as np
import torch
from choice import is_

model = torch.nn.Linear(3, 2)
"""
TAIL: Final = """
if isinstance(z, np.ndarray):
    z = torch.from_numpy(z).float()
print(model(z).shape)
"""
BRANCHES: Final = ("torch.zeros(4, 3)", "np.random.rand(4, 3)", "torch.randn(4, 3)")


def files_of(program: Path) -> Files:
    if program.is_file():
        return {"__main__": program.read_text()}
    paths = sorted(program.glob("*.py"))
    return {"__main__" if p.stem == "main" else p.stem: p.read_text() for p in paths}


def harm(before: Files, after: Files, runs: int) -> Iterator[str]:
    """What ran before and does not run any more, or gives something else."""
    for run in range(runs):
        beside = {"unseen": UNSEEN, "choice": f"def is_(n):\n    return n == {run}\n"}
        for where in (on_cpu, simulated):
            was, now = (
                where(files["__main__"], {n: t for n, t in files.items() if n[0] != "_"} | beside)
                for files in (before, after)
            )
            assert where is simulated or not was.error, was.error
            if not was.error and now.outcome != was.outcome:
                yield f"{where.__name__}, run {run}: {now.error or now.printed}"


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_what_ran_runs_and_prints_the_same(program: Path, tmp_path: Path) -> None:
    before = files_of(program)
    after = rewrite_all([before], tmp_path)[0].files
    runs = re.search(r"^# choices: (\d+)$", before["__main__"], re.MULTILINE)
    assert not list(harm(before, after, int(runs.group(1)) if runs else 1))
    if "# moves\n" in before["__main__"]:
        assert after != before


@pytest.mark.parametrize("order", list(permutations(BRANCHES)))
def test_each_branch_runs_whatever_their_order(order: tuple[str, ...], tmp_path: Path) -> None:
    first, second, third = order
    choice = f"if is_(0):\n    z = {first}\nelif is_(1):\n    z = {second}\nelse:\n    z = {third}"
    before = {"__main__": HEAD + choice + TAIL}
    (rewritten,) = rewrite_all([before], tmp_path)
    assert not list(harm(before, rewritten.files, 3))
    assert "model = torch.nn.Linear(3, 2).to(device)" in rewritten.text
    assert not any(file.left for file in rewritten.report.files)
