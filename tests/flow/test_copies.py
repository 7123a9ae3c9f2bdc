"""Deep copies of modules live where the original was when they were made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

Moves = Callable[[str], list[str]]

HEAD: Final = """
import copy
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 1)
        self.scale = nn.Parameter(torch.ones(1))
    def forward(self, x):
        return self.fc(x) * self.scale
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""
RANDN: Final = "FACTORY torch.randn(8, 3) => device"
MADE: Final = ["nn.Linear(3, 1)", "Net()", "nn.Sequential(Net())"]


@pytest.mark.parametrize("make", MADE)
def test_a_copy_of_what_has_moved_needs_no_move(moves: Moves, make: str) -> None:
    program = f"{HEAD}net = {make}.to(device)\nother = copy.deepcopy(net)\n"
    assert moves(program + "print(other(torch.randn(8, 3)))\n") == [RANDN]


@pytest.mark.parametrize("make", MADE)
def test_a_copy_of_what_moves_later_stays(moves: Moves, make: str) -> None:
    program = f"{HEAD}net = {make}\nother = copy.deepcopy(net)\nnet.to(device)\n"
    assert moves(program + "print(other(torch.ones(8, 3)), net(torch.randn(8, 3)))\n") == [RANDN]


@pytest.mark.parametrize("make", MADE)
def test_a_copy_may_move_itself(moves: Moves, make: str) -> None:
    program = f"{HEAD}net = {make}\nother = copy.deepcopy(net).to(device)\n"
    assert moves(program + "print(other(torch.randn(8, 3)))\n") == [RANDN]


@pytest.mark.parametrize("called", ["other", "net"])
def test_the_original_moves_before_it_is_copied(moves: Moves, called: str) -> None:
    program = f"{HEAD}net = Net()\nother = copy.deepcopy(net)\n"
    assert moves(program + f"print({called}(torch.randn(8, 3)))\n") == [
        "MODULE Net() -> device",
        RANDN,
    ]


def test_a_copy_that_is_brought_back_stays(moves: Moves) -> None:
    program = f"{HEAD}net = Net().to(device)\nbest = copy.deepcopy(net).cpu()\n"
    assert moves(program + "print(best(torch.ones(8, 3)), net(torch.randn(8, 3)))\n") == [RANDN]


def test_copies_travel_with_the_module_that_they_become_part_of(moves: Moves) -> None:
    program = f"""{HEAD}
def clones(layer, count):
    return nn.ModuleList([copy.deepcopy(layer) for _ in range(count)])
class Stack(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layers = clones(layer, 3)
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
layer = nn.Linear(3, 3)
net = Stack(copy.deepcopy(layer))
"""
    use = "print(net(torch.randn(8, 3)))\n"
    assert moves(program + "net.to(device)\n" + use) == [RANDN]
    assert moves(program + use) == ["MODULE Stack(copy.deepcopy(layer)) -> device", RANDN]


def test_copies_in_a_loop_come_to_an_end(moves: Moves) -> None:
    program = f"{HEAD}net = Net().to(device)\nfor k in range(9):\n    net = copy.deepcopy(net)\n"
    assert moves(program + "print(net(torch.randn(8, 3)))\n") == [RANDN]
