"""dtypes that a layer refuses on every device, and the ones that only look like it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

import pytest

from devicefix.flow import FileFacts, analyse_program
from devicefix.source import Source
from devicefix.source.modules import ModuleIndex
from devicefix.source.program import Program

Facts = Callable[[str], FileFacts]

NET: Final = "net = nn.Linear(3, 1)\n"


def clashes(found: FileFacts) -> list[tuple[str, str, str]]:
    """What is given, its dtype, and the one that is wanted."""
    return [(ast.unparse(c.operand), c.found, c.wanted) for c in found.clashes]


FLOAT64: Final = [
    pytest.param("x = torch.from_numpy(np.random.rand(8, 3))\n", id="from_numpy"),
    pytest.param("x = torch.tensor(np.zeros((8, 3)))\n", id="tensor"),
    pytest.param("x = torch.as_tensor(np.linspace(0, 1, 3))\n", id="as_tensor"),
    pytest.param(
        "a = np.random.randn(8, 3)\na = (a - a.mean(axis=0)) / a.std(axis=0)\n"
        "x = torch.from_numpy(a)\n",
        id="through arithmetic",
    ),
    pytest.param("x = torch.from_numpy(np.zeros(24)).view(8, 3)\n", id="through a view"),
    pytest.param("x = torch.zeros(3, dtype=torch.float64)\n", id="asked for"),
    pytest.param("x = torch.zeros(3).double()\n", id="cast"),
    pytest.param(
        "x = torch.from_numpy(np.array([1.0, 2.0, 3.0]))\n",
        id="a list of numbers",
    ),
]


@pytest.mark.parametrize("made", FLOAT64)
def test_float64_meets_float32_parameters(facts: Facts, made: str) -> None:
    assert clashes(facts(NET + made + "print(net(x))\n")) == [("x", "float64", "float32")]


FINE: Final = [
    pytest.param("x = torch.from_numpy(np.random.rand(8, 3).astype(np.float32))\n", id="astype"),
    pytest.param("x = torch.from_numpy(np.random.rand(8, 3)).float()\n", id="float()"),
    pytest.param("x = torch.from_numpy(np.random.rand(8, 3)).to(torch.float32)\n", id="to(dtype)"),
    pytest.param("x = torch.from_numpy(np.zeros(3, dtype=np.float32))\n", id="dtype="),
    pytest.param("x = torch.from_numpy(np.zeros(3, np.float32))\n", id="second argument"),
    pytest.param("x = torch.from_numpy(np.array([1.0, 2.0], 'f'))\n", id="by its letter"),
    pytest.param("x = torch.Tensor(np.random.rand(8, 3))\n", id="Tensor() is float32"),
    pytest.param("x = torch.tensor([1.0, 2.0, 3.0])\n", id="Python floats are float32"),
    pytest.param("x = torch.zeros(3) * torch.tensor(2.0).double()\n", id="0-dim does not promote"),
    pytest.param("net = net.double()\nx = torch.from_numpy(np.random.rand(8, 3))\n", id="double"),
    pytest.param("import mylib\nx = torch.from_numpy(mylib.load())\n", id="not known"),
]


@pytest.mark.parametrize("made", FINE)
def test_what_fits_is_no_clash(facts: Facts, made: str) -> None:
    assert clashes(facts(NET + made + "print(net(x))\n")) == []


def test_float64_by_default_is_on_purpose(facts: Facts) -> None:
    program = "torch.set_default_dtype(torch.float64)\n" + NET
    assert clashes(facts(program + "print(net(torch.from_numpy(np.zeros(3))))\n")) == []


CONSUMERS: Final = [
    pytest.param("print(nn.Conv2d(3, 1, 1)(x))\n", 1, id="convolution"),
    pytest.param("print(nn.LSTM(3, 4)(x))\n", 1, id="recurrent layer"),
    pytest.param("print(nn.BCELoss()(torch.sigmoid(net(torch.zeros(3))), x))\n", 1, id="BCELoss"),
    pytest.param("print(nn.GRU(3, 4)(torch.zeros(1, 8, 3), x))\n", 1, id="hidden state"),
    pytest.param("print(nn.LSTM(3, 4)(torch.ones(1, 8, 3), (x, x)))\n", 1, id="a pair of them"),
    pytest.param("print(x @ torch.ones(3, 2))\n", 1, id="matrix product"),
    pytest.param("print(torch.ones(2, 8) @ x)\n", 1, id="on the right"),
    pytest.param("print(x @ net.weight.t())\n", 1, id="with a parameter"),
    pytest.param("print(x.mm(torch.ones(3, 2)))\n", 1, id="mm"),
    pytest.param("print(torch.matmul(x, torch.ones(3, 2)))\n", 1, id="torch.matmul"),
    pytest.param("print(torch.addmm(torch.ones(2), x, torch.ones(3, 2)))\n", 1, id="addmm"),
    pytest.param("print(torch.einsum('ij,jk->ik', x, torch.ones(3, 2)))\n", 1, id="einsum"),
    pytest.param("print(F.linear(x, torch.ones(2, 3)))\n", 1, id="F.linear"),
    pytest.param("print(x @ x.t())\n", 0, id="two of them"),
    pytest.param("import mylib\nprint(x @ mylib.weights())\n", 0, id="with who knows what"),
    pytest.param("print(torch.cat([x, torch.ones(8, 3)]))\n", 0, id="cat promotes"),
    pytest.param("print(nn.MSELoss()(net(torch.zeros(3)), x))\n", 0, id="MSELoss promotes"),
    pytest.param("print(F.l1_loss(net(torch.zeros(3)), x))\n", 0, id="l1_loss promotes"),
    pytest.param("print(nn.ReLU()(x), x * 2, x + torch.ones(3))\n", 0, id="arithmetic promotes"),
]


@pytest.mark.parametrize(("program", "count"), CONSUMERS)
def test_only_strict_consumers_refuse(facts: Facts, program: str, count: int) -> None:
    found = facts(NET + "x = torch.from_numpy(np.random.rand(8, 3))\n" + program)
    assert clashes(found)[:1] == [("x", "float64", "float32")] * count


PURPOSES: Final = [
    pytest.param("x = torch.zeros(3).double()\n", True, id="double()"),
    pytest.param("x = torch.zeros(3).to(torch.float64)\n", True, id="to(dtype)"),
    pytest.param("x = torch.zeros(3).type(torch.DoubleTensor)\n", True, id="type()"),
    pytest.param("x = torch.zeros(3, dtype=torch.float64)\n", True, id="dtype="),
    pytest.param("x = torch.DoubleTensor([1.0, 2.0, 3.0])\n", True, id="DoubleTensor"),
    pytest.param("x = torch.from_numpy(np.zeros(3))\n", False, id="from NumPy"),
    pytest.param("x = torch.tensor(np.zeros(3))\n", False, id="data of NumPy"),
    pytest.param("x = torch.zeros(3, dtype=torch.uint8)\n", False, id="pixels"),
]


@pytest.mark.parametrize(("made", "on_purpose"), PURPOSES)
def test_a_dtype_that_the_author_asks_for(facts: Facts, made: str, on_purpose: bool) -> None:
    (clash,) = facts(NET + made + "print(net(x))\n").clashes
    assert clash.on_purpose is on_purpose


def test_a_value_that_may_be_no_tensor_is_not_cast(facts: Facts) -> None:
    program = "def show(v):\n    print(net(v))\nshow(torch.from_numpy(np.zeros(3)))\nshow(None)\n"
    assert clashes(facts(NET + program)) == []


CALLED: Final = [
    pytest.param("nn.Linear(3, 1) if wide else nn.LSTM(3, 1)", 1, id="all want floats"),
    pytest.param("nn.Linear(3, 1) if wide else nn.Embedding(9, 1)", 0, id="an embedding"),
    pytest.param("nn.Linear(3, 1) if wide else Own()", 0, id="a module of the program"),
]


@pytest.mark.parametrize(("made", "count"), CALLED)
def test_what_one_of_several_modules_takes_as_it_is(facts: Facts, made: str, count: int) -> None:
    own = "class Own(nn.Module):\n    def forward(self, x):\n        return x * 0.5\n"
    program = "import sys\nwide = len(sys.argv) > 1\nx = torch.arange(3)\n"
    found = facts(own + program + f"net = {made}\nprint(net(x))\n")
    assert clashes(found) == [("x", "int64", "float32")] * count


INTEGERS: Final = [
    pytest.param("x = torch.randint(0, 9, (8, 3))\n", id="randint"),
    pytest.param("x = torch.arange(3)\n", id="arange"),
    pytest.param("x = torch.from_numpy(np.arange(3))\n", id="from_numpy"),
    pytest.param("x = torch.zeros(3).long()\n", id="long()"),
    pytest.param("x = torch.zeros(3) > 0\n", id="a mask"),
    pytest.param("x = torch.cat([torch.arange(3), torch.arange(3)])\n", id="cat"),
    pytest.param(
        "x = torch.tensor([1, 2, 3])\n",
        id="a list of numbers",
    ),
]


@pytest.mark.parametrize("made", INTEGERS)
def test_integers_into_a_layer(facts: Facts, made: str) -> None:
    ((what, dtype, wanted),) = clashes(facts(NET + made + "print(net(x))\n"))
    assert (what, wanted) == ("x", "float32")
    assert dtype in ("int64", "bool")


@pytest.mark.parametrize(
    "program",
    [
        "print(nn.Embedding(9, 3)(torch.arange(3)))\n",
        "print(F.cross_entropy(nn.Linear(3, 2)(torch.zeros(8, 3)), torch.zeros(8).long()))\n",
        "print(nn.CrossEntropyLoss()(nn.Linear(3, 2)(torch.zeros(8, 3)), torch.zeros(8).long()))\n",
        "print(nn.Linear(3, 2)(torch.zeros(8, 3))[torch.arange(3)])\n",
        "print(nn.Linear(3, 2)(torch.zeros(8, 3)) * torch.arange(2))\n",
    ],
    ids=["embedding", "labels", "labels of a module", "index", "arithmetic"],
)
def test_integers_where_they_belong(facts: Facts, program: str) -> None:
    assert clashes(facts(program)) == []


def test_other_eyes_on_the_dtype_are_remembered(facts: Facts) -> None:
    made = "x = torch.from_numpy(np.random.rand(8, 3))\n"
    (alone,) = facts(NET + made + "print(net(x))\n").clashes
    seen = facts(NET + made + "print(x.numpy().dtype)\nprint(net(x))\n")
    (watched,) = seen.clashes
    assert isinstance(alone.born, ast.Call)
    assert watched.born is not None
    assert {ast.unparse(tree) for tree in seen.dtype_uses[watched.born]} >= {"x.numpy()"}


def test_a_batch_is_what_the_dataset_yields(facts: Facts) -> None:
    program = """
        class Points(Dataset):
            def __len__(self):
                return 10
            def __getitem__(self, i):
                return np.random.rand(3)
        net = nn.Linear(3, 1)
        for x in DataLoader(Points()):
            print(net(x))
        """
    assert clashes(facts(program)) == [("x", "float64", "float32")]


def test_a_dtype_that_is_born_in_another_file_is_cast_at_the_use() -> None:
    files = {
        "data.py": "import numpy as np\nimport torch\n\n\ndef data():\n"
        "    return torch.from_numpy(np.zeros((8, 3)))\n",
        "main.py": "import torch\nfrom data import data\nprint(torch.nn.Linear(3, 1)(data()))\n",
    }
    sources = {path: Source.from_text(text, path) for path, text in files.items()}
    program = Program(sources, ModuleIndex(sources), lambda _: None)
    facts = analyse_program(program)
    assert facts["data.py"].clashes == ()
    assert [(ast.unparse(c.operand), c.born) for c in facts["main.py"].clashes] == [
        ("data()", None)
    ]


NET_FILE = """\
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)

    def forward(self, x):
        x = x.view(-1, 3)
        return self.layer(x)
