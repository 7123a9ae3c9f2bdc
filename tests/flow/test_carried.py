"""What a default device, or the context of one, gives to factories and modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

Moves = Callable[[str], list[str]]

DEVICE: Final = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
ASKED: Final = "if torch.cuda.is_available(): "
NET: Final = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 1)
        self.scale = nn.Parameter(torch.ones(1))
        self.size = self.fc(torch.zeros(1, 3)).numel()
    def forward(self, x):
        return self.fc(x) * self.scale
"""


@pytest.mark.parametrize(
    "default",
    [
        "torch.set_default_device(device)",
        'torch.set_default_device("cuda")',
        f'{ASKED}torch.set_default_tensor_type("torch.cuda.FloatTensor")',
        f"{ASKED}torch.set_default_tensor_type(torch.cuda.FloatTensor)",
    ],
)
@pytest.mark.parametrize("module", ["nn.Linear(3, 1)", "Net()", "nn.Sequential(Net(), nn.ReLU())"])
def test_a_default_carries_modules_too(moves: Moves, default: str, module: str) -> None:
    program = f"{DEVICE}{NET}{default}\nnet = {module}\nprint(net(torch.randn(8, 3)))\n"
    assert moves(program) == []


def test_what_no_default_carries_still_moves(moves: Moves) -> None:
    program = f"{DEVICE}{NET}torch.set_default_device(device)\nnet = Net()\n"
    program += "print(net(torch.from_numpy(np.ones((8, 3), dtype='float32'))))\n"
    (line,) = moves(program)
    assert line.startswith("DATA torch.from_numpy")
    assert line.endswith("-> device")


def test_only_a_default_type_carries_the_old_constructor(moves: Moves) -> None:
    program = "print(net(torch.Tensor(8, 3)))\n"
    typed = 'torch.set_default_tensor_type("torch.cuda.FloatTensor")\nnet = nn.Linear(3, 1)\n'
    assert moves(ASKED + typed + program) == []
    device = DEVICE + "torch.set_default_device(device)\nnet = nn.Linear(3, 1)\n"
    assert moves(device + program) == ["DATA torch.Tensor(8, 3) -> device"]


@pytest.mark.parametrize("context", ["device", "torch.device(device)", 'torch.device("cuda")'])
def test_a_context_carries_what_is_made_in_it_and_no_more(moves: Moves, context: str) -> None:
    program = f"{DEVICE}{NET}with {context}:\n    net = Net()\n    x = torch.ones(8, 3)\n"
    program += "print(net(x + torch.zeros(8, 3)))\n"
    assert moves(program) == ["FACTORY torch.zeros(8, 3) => device"]


def test_a_context_of_the_cpu_keeps_its_module_there(moves: Moves) -> None:
    program = f'{NET}with torch.device("cpu"):\n    net = Net()\nprint(net(torch.ones(8, 3)))\n'
    assert moves(program) == []


def test_a_default_that_is_taken_back_carries_nothing(moves: Moves) -> None:
    program = f"{DEVICE}torch.set_default_device(device)\ntorch.set_default_device(None)\n"
    program += "net = nn.Linear(3, 1)\nprint(net(torch.ones(8, 3)))\n"
    assert moves(program) == [
        "MODULE nn.Linear(3, 1) -> device",
        "FACTORY torch.ones(8, 3) => device",
    ]


def test_a_default_comes_too_late_for_what_is_made_before(moves: Moves) -> None:
    program = f"{DEVICE}x = torch.ones(8, 3)\ntorch.set_default_device(device)\n"
    program += "net = nn.Linear(3, 1)\nprint(net(x))\n"
    assert moves(program) == ["FACTORY torch.ones(8, 3) => device"]


@pytest.mark.parametrize(
    "make",
    [
        'net = nn.Linear(3, 1, device="meta")\n',
        'net = nn.Linear(3, 1, device=torch.device("meta"))\n',
        'with torch.device("meta"):\n    net = nn.Linear(3, 1)\n',
        'with torch.device("meta"):\n    net = Net()\n',
    ],
)
def test_what_has_no_memory_is_nowhere(moves: Moves, make: str) -> None:
    use = 'print(net(torch.empty(8, 3, device="meta")).shape)\n'
    assert moves(NET + make + use) == []
    moved = "net = net.to_empty(device=device)\nprint(net(torch.zeros(8, 3)))\n"
    assert moves(DEVICE + NET + make + moved) == ["FACTORY torch.zeros(8, 3) => device"]


def test_a_question_about_meta_is_none_about_the_accelerator(moves: Moves) -> None:
    program = f'{DEVICE}net = nn.Linear(3, 1)\nif device.type != "meta":\n    net.to(device)\n'
    assert moves(program + "print(net(torch.zeros(8, 3)))\n") == [
        "FACTORY torch.zeros(8, 3) => device"
    ]


@pytest.mark.parametrize("kind", ['"torch.cuda.FloatTensor"', "torch.cuda.FloatTensor"])
def test_a_default_type_that_nobody_asks_about_goes(moves: Moves, kind: str) -> None:
    program = f"{DEVICE}{NET}torch.set_default_tensor_type({kind})\nnet = Net()\n"
    program += "print(net(torch.Tensor(8, 3)) + torch.ones(1))\nspare = torch.zeros(2)\n"
    assert moves(program) == [
        "MODULE Net() -> device",
        "DATA torch.Tensor(8, 3) -> device",
        "FACTORY torch.ones(1) => device",
        "FACTORY torch.zeros(2) => device",
    ]


def test_what_goes_back_to_the_host_at_once_stays_there(moves: Moves) -> None:
    program = f"{DEVICE}torch.set_default_tensor_type('torch.cuda.FloatTensor')\n"
    program += "net = nn.Linear(3, 1)\nx = torch.ones(8, 3).cpu().numpy()\nprint(x, net)\n"
    program += "print(net(torch.ones(8, 3)))\n"
    assert moves(program) == [
        "MODULE nn.Linear(3, 1) -> device",
        "FACTORY torch.ones(8, 3) => device",
    ]


def test_a_default_type_stays_where_something_unknown_may_rely_on_it(moves: Moves) -> None:
    program = f"{DEVICE}import mystery\ntorch.set_default_tensor_type('torch.cuda.FloatTensor')\n"
    program += "net = nn.Linear(3, 1)\nx = torch.ones(8, 3)\nprint(net(x), mystery.of(net, x))\n"
    assert moves(program) == []


def test_a_default_of_the_host_below_a_condition_takes_nothing_back(moves: Moves) -> None:
    program = f"{DEVICE}import sys\n{ASKED}\n"
    program += "    torch.set_default_tensor_type('torch.cuda.FloatTensor')\n"
    program += "if len(sys.argv) > 1:\n    torch.set_default_tensor_type('torch.FloatTensor')\n"
    program += "print(nn.Linear(3, 1)(torch.ones(8, 3)))\n"
    assert moves(program) == []
