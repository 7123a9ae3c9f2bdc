"""``net(*batch)``: what is spread moves item by item, on its way into a module."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

Moves = Callable[[str], list[str]]

HEAD: Final = """
from torch.utils.data import DataLoader, TensorDataset
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 2), nn.Linear(4, 2)
    def forward(self, x, y):
        return self.a(x) + self.b(y)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net().to(device)
data = TensorDataset(torch.rand(8, 3), torch.rand(8, 4), torch.ones(8))
loader = DataLoader(data, 4)
"""


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("for batch in loader:\n    print(net(*batch[:2]))", ["OPERAND batch[:2] -> device"]),
        (
            "for batch in loader:\n    net(*batch[:1], y=batch[1])",
            ["OPERAND batch[:1] -> device", "OPERAND batch[1] -> device"],
        ),
        ("for *given, y in loader:\n    print(net(*given), y)", ["OPERAND given -> device"]),
        (
            "for x, *_ in loader:\n    net(x, torch.ones(4, 4, device=device))",
            ["BATCH x in for x, *_ in loader: -> device"],
        ),
        ("print(net(*data.tensors[:2]))", ["OPERAND data.tensors[:2] -> device"]),
        (
            "a, b = c = torch.rand(8, 3), torch.rand(8, 4)\nprint(a.numpy(), b.numpy(), net(*c))",
            ["OPERAND c -> device"],
        ),
        (
            "pair = [torch.rand(8, 3), torch.rand(8, 4)]\nprint(net(*pair))",
            ["FACTORY torch.rand(8, 3) => device", "FACTORY torch.rand(8, 4) => device"],
        ),
    ],
)
def test_what_is_spread_moves_item_by_item(moves: Moves, program: str, expected: list[str]) -> None:
    assert moves(f"{HEAD}{program}\n") == expected


@pytest.mark.parametrize(
    "program",
    [
        "for batch in loader:\n    batch = [x.to(device) for x in batch]\n    net(*batch[:2])",
        "for batch in loader:\n    net(*(part.to(device) for part in batch[:2]))",
        "for *given, y in loader:\n    given = [x.to(device) for x in given]\n    net(*given)",
        "pair = torch.rand(8, 3).to(device), torch.rand(8, 4).to(device)\nnet(*pair)",
    ],
)
def test_what_is_there_needs_no_move(moves: Moves, program: str) -> None:
    assert moves(f"{HEAD}{program}\n") == []


MIXED: Final = """
class Packed(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.LSTM(3, 2, batch_first=True)
    def forward(self, x, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
        return self.layer(packed)[0].data
packed = Packed().to(device)
given = {0}, torch.tensor([4, 2])
print(given[0].mean(), packed(*given).sum())
"""


def test_what_stays_behind_is_not_moved_along(moves: Moves) -> None:
    assert moves(HEAD + MIXED.format("torch.rand(2, 4, 3).to(device)")) == []
    assert moves(HEAD + MIXED.format("torch.rand(2, 4, 3)")) == [
        "FACTORY torch.rand(2, 4, 3) => device"
    ]


def test_a_list_that_grows_is_no_tuple(moves: Moves) -> None:
    program = "for *given, y in loader:\n    given.append(y)\n    print(net(*given[:2]))\n"
    assert "OPERAND given[:2] -> device" not in moves(HEAD + program)
