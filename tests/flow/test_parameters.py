"""Lists and dictionaries of parameters hold tensors that live where the module is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

Moves = Callable[[str], list[str]]

NET: Final = """
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {make}
        self.total = sum((p + torch.zeros(3)).sum().item() for p in self.parameters())
    def forward(self, x):
        return {use}
net = Net().to(device)
print(net(torch.ones(3)))
"""


@pytest.mark.parametrize(
    ("make", "use"),
    [
        ("self.rows = nn.ParameterList([nn.Parameter(torch.ones(3))])", "x * self.rows[0]"),
        ("self.rows = nn.ParameterList([torch.ones(3), torch.ones(3)])", "x * self.rows[1]"),
        ("self.rows = nn.ParameterList(); self.rows.append(torch.ones(3))", "x * self.rows[0]"),
        ("self.rows = nn.ParameterList([torch.ones(3)])", "sum(x * row for row in self.rows)"),
        ("self.rows = nn.ParameterList([torch.ones(3)])", "x * list(self.rows)[0]"),
        ("self.rows = nn.ParameterDict({'a': torch.ones(3)})", "x * self.rows['a']"),
        (
            "self.rows = nn.ParameterDict({'a': torch.ones(3)})",
            "[x * row for row in self.rows.values()]",
        ),
    ],
)
def test_only_what_meets_parameters_moves(moves: Moves, make: str, use: str) -> None:
    assert moves(NET.format(make=make, use=use)) == ["FACTORY torch.ones(3) => device"]
