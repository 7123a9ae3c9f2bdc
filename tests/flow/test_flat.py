"""Items of tensors of one dimension have none: on the host they may stand beside a device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

Moves = Callable[[str], list[str]]

FLAT: Final = [
    "torch.linspace(0, 1, 9)",
    "torch.arange(9.0)",
    "torch.tensor([1.0, 2.0, 3.0])",
    "torch.tensor([min(0.1, 0.9), 1.0])",
    "torch.from_numpy(np.linspace(0, 1, 9)[::-1].copy().astype(np.float32))",
    "torch.from_numpy(np.array([1.0, 2.0])).float()",
    "torch.FloatTensor([1.0, 2.0, 3.0])",
    "torch.ones(3, 3).view(9)",
    "torch.linspace(0, 1, 9) ** 2",
    "(1.0 - torch.linspace(0, 1, 9)).cumprod(0)",
    "torch.cumprod(1.0 - torch.linspace(0, 1, 9), dim=0)",
    "torch.linspace(0, 1, 9) * torch.arange(9)",
    "torch.cat([torch.linspace(0, 1, 9), torch.tensor([2.0])])",
    "torch.linspace(0, 1, 9)[1:]",
    "torch.ones(3, 3).flatten()",
    "torch.ones(3, 3).mul(2).view(-1)",
    "torch.ones(3, 3).repeat_interleave(2)",
    "torch.from_numpy(np.ones((3, 3)).ravel()).float()",
    "torch.from_numpy(np.concatenate([np.load('a'), [0.0]]).astype(np.float32))",
    "torch.from_numpy(np.append(np.load('a'), [0.0])).float()",
    "torch.from_numpy(np.interp(np.arange(9), np.load('a'), np.load('b'))).float()",
    "torch.linspace(0, 1, 9) if len(open('a').read()) else torch.arange(9.0)",
]
OTHERS: Final = [
    "torch.FloatTensor([[1.0], [2.0], [3.0]])",
    "torch.FloatTensor(3, 3)",
    "torch.tensor([[1.0, 2.0, 3.0]])",
    "torch.from_numpy(np.array([[1.0], [2.0]])).float()",
    "torch.stack([torch.linspace(0, 1, 9)] * 2)",
    "torch.linspace(0, 1, 9)[None]",
    "torch.linspace(0, 1, 9).view(3, 3)",
    "torch.ones(3, 3, 3).flatten(1)",
    "torch.ones(3, 3).view(-1, 1)",
    "torch.ones(3, 3).repeat_interleave(2, dim=0)",
    "torch.ones(3, 3).repeat_interleave(2, 0)",
    "torch.from_numpy(np.concatenate([np.load('a'), [[0.0]]]).astype(np.float32))",
    "torch.from_numpy(np.concatenate([np.load('a'), np.load('b')])).float()",
    "torch.cat([torch.linspace(0, 1, 9), torch.rand(len(open('a').read()), 3)])",
    "torch.linspace(0, 1, 9) * torch.ones(9, 9)",
    "torch.linspace(0, 1, 9) if len(open('a').read()) else torch.ones(9, 1)",
    "torch.tensor(open('a').read().split())",
]
INDEX: Final = ["2", "-1", "int(open('a').read())", "torch.tensor(2)", "torch.arange(9)[2]"]


def _meets(table: str, index: str = "2") -> str:
    made = "y = model(torch.ones(2, 3, device=device))\n"
    return f"{made}table = {table}\nprint(y * table[{index}])\n"


@pytest.mark.parametrize("table", FLAT)
def test_an_item_of_what_has_one_dimension_may_stay(beside_model: Moves, table: str) -> None:
    assert beside_model(_meets(table)) == []


@pytest.mark.parametrize("table", OTHERS)
def test_an_item_of_what_has_more_may_not(beside_model: Moves, table: str) -> None:
    assert beside_model(_meets(table)) != []


@pytest.mark.parametrize("index", INDEX)
def test_a_number_takes_out_one(beside_model: Moves, index: str) -> None:
    assert beside_model(_meets(FLAT[0], index)) == []


@pytest.mark.parametrize("index", ["1:", "None", "..., 2:", "[1, 2]", "torch.arange(2)", "True"])
def test_what_is_no_number_takes_out_several(beside_model: Moves, index: str) -> None:
    assert len(beside_model(_meets(FLAT[0], index))) == 1


UNCALLED: Final = """
class Schedule:
    def __init__(self, betas=None, count: int = 9):
        self.table = torch.linspace(0, 1, count) if betas is None else torch.tensor(betas)

    def step(self, x, i: int):
        return x.relu() * self.table[i]

    def noise(self, x, t):
        return x.relu() * self.table[t]
"""


def test_where_nobody_calls_it_data_that_nobody_has_seen_may_be_flat(moves: Moves) -> None:
    """What several of them are taken of, by a tensor, is told."""
    (line,) = moves(UNCALLED)
    assert "self.table[t]" in line


@pytest.mark.parametrize(
    ("given", "index", "told"),
    [
        ("t: int | torch.Tensor", "t", False),
        ("t: 'typing.Union[float, torch.Tensor]'", "t", False),
        ("t", "t - mystery.count()", False),
        ("t", "self.at", False),
        ("t", "None", True),
    ],
)
def test_where_nobody_calls_it_an_index_that_is_not_known_may_be_a_number(
    moves: Moves, given: str, index: str, told: bool
) -> None:
    step = UNCALLED.partition("    def noise")[0]
    at = step.replace("        self.table", "        self.at = None\n        self.table")
    noise = f"    def noise(self, x, {given}):\n        return x.relu() * self.table[{index}]\n"
    assert len(moves(f"import mystery\n{at}{noise}")) == told


def test_where_nobody_calls_it_a_flat_part_speaks_for_the_whole(moves: Moves) -> None:
    step = UNCALLED.partition("    def noise")[0]
    whole = step.replace("        self.table = ", "        self.table = torch.rand(*betas)  # ")
    assert len(moves(whole)) == 1
    cat = "torch.cat([torch.arange(9.0), torch.rand(*betas)])"
    assert moves(whole.replace("torch.rand(*betas)", cat)) == []


def test_where_it_is_called_the_data_is_seen(beside_model: Moves) -> None:
    step = UNCALLED.partition("    def noise")[0]
    program = f"{step}x = model(torch.ones(2, 3, device=device))\n"
    assert beside_model(f"{program}print(Schedule([1.0, 2.0]).step(x, 1))\n") == []
    assert beside_model(f"{program}print(Schedule([[1.0], [2.0]]).step(x, 1))\n") != []
