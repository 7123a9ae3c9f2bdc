"""What nails a program to CUDA: calls, guards, literals, kernels."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

import pytest

from devicefix.flow import FileFacts, Kind, analyse
from devicefix.source import Source

Facts = Callable[[str], FileFacts]


def kinds(found: FileFacts) -> dict[str, Kind]:
    return {ast.unparse(call): seen.kind for call, seen in found.calls.items()}


RECEIVERS: Final = [
    pytest.param("x = torch.zeros(3)\nx.cuda()\n", Kind.TORCH, id="tensor"),
    pytest.param("x = nn.Linear(3, 1)\nx.cuda()\n", Kind.TORCH, id="module"),
    pytest.param("for x in DataLoader([torch.zeros(3)]):\n    x.cuda()\n", Kind.TORCH, id="batch"),
    pytest.param("def f(x):\n    return x.cuda()\n", Kind.TORCH, id="parameter"),
    pytest.param(
        "class Car:\n    def cuda(self): ...\nx = Car()\nx.cuda()\n", Kind.OTHER, id="own"
    ),
    pytest.param(
        "class Car:\n    def cuda(self): ...\ndef f(x):\n    return x.cuda()\n",
        Kind.UNKNOWN,
        id="parameter beside an own class with such a method",
    ),
    pytest.param(
        "class Net(nn.Linear):\n    def cuda(self): ...\nx = Net(3, 1)\nx.cuda()\n",
        Kind.OTHER,
        id="a module that does more",
    ),
    pytest.param("from mylib import make\nx = make()\nx.cuda()\n", Kind.UNKNOWN, id="unknown"),
    pytest.param("x = 'text'\nx.cuda()\n", Kind.UNKNOWN, id="no string after all"),
    pytest.param("x = np.zeros(3)\nx.cuda()\n", Kind.UNKNOWN, id="no array after all"),
]


@pytest.mark.parametrize(("program", "kind"), RECEIVERS)
def test_types_decide_what_cuda_means(facts: Facts, program: str, kind: Kind) -> None:
    assert kinds(facts(program)) == {"x.cuda()": kind}


def test_only_tensors_return_a_copy(facts: Facts) -> None:
    found = facts("x = torch.zeros(3)\nx.to('cuda')\nnet = nn.Linear(3, 1)\nnet.to('cuda')\n")
    sure = {ast.unparse(call): seen.surely_tensor for call, seen in found.calls.items()}
    assert sure == {"x.to('cuda')": True, "net.to('cuda')": False}


def test_a_discarded_transfer_is_seen_as_if_it_were_bound(facts: Facts) -> None:
    found = facts("x = torch.zeros(3)\nx.to('cuda')\nnet = nn.Linear(3, 1).cuda()\nprint(net(x))\n")
    assert found.transfers == ()


BOTH: Final = "net = nn.Linear(3, 1)\nx = torch.zeros(3)\n"
GUARDS: Final = [
    pytest.param(
        BOTH + "if torch.cuda.is_available():\n    net.cuda()\n    x = x.cuda()\n",
        ["net.cuda()", "x.cuda()"],
        id="is_available",
    ),
    pytest.param(
        BOTH + "use_cuda = torch.cuda.is_available()\nif use_cuda:\n    x = x.cuda()\n",
        ["x.cuda()"],
        id="a variable",
    ),
    pytest.param(
        BOTH + "use_cuda = torch.cuda.is_available()\nx = x.cuda() if use_cuda else x\n",
        ["x.cuda()"],
        id="ternary",
    ),
    pytest.param(
        BOTH + "if torch.cuda.is_available():\n    x, y = x.cuda(), x.cuda()\n",
        None,
        id="not the same names",
    ),
    pytest.param(
        BOTH + "if torch.cuda.is_available():\n    x = x.cuda()\nelse:\n    print('slow')\n",
        None,
        id="an else branch",
    ),
    pytest.param(
        BOTH + "if torch.cuda.is_available():\n    print('fast')\n    x = x.cuda()\n",
        None,
        id="other effects",
    ),
    pytest.param(BOTH + "if not torch.cuda.is_available():\n    x = x.cuda()\n", None, id="not"),
    pytest.param(
        "class Car:\n    def cuda(self): ...\ncar = Car()\n"
        "if torch.cuda.is_available():\n    car.cuda()\n",
        None,
        id="something else that is called cuda",
    ),
]


@pytest.mark.parametrize(("program", "expected"), GUARDS)
def test_guards_that_only_move(facts: Facts, program: str, expected: list[str] | None) -> None:
    found = [[ast.unparse(m) for m in g.moves] for g in facts(program + "print(x)\n").guards]
    assert found == ([expected] if expected else [])


def test_a_guard_that_asks_a_tensor_follows_it(facts: Facts) -> None:
    program = """
        def hide(x):
            mask = torch.ones(3)
            if x.is_cuda:
                mask = mask.cuda()
            return x * mask
        """
    found = facts(program)
    assert [guard.follows for guard in found.guards] == ["x.device"]
    assert found.transfers == ()


def literals(found: FileFacts) -> list[tuple[object, str]]:
    """The strings, each with what can stand in its place."""
    return [(s.literal.value, s.device.text if s.device else "") for s in found.literals]


LITERALS: Final = [
    pytest.param("device = torch.device('cuda:0')\n", [("cuda:0", "")], id="defines a name"),
    pytest.param("x = torch.zeros(3).to('cuda')\n", [("cuda", "device")], id="to"),
    pytest.param("x = torch.zeros(3, device='cuda')\n", [("cuda", "device")], id="device="),
    pytest.param(
        "x = torch.load('x', map_location='cuda')\n", [("cuda", "device")], id="map_location"
    ),
    pytest.param("net = nn.Linear(3, 1).to('mps')\n", [("mps", "")], id="another accelerator"),
    pytest.param("x = torch.zeros(3).to('cpu')\n", [], id="the CPU is everywhere"),
    pytest.param("print('cuda')\nname = 'cuda'\n", [], id="just a string"),
    pytest.param(
        "device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n", [], id="asked"
    ),
    pytest.param(
        "if torch.cuda.is_available():\n    device = torch.device('cuda')\n"
        "else:\n    device = torch.device('cpu')\n",
        [],
        id="asked before",
    ),
    pytest.param("with torch.autocast('cuda'):\n    pass\n", [], id="autocast"),
    pytest.param(
        "device = 'cuda'\nx = torch.zeros(3).to(device)\n",
        [("cuda", "")],
        id="a string that is used as a device later",
    ),
    pytest.param(
        "def make(where='cuda'):\n    return torch.zeros(3, device=where)\nmake()\n",
        [("cuda", "")],
        id="a default",
    ),
    pytest.param(
        "def make(where):\n    return torch.zeros(3, device=where)\nmake('cuda')\nmake('xpu')\n",
        [("cuda", ""), ("xpu", "")],
        id="arguments",
    ),
    pytest.param(
        "options = {'place': 'cuda:1'}\nx = torch.zeros(3, device=options['place'])\n",
        [("cuda:1", "")],
        id="an item of a configuration",
    ),
    pytest.param(
        "import sys\nplace = 'cuda'\nif len(sys.argv) > 1:\n    place = f'cuda:{len(sys.argv)}'\n"
        "x = torch.zeros(3, device=place)\n",
        [("cuda", "")],
        id="one of two strings",
    ),
    pytest.param(
        "place = 'cuda'\nif not torch.cuda.is_available():\n    place = 'cpu'\n"
        "x = torch.zeros(3, device=place)\n",
        [],
        id="corrected below",
    ),
    pytest.param(
        "if __name__ == '__main__':\n    x = torch.zeros(3, device='cuda')\n",
        [("cuda", "device")],
        id="the main block asks for nothing",
    ),
    pytest.param(
        "import sys\ncards = [int(c) for c in sys.argv[1:]]\nx = torch.zeros(3)\n"
        "if cards:\n    x = x.to('cuda')\n",
        [],
        id="a list of numbers may be one of cards",
    ),
    pytest.param(
        "old = [torch.zeros(3)]\nx = torch.zeros(3)\nif len(old) > 0:\n    x = x.to('cuda')\n",
        [("cuda", "device")],
        id="a list of tensors asks for nothing",
    ),
]


@pytest.mark.parametrize(("program", "expected"), LITERALS)
def test_device_literals(facts: Facts, program: str, expected: list[tuple[object, str]]) -> None:
    assert literals(facts(program + "print(1)\n")) == expected


def test_a_program_that_compiles_a_kernel_needs_cuda(facts: Facts) -> None:
    program = """
        from torch.utils.cpp_extension import load
        kernel = load(name="kernel", sources=["kernel.cu"])
        """
    assert "torch.utils.cpp_extension.load" in facts(program).needs_cuda


@pytest.mark.parametrize(
    ("head", "name"),
    [("import torch as th\n", "th"), ("from torch import nn\n", ""), ("import torch\n", "torch")],
)
def test_the_name_of_torch(head: str, name: str) -> None:
    assert analyse(Source.from_text(head)).torch == name


def test_torch_under_another_name_is_still_torch() -> None:
    program = "import torch as th\nfrom torch.nn import Linear as L\nprint(L(3, 1)(th.zeros(3)))\n"
    found = analyse(Source.from_text(program))
    assert [ast.unparse(t.tree) for t in found.transfers] == ["L(3, 1)", "th.zeros(3)"]


@pytest.mark.parametrize(
    ("program", "found"),
    [
        (
            "g = torch.Generator('cuda')\ntorch.rand(3, generator=g)\n",
            ["torch.rand(3, generator=g)"],
        ),
        ("g = torch.Generator('cuda').manual_seed(0)\ntorch.rand(3, generator=g, device=d)\n", []),
        ("g = torch.Generator()\ntorch.rand(3, generator=g)\n", []),
        ("torch.rand(3, generator=torch.Generator('cuda'))\n", []),
        ("g = torch.Generator('cuda')\ntorch.ones(3).normal_(generator=g)\n", []),
        ("def f(g):\n    return torch.rand(3, generator=g)\n", []),
    ],
)
def test_what_a_generator_draws(facts: Facts, program: str, found: list[str]) -> None:
    assert [ast.unparse(draw.call) for draw in facts(program).draws] == found


COMPARED: Final = [
    pytest.param("x = torch.zeros(3)\nprint(x == x.to('cuda'))\n", 1, id="what was moved"),
    pytest.param("x = torch.zeros(3)\nprint(x.device == torch.device('cuda'))\n", 0, id="device"),
    pytest.param(
        "seen = {}\ndef f(x):\n    if 'k' not in seen:\n"
        "        seen['k'] = torch.ones(3, device='cuda')\n    return x * seen['k']\n"
        "print(f(torch.zeros(3)))\n",
        1,
        id="below a question about what a dict of tensors holds",
    ),
    pytest.param(
        "def f(**options):\n    if 'place' not in options:\n"
        "        return torch.ones(3, device='cuda')\nprint(f())\n",
        0,
        id="below a question about options",
    ),
]


@pytest.mark.parametrize(("program", "count"), COMPARED)
def test_only_devices_are_compared_with_devices(facts: Facts, program: str, count: int) -> None:
    assert len(facts(program).literals) == count


def test_a_string_is_named_by_what_is_there_in_all_its_contexts(facts: Facts) -> None:
    program = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return self.fc(x + torch.rand(3, device="cuda"))

class Trainer:
    def __init__(self, model):
        self.model = model
        self.device = next(model.parameters()).device

    def fit(self, x):
        self.model(x)
        return self

net = Net().cuda()
trainer = Trainer(net).fit(torch.ones(3).cuda())
print(net(torch.ones(3).cuda()))
"""
    (literal,) = facts(program).literals
    assert literal.device is not None
    assert literal.device.text == "x.device"  # there is no `trainer` yet when it trains


def test_a_move_that_stays_knows_the_condition_around_it(facts: Facts) -> None:
    program = """
        def move(net, flag):
            if flag.on:
                net.cuda()
            flag.on = False
        """
    (call,) = facts(program).calls.values()
    assert (call.device, call.condition) == (None, "flag.on")
