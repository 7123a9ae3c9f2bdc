"""A seeded training loop gives the same numbers on the simulated accelerator as on the CPU.

Every loss and every parameter is compared to the last bit. The loops are those of
`tests/simulator/programs/training.py`; they run in a process for each device, on one thread.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from tests.forking import run_script

PROGRAM: Final = Path(__file__).parent / "programs" / "training.py"

EXACT: Final = (
    "mlp", "cnn", "channels_last", "lstm", "gru", "rnn", "lstm_deep", "gru_deep", "lstm_projected",
    "cells", "transformer", "gan", "policy_gradient", "embedding_bag", "normalisation",
    "objectives", "custom_function", "functional", "data_parallel", "clipping_and_schedule",
    "compiled_eager", "compiled_aot",
    "optimizer_sgd", "optimizer_sgd_momentum", "optimizer_sgd_nesterov", "optimizer_adam",
    "optimizer_adam_amsgrad", "optimizer_adamw", "optimizer_adamax", "optimizer_nadam",
    "optimizer_radam", "optimizer_adagrad", "optimizer_adadelta", "optimizer_rmsprop",
    "optimizer_rprop", "optimizer_asgd", "optimizer_lbfgs",
)  # fmt: skip

NEAR: Final = {"mixed_precision": 2e-2, "loss_scaling": 2e-3}
"""Loops under autocast, each with a relative tolerance: CUDA's lists of what is cast to which type
are not the CPU's.
"""


@cache
def outcomes(device: str) -> dict[str, dict[str, Any]]:
    """What all loops left behind on ``device``; run once."""
    done = run_script(PROGRAM, device)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {line["name"]: line for line in lines}


def both(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    here, there = outcomes("cpu")[name], outcomes("sim:cuda:2")[name]
    assert "error" not in here, here["error"]
    assert "error" not in there, there["error"]
    assert len(here["losses"]) >= 4
    return here, there


@pytest.mark.slow
@pytest.mark.parametrize("name", EXACT)
def test_the_numbers_are_those_of_the_cpu(name: str) -> None:
    here, there = both(name)
    assert there["losses"] == here["losses"]
    assert there["parameters"] == here["parameters"]


@pytest.mark.slow
@pytest.mark.parametrize("name", NEAR)
def test_autocast_stays_near(name: str) -> None:
    here, there = both(name)
    expected = [float.fromhex(loss) for loss in here["losses"]]
    assert [float.fromhex(loss) for loss in there["losses"]] == pytest.approx(
        expected, rel=NEAR[name]
    )


@pytest.mark.slow
def test_every_loop_is_compared() -> None:
    assert set(outcomes("cpu")) == {*EXACT, *NEAR}
