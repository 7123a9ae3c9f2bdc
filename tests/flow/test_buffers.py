"""Tensor attributes of modules: which become buffers, and which are moved where they are used."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent, indent
from typing import Final

import pytest

Moves = Callable[[str], list[str]]

MODULE: Final = "MODULE Net() -> +device"
RANDN: Final = "FACTORY torch.randn(8, 3) => +device"
AT_THE_USE: Final = "OPERAND self.mask -> x.device"


def program(init: str, methods: str = "", head: str = "", tail: str = "") -> str:
    """A module with a linear layer that multiplies with ``self.mask`` in ``forward``."""
    return (
        f"{dedent(head)}\n"
        "class Net(nn.Module):\n"
        f"    def __init__(self):\n{indent(dedent(init), ' ' * 8)}\n"
        "        self.fc = nn.Linear(3, 3)\n"
        "    def forward(self, x):\n        return self.fc(x) * self.mask\n"
        f"{indent(dedent(methods), ' ' * 4)}\n"
        f"net = Net()\n{dedent(tail)}\nprint(net(torch.randn(8, 3)))\n"
    )


def buffer(value: str) -> str:
    return f"BUFFER mask in self.mask = {value} -> cpu"


START: Final = "super().__init__()\n"


@pytest.mark.parametrize(
    ("init", "value"),
    [
        ("self.mask = torch.ones(3)", "torch.ones(3)"),
        ("self.mask = torch.ones(3) * 2 - torch.arange(3)", "torch.ones(3) * 2 - torch.arange(3)"),
        ("mask = torch.ones(3)\nmask[0] = 0\nself.mask = mask", "mask"),
        ("self.mask = torch.from_numpy(np.ones(3)).float()",
         "torch.from_numpy(np.ones(3)).float()"),
        ("self.mask = torch.tensor([1.0, 2.0, 3.0])", "torch.tensor([1.0, 2.0, 3.0])"),
        ("self.mask = torch.stack([torch.ones(1) for _ in range(3)]).squeeze()",
         "torch.stack([torch.ones((1)) for _ in range(3)]).squeeze()"),
        ("for _ in range(2):\n    self.mask = torch.ones(3)", "torch.ones(3)"),
        ("self.mask = torch.ones(3)\nself.mask[0] = 0", "torch.ones(3)"),
        ("self.mask = torch.ones(3)\nself.mask *= 2", "torch.ones(3)"),
        ("self.mask = torch.ones(3)\nself.mask = self.mask / 3", "torch.ones(3)"),
        ("self.mask = None\nif True:\n    self.mask = torch.ones(3)", "None"),
    ],
)  # fmt: skip
def test_a_tensor_that_the_constructor_makes(moves: Moves, init: str, value: str) -> None:
    found = moves(program(START + init))
    assert [f.replace("(1)", "((1))") if "stack" in f else f for f in found] == [
        buffer(value), MODULE, RANDN,
    ]  # fmt: skip


def test_both_branches_become_buffers(moves: Moves) -> None:
    init = START + "if len('ab') > 1:\n    self.mask = torch.ones(3)\nelse:\n"
    found = moves(program(init + "    self.mask = torch.zeros(3)\n"))
    assert found == [buffer("torch.ones(3)"), buffer("torch.zeros(3)"), MODULE, RANDN]


def test_one_made_from_another(moves: Moves) -> None:
    init = START + "self.part = torch.ones(3) / 2\nself.mask = self.part * 2"
    methods = "def other(self, x):\n    return self.fc(x) + self.part"
    tail = "net.other(torch.ones(8, 3))"
    assert moves(program(init, methods, tail=tail)) == [
        "BUFFER part in self.part = torch.ones(3) / 2 -> cpu",
        buffer("self.part * 2"),
        MODULE,
        "FACTORY torch.ones(8, 3) => +device",
        RANDN,
    ]


def test_one_made_from_a_registered_buffer(moves: Moves) -> None:
    init = START + "self.register_buffer('part', torch.ones(3) / 2)\nself.mask = self.part * 2"
    assert moves(program(init)) == [buffer("self.part * 2"), MODULE, RANDN]


@pytest.mark.parametrize(
    "init",
    [
        "self.register_buffer('mask', torch.ones(3))",
        "self.register_buffer('mask', torch.ones(3))\nself.mask = self.mask * 2",
        "self.mask = nn.Parameter(torch.ones(3))",
        "self.mask = nn.Buffer(torch.ones(3))",
    ],
)
def test_what_travels_already(moves: Moves, init: str) -> None:
    assert moves(program(START + init)) == [MODULE, RANDN]


def test_what_may_be_a_parameter_is_no_buffer(moves: Moves) -> None:
    init = START + "learned = len(sys.argv) > 1\n"
    init += "self.mask = nn.Parameter(torch.ones(3)) if learned else torch.ones(3)"
    found = moves("import sys\n" + program(init))
    assert not any(line.startswith("BUFFER") for line in found)
    assert AT_THE_USE in found


STATE: Final = START + "self.mask = torch.ones(3)"


@pytest.mark.parametrize(
    ("init", "methods", "head", "tail"),
    [
        pytest.param("self.mask = torch.ones(3)\n" + START, "", "", "", id="too early"),
        pytest.param(START + "self.mask = self.b = torch.ones(3)", "", "", "", id="two targets"),
        pytest.param(START + "self.mask: torch.Tensor = torch.ones(3)", "", "", "", id="annotated"),
        pytest.param(START + "self.mask, self.n = torch.ones(3), 3", "", "", "", id="unpacked"),
        pytest.param(
            START + "def fill():\n    self.mask = torch.ones(3)\nfill()", "", "", "", id="nested"
        ),
        pytest.param(
            START + "self.fill()\nself.mask = torch.ones(3)",
            "def fill(self):\n    self.mask = torch.zeros(3)", "", "", id="a method sets it first",
        ),
        pytest.param(
            START + "fill(self)\nself.mask = torch.ones(3)", "",
            "def fill(net):\n    net.mask = torch.zeros(3)", "", id="a function sets it first",
        ),
        pytest.param(STATE, "def drop(self):\n    del self.mask", "", "", id="deleted"),
        pytest.param(STATE, "def __setattr__(self, k, v):\n    super().__setattr__(k, v)", "", "",
                     id="__setattr__"),
        pytest.param(STATE, "def _apply(self, fn):\n    return super()._apply(fn)", "", "",
                     id="_apply"),
        pytest.param(STATE, "", "", "print(list(net.buffers()))", id="buffers are listed"),
        pytest.param(STATE, "", "", "print(net.__dict__)", id="attributes are listed"),
        pytest.param(STATE, "", "", "net.float()", id="the module is cast"),
        pytest.param(STATE, "", "", "setattr(net, 'x', 1)\nprint(vars(net))", id="vars"),
        pytest.param(STATE, "", "", "class Sub(Net):\n    mask = None", id="a subclass has it"),
        pytest.param(
            STATE, "", "",
            "class Sub(Net):\n    def __init__(self):\n        super().__init__()\n"
            "        self.mask = torch.zeros(3)",
            id="a subclass sets it",
        ),
        pytest.param(STATE, "mask = None", "", "", id="the class has it"),
    ],
)  # fmt: skip
def test_what_cannot_be_a_buffer_is_moved_where_it_is_used(
    moves: Moves, init: str, methods: str, head: str, tail: str
) -> None:
    found = moves(program(init, methods, head, tail))
    assert not any(line.startswith("BUFFER") for line in found)
    assert AT_THE_USE in found


@pytest.mark.parametrize(
    ("init", "methods", "head", "tail"),
    [
        pytest.param(STATE + "\nif len('a'):\n    self.mask = 1", "", "", "", id="a number, too"),
        pytest.param(STATE, "def drop(self):\n    self.mask = 1", "", "", id="a number elsewhere"),
        pytest.param(
            START + "self.mask = torch.ones(3) if len('a') else 1", "", "", "", id="or a number",
        ),
        pytest.param(
            START + "mask = 1\nif len('a'):\n    mask = torch.ones(3)\nself.mask = mask * 2",
            "", "", "", id="perhaps a number",
        ),
        pytest.param(STATE, "", "def blank(n):\n    n.mask = 1", "blank(net)", id="set outside"),
    ],
)  # fmt: skip
def test_what_may_be_a_number_is_left_alone(
    moves: Moves, init: str, methods: str, head: str, tail: str
) -> None:
    found = moves(program(init, methods, head, tail))
    assert not any("self.mask" in line for line in found)


def test_a_tensor_that_wants_a_gradient_is_no_buffer(moves: Moves) -> None:
    init = START + "self.mask = torch.ones(3, requires_grad=True)"
    assert moves(program(init)) == [AT_THE_USE, MODULE, RANDN]
    init = START + "self.mask = torch.ones(3).requires_grad_()"
    assert moves(program(init)) == [AT_THE_USE, MODULE, RANDN]
    tail = "net.mask.requires_grad = True"
    assert AT_THE_USE in moves(program(STATE, tail=tail))


def test_what_a_caller_hands_in_is_not_the_modules_own(moves: Moves) -> None:
    found = moves(
        """
        class Net(nn.Module):
            def __init__(self, mask):
                super().__init__()
                self.fc = nn.Linear(3, 3)
                self.mask = mask
            def forward(self, x):
                return self.fc(x) * self.mask
        net = Net(torch.ones(3))
        print(net(torch.randn(8, 3)))
        """
    )
    assert found == [
        "MODULE Net(torch.ones(3)) -> +device",
        "FACTORY torch.ones(3) => +device",
        RANDN,
    ]


@pytest.mark.parametrize("name", ["type", "half", "training", "_buffers", "__mask"])
def test_names_that_no_buffer_may_have(moves: Moves, name: str) -> None:
    found = moves(program(START + "self.mask = torch.ones(3)").replace("mask", name))
    assert not any(line.startswith("BUFFER") for line in found)


def test_two_names_of_one_tensor_that_is_written(moves: Moves) -> None:
    init = START + "mask = torch.ones(3)\nself.mask = mask\nself.other = mask\n"
    methods = "def step(self, x):\n    self.other += self.fc(x)\n"
    found = moves(program(init, methods, tail="net.step(torch.ones(3))"))
    assert not any(line.startswith("BUFFER") for line in found)
    assert any(
        line.startswith("BUFFER")
        for line in moves(program(init, "def step(self, x):\n    return self.other + self.fc(x)"))
    )


def test_what_the_host_reads_comes_back(moves: Moves) -> None:
    found = moves(program(STATE, tail="print(net.mask.numpy())"))
    assert found == [buffer("torch.ones(3)"), MODULE, "HOST_READ net.mask -> cpu", RANDN]


def test_an_attribute_that_stays_on_the_host(moves: Moves) -> None:
    init = START + "self.mask = 2\nself.names = torch.arange(3)"
    methods = "def table(self):\n    return self.names.numpy()"
    assert moves(program(init, methods, tail="print(net.table())")) == [MODULE, RANDN]


def test_a_view_that_is_written(moves: Moves) -> None:
    found = moves(program(STATE, tail="net.mask.numpy()[0] = 3"))
    assert found == [AT_THE_USE, MODULE, RANDN]


def test_a_module_without_parameters_moves_for_its_buffers(moves: Moves) -> None:
    found = moves(
        """
        class Weighted(nn.Module):
            def __init__(self):
                super(Weighted, self).__init__()
                self.weight = torch.tensor([1.0, 2.0])
            def forward(self, x, y):
                return F.cross_entropy(x, y, weight=self.weight)
        net = nn.Linear(3, 2)
        loss = Weighted()
        for _ in range(3):
            loss(net(torch.randn(8, 3)), torch.ones(8).long()).backward()
        """
    )
    assert found[:3] == [
        "BUFFER weight in self.weight = torch.tensor([1.0, 2.0]) -> cpu",
        "MODULE nn.Linear(3, 2) -> +device",
        "MODULE Weighted() -> +device",
    ]


def test_a_module_that_stays_on_the_host_keeps_its_attributes(moves: Moves) -> None:
    found = moves(
        """
        class Mask(nn.Module):
            def __init__(self):
                super().__init__()
                self.mask = torch.ones(3)
            def forward(self, x):
                return x * self.mask
        print(Mask()(torch.ones(3)).numpy())
        """
    )
    assert found == []


def test_one_instance_on_the_device_and_one_on_the_host(moves: Moves) -> None:
    found = moves(
        """
        class Mask(nn.Module):
            def __init__(self):
                super().__init__()
                self.mask = torch.ones(3)
            def forward(self, x):
                return x * self.mask
        net = nn.Sequential(nn.Linear(3, 3), Mask())
        show = Mask()
        print(net(torch.randn(8, 3)))
        print(show(torch.from_numpy(np.ones(3))).numpy())
        """
    )
    assert "BUFFER mask in self.mask = torch.ones(3) -> cpu" in found


def test_a_class_that_nobody_makes_here(moves: Moves) -> None:
    found = moves(
        """
        class Mask(nn.Module):
            def __init__(self):
                super().__init__()
                self.mask = torch.ones(3)
            def forward(self, x):
                return torch.relu(x) * self.mask
        """
    )
    assert found == ["BUFFER mask in self.mask = torch.ones(3) -> cpu"]