"""
DATA = """\
import numpy as np
import torch
from net import Net

data = torch.from_numpy(np.zeros((8, 3)))
print(Net()(data))
"""


def clashes_of(**texts: str) -> dict[str, list[tuple[str, bool]]]:
    sources = {f"{n}.py": Source.from_text(text, f"{n}.py") for n, text in texts.items()}
    facts = analyse_program(Program(sources, ModuleIndex(sources), lambda _: None))
    return {
        path: [(ast.unparse(c.operand), bool(c.handed)) for c in found.clashes]
        for path, found in facts.items()
    }


def test_what_a_caller_hands_in_is_cast_where_it_is_made() -> None:
    found = clashes_of(net=NET_FILE, main=DATA)
    assert found == {"net.py": [], "main.py": [("torch.from_numpy(np.zeros((8, 3)))", False)]}


def test_what_a_caller_uses_as_float64_too_is_a_question() -> None:
    found = clashes_of(net=NET_FILE, main=f"{DATA}print(data.dtype)\n")
    assert found == {"net.py": [("x", True)], "main.py": []}


@pytest.mark.parametrize("dtype", ["np.dtype('float32')", "DTYPE", "np.dtype(DTYPE)"])
def test_a_dtype_that_is_not_understood_is_none(dtype: str) -> None:
    head, tail = DATA.split("data = ")
    made = tail.replace("np.zeros((8, 3))", f"np.empty((8, 3), {dtype})")
    text = f"{head}from settings import DTYPE\n\ndata = {made}"
    assert clashes_of(net=NET_FILE, main=text) == {"net.py": [], "main.py": []}
