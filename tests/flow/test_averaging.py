"""``torch.optim.swa_utils``: a module around a copy, and statistics that are computed again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

Moves = Callable[[str], list[str]]

HEAD: Final = """
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn, update_bn
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
def evaluate(model, x):
    return model(x).sum()
"""
MODEL: Final = "MODULE nn.Linear(3, 2) -> device"
RANDN: Final = "FACTORY torch.randn(8, 3) => device"
BOTH: Final = "x = torch.randn(8, 3)\nprint(evaluate(model, x), evaluate(average, x))\n"


def test_an_average_is_where_its_model_is(moves: Moves) -> None:
    program = f"{HEAD}model = nn.Linear(3, 2)\naverage = AveragedModel(model)\n{BOTH}"
    assert moves(f"{program}average.update_parameters(model)\n") == [MODEL, RANDN]


def test_an_average_of_what_has_moved_needs_no_move(moves: Moves) -> None:
    program = f"{HEAD}model = nn.Linear(3, 2).to(device)\naverage = AveragedModel(model)\n{BOTH}"
    assert moves(program) == [RANDN]


def test_an_average_stays_where_its_model_moves_later(moves: Moves) -> None:
    program = f"{HEAD}model = nn.Linear(3, 2)\naverage = AveragedModel(model)\nmodel.to(device)\n"
    used = "print(evaluate(average, torch.ones(8, 3)), evaluate(model, torch.randn(8, 3)))\n"
    assert moves(program + used) == [RANDN]


@pytest.mark.parametrize("given", ["device", "device=device"])
def test_an_average_may_be_told_where_to_be(moves: Moves, given: str) -> None:
    program = f"{HEAD}model = nn.Linear(3, 2)\naverage = AveragedModel(model, {given})\n"
    used = "print(evaluate(average, torch.randn(8, 3)), evaluate(model, torch.ones(8, 3)))\n"
    assert moves(program + used) == [RANDN]


@pytest.mark.parametrize(
    "mean",
    [
        "avg_fn=lambda mean, new, count: mean + (new - mean) / (count + 1)",
        "multi_avg_fn=get_ema_multi_avg_fn(0.9)",
    ],
)
def test_what_averages_needs_nothing_more(moves: Moves, mean: str) -> None:
    program = f"{HEAD}model = nn.Linear(3, 2)\naverage = AveragedModel(model, {mean})\n{BOTH}"
    assert moves(program) == [MODEL, RANDN]


def test_the_module_inside_is_a_copy(moves: Moves) -> None:
    program = f"{HEAD}model = nn.Linear(3, 2)\naverage = AveragedModel(model)\nmodel.to(device)\n"
    used = "print(average.module(torch.ones(8, 3)), model(torch.randn(8, 3)))\n"
    assert moves(program + used) == [RANDN]


LOADER: Final = """
from torch.utils.data import DataLoader, TensorDataset
loader = DataLoader(TensorDataset(torch.ones(8, 3), torch.ones(8)), 4)
average = AveragedModel(nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2)).to(device))
"""


@pytest.mark.parametrize("batches", ["loader", "(x for x, y in loader)", "[x for x, _ in loader]"])
def test_statistics_are_computed_where_the_average_is(moves: Moves, batches: str) -> None:
    program = f"{HEAD}{LOADER}update_bn({batches}, average)\n"
    assert moves(program) == [f"OPERAND update_bn({batches}, average) => device"]


@pytest.mark.parametrize(
    "call",
    [
        "update_bn(loader, average, device)",
        "update_bn(loader, average, device=device)",
        "update_bn((x.to(device) for x, y in loader), average)",
        "update_bn(loader, average.cpu())",
    ],
)
def test_statistics_of_batches_that_are_there(moves: Moves, call: str) -> None:
    assert moves(f"{HEAD}{LOADER}{call}\n") == []
