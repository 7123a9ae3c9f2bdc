"""Random programs leave the same tensors on the simulated accelerator as on the CPU.

The programs (`tests/simulator/programs/views.py`) take views of views, write into them, resize and
replace them. After every step each tensor's values, dtype, size, strides, storage offset, version
counter, history and storage size are compared, and which steps raised.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from tests.forking import run_script

PROGRAM: Final = Path(__file__).parent / "programs" / "views.py"
SEEDS: Final = 160
BLOCKS: Final = range(0, SEEDS, 40)


@cache
def outcomes(device: str) -> dict[int, list[Any]]:
    """The steps of each program on ``device``; run once."""
    done = run_script(PROGRAM, device, "0", str(SEEDS))
    assert done.returncode == 0, done.stderr
    return dict(json.loads(line) for line in done.stdout.splitlines())


@pytest.mark.slow
@pytest.mark.parametrize("first", BLOCKS)
@pytest.mark.parametrize("device", ["sim:cuda", "sim:xpu"])
def test_tensors_are_like_those_of_the_cpu(device: str, first: int) -> None:
    here, there = outcomes("cpu"), outcomes(device)
    for seed in range(first, first + BLOCKS.step):
        for number, (expected, found) in enumerate(zip(here[seed], there[seed], strict=True)):
            assert found == expected, f"program {seed}, step {number}"


@pytest.mark.slow
def test_most_steps_do_something() -> None:
    steps = [step for program in outcomes("cpu").values() for step, _ in program]
    raised = [step for step in steps if " raised " in step]
    assert len(raised) < len(steps) / 3
    assert len({step for step in steps if " raised " not in step}) > 80
