"""float64 on its way to the device."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

import pytest

from devicefix.flow import FileFacts

Facts = Callable[[str], FileFacts]

HEAD: Final = """\
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 1).to(device)
y = net(torch.ones(2, 3, device=device))
"""


def doubles(found: FileFacts) -> list[str]:
    """What goes to the device as float64."""
    return [ast.unparse(d.operand) for d in found.doubles]


ARRIVE: Final = [
    pytest.param("t = torch.from_numpy(np.ones(1)).to(device)\n", id="moved"),
    pytest.param("t = torch.from_numpy(np.ones(1)).cuda()\n", id="by cuda()"),
    pytest.param("t = torch.from_numpy(np.ones(1))\nprint(y - t)\n", id="to be moved"),
    pytest.param("t = torch.tensor(np.ones(1), device=device)\n", id="made there"),
    pytest.param("t = torch.tensor(np.ones(1))\nprint(y - t)\n", id="to be made there"),
]


@pytest.mark.parametrize("program", ARRIVE)
def test_float64_that_goes_to_the_device(facts: Facts, program: str) -> None:
    assert len(doubles(facts(HEAD + program))) == 1


FINE: Final = [
    pytest.param("t = y.double()\n", id="cast there"),
    pytest.param("t = torch.ones(1, dtype=torch.float64, device=device)\n", id="dtype="),
    pytest.param("t = torch.ones(1).double().to(device)\n", id="cast by name"),
    pytest.param("t = torch.from_numpy(np.ones(1))\nprint(t.sum())\n", id="stays"),
    pytest.param("t = torch.from_numpy(np.ones(1)).float().to(device)\n", id="cast before"),
    pytest.param("t = torch.from_numpy(np.ones(1)).to(device, torch.float32)\n", id="cast by it"),
    pytest.param("t = torch.from_numpy(np.ones(1, np.float32)).to(device)\n", id="float32"),
    pytest.param("t = torch.from_numpy(np.arange(3)).to(device)\n", id="integers"),
    pytest.param("import mylib\nt = torch.from_numpy(mylib.a()).to(device)\n", id="who knows"),
    pytest.param("t = torch.from_numpy(np.ones(3)).to(device)\nprint(net(t))\n", id="a clash"),
    pytest.param("t = y.detach().cpu().double()\n", id="back on the host"),
    pytest.param(
        "big = nn.Linear(3, 1).double().to(device)\n"
        "print(big(torch.from_numpy(np.ones(3)).to(device)))\n",
        id="a module of doubles",
    ),
    pytest.param(
        "torch.set_default_dtype(torch.float64)\nt = torch.from_numpy(np.ones(1)).to(device)\n",
        id="doubles by default",
    ),
]


@pytest.mark.parametrize("program", FINE)
def test_nothing_to_say(facts: Facts, program: str) -> None:
    assert doubles(facts(HEAD + program)) == []


CAST_FIRST: Final = [
    pytest.param("torch.tensor(np.ones((2, 3))).float()", True, id="float64"),
    pytest.param("torch.tensor(rows).float()", True, id="who knows"),
    pytest.param("torch.tensor(rows).view(2, 3).type(torch.float32)", True, id="by its dtype"),
    pytest.param("torch.tensor(rows).half().mean()", True, id="and then computed with"),
    pytest.param("torch.tensor(rows).view(2, 3)", False, id="not cast"),
    pytest.param("torch.tensor(rows).double()", False, id="made larger"),
    pytest.param("torch.tensor([[1, 0, 1]]).float()", False, id="integers"),
    pytest.param("torch.zeros(2, 3).float()", False, id="no data"),
]


@pytest.mark.parametrize(("made", "behind"), CAST_FIRST)
def test_data_is_cast_before_it_travels(
    beside_model: Callable[[str], list[str]], made: str, behind: bool
) -> None:
    """Some devices have no float64: `device=` would send it there before the cast."""
    (line,) = beside_model(f"import rows_of\nrows = rows_of.a_file()\nprint(model({made}))\n")
    assert line.startswith("DATA" if behind else "FACTORY"), line


def test_one_finding_for_each_birth(facts: Facts) -> None:
    program = "a = torch.from_numpy(np.ones(1))\nb = a.to(device)\nc = a.to(device)\n"
    assert doubles(facts(HEAD + program)) == ["a"]
