"""Functions that nobody calls: each is looked at once, and calls among them tell nothing new."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from devicefix.flow.evaluated import analyse, analyse_program
from devicefix.flow.program import evaluate_program
from devicefix.source import ModuleIndex, Program, Source


def _transfers(text: str) -> list[tuple[str, str]]:
    facts = analyse(Source.from_text("import torch\nfrom torch import nn\n" + text, "library.py"))
    return [(ast.unparse(t.tree), t.device.text if t.device else "") for t in facts.transfers]


def test_what_tests_make_is_not_all_that_a_library_is_used_for() -> None:
    """Their modules stay on the host; in the library's own methods anything may come in."""
    library = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return self.fc(x) * torch.ones(3)

    def halved(self, x):
        return self.fc(x) * torch.full((3,), 0.5)
"""
    test = (
        "import torch\nfrom net import Net\n\ndef test():\n    assert Net()(torch.zeros(3)).sum()\n"
    )
    texts = {"net.py": library, "test_net.py": test}
    sources = {path: Source.from_text(text, path) for path, text in texts.items()}
    found = analyse_program(Program(sources, ModuleIndex(sources), lambda _: None))
    assert found["test_net.py"].transfers == ()
    assert [ast.unparse(transfer.tree) for transfer in found["net.py"].transfers] == [
        "torch.ones(3)",
        "torch.full((3,), 0.5)",
    ]


@pytest.mark.parametrize(
    ("use", "moved"),
    [
        ("print(Net()(torch.zeros(3)))", False),
        ("Net()(torch.zeros(3)).sum().backward()", False),
        ("torch.save(Net()(torch.zeros(3)), 'x.pt')", True),
        ("print(Net()(torch.load('x.pt')))", True),
        ("device = torch.device('cuda')\n    print(Net()(torch.zeros(3, device=device)))", True),
    ],
)
def test_what_only_tries_what_a_library_defines_stays_on_the_cpu(use: str, moved: bool) -> None:
    library = f"""
import torch
from torch import nn

class Net(nn.Linear):
    def __init__(self):
        super().__init__(3, 3)

if __name__ == "__main__":
    {use}
"""
    texts = {"net.py": library, "train.py": "from net import Net\nNet().cuda()\n"}
    sources = {path: Source.from_text(text, path) for path, text in texts.items()}
    found = analyse_program(Program(sources, ModuleIndex(sources), lambda _: None))
    assert bool(found["net.py"].transfers) is moved


def _steps(text: str) -> int:
    source = Source.from_text(text, "library.py")
    analysis, complete = evaluate_program(Program.alone(source))
    assert complete
    return analysis.steps


def test_what_is_made_on_the_host_is_followed_into_what_it_is_given_to() -> None:
    found = _transfers(
        "def scale(mask, x):\n    return mask * x\n\n\n"
        "def forward(x):\n    return scale(torch.ones(3), x.relu())\n"
    )
    assert found == [("torch.ones(3)", "x.device")]


def test_what_a_function_makes_meets_what_its_caller_has() -> None:
    found = _transfers(
        "def make(n):\n    return torch.ones(n)\n\n\n"
        "def forward(x):\n    return make(x.size(0)) * x.relu()\n"
    )
    assert len(found) == 1


def test_a_function_that_gives_its_argument_back_does_not_change_where_it_is() -> None:
    found = _transfers(
        "def same(x):\n    return x\n\n\n"
        "def forward(x):\n    y = same(x.relu())\n    return y * torch.ones(3)\n"
    )
    assert found == [("torch.ones(3)", "y.device")]


def test_modules_of_modules_that_nobody_makes_are_no_affair_of_ours() -> None:
    assert not _transfers(
        "class Part(nn.Module):\n"
        "    def __init__(self, n):\n"
        "        super().__init__()\n        self.fc = nn.Linear(n, n)\n\n"
        "    def forward(self, x):\n        return self.fc(x)\n\n\n"
        "class Net(nn.Module):\n"
        "    def __init__(self, n):\n        super().__init__()\n        self.one = Part(n)\n"
        "        self.two = Part(n)\n\n"
        "    def forward(self, x):\n        return self.two(self.one(x))\n"
    )


@pytest.mark.parametrize("value", ["x if n else 0", "0 if n else x", "x if n else None"])
def test_a_parameter_or_a_number_is_the_parameter_in_whichever_branch(value: str) -> None:
    found = _transfers(f"def f(x, n):\n    y = {value}\n    return y.relu() * torch.ones(3)\n")
    assert found == [("torch.ones(3)", "x.device")]


@pytest.mark.parametrize("argument", ["x", "x.relu()", "x.shape", "'mean'", "helper(x)"])
@pytest.mark.parametrize("depth", [3, 6])
def test_each_is_looked_at_once(depth: int, argument: str) -> None:
    """Each function calls the one before it three times: 3 ** depth ways lead to the first."""
    text = "def f0(x):\n    return x.relu()\n"
    for number in range(1, depth + 1):
        calls = " + ".join(f"f{number - 1}({argument})" for _ in range(3))
        text += f"\n\ndef f{number}(x):\n    return {calls}\n"
    expressions = sum(isinstance(node, ast.expr) for node in ast.walk(ast.parse(text)))
    assert _steps(text) <= 4 * expressions


def test_callers_may_come_first() -> None:
    chains = [
        f"def a{n}(x):\n    return b{n}(x) + b{n}(x)\n\n"
        f"def b{n}(x):\n    return c{n}(x) + c{n}(x)\n\n"
        f"def c{n}(x):\n    return x.relu()\n"
        for n in range(8)
    ]
    text = "\n".join(chains)
    expressions = sum(isinstance(node, ast.expr) for node in ast.walk(ast.parse(text)))
    assert _steps(text) <= 2 * expressions


@pytest.mark.parametrize("base", ["", "(nn.Module)"])
def test_each_method_is_looked_at_once(base: str) -> None:
    text = f"from torch import nn\n\nclass Net{base}:\n"
    text += "    def f0(self, x):\n        return x.relu()\n"
    for number in range(1, 7):
        calls = " + ".join(f"self.f{number - 1}(x)" for _ in range(3))
        text += f"\n    def f{number}(self, x):\n        return {calls}\n"
    expressions = sum(isinstance(node, ast.expr) for node in ast.walk(ast.parse(text)))
    assert _steps(text) <= 4 * expressions


def test_what_a_parameter_is_by_default_is_called() -> None:
    found = _transfers(
        "def made(n):\n    return torch.ones(n)\n\n\n"
        "def forward(x, make=made):\n    return x.relu() * make(3)\n"
    )
    assert found == [("make(3)", "x.device")]


@pytest.mark.parametrize(("base", "count"), [("torch.utils.data.Dataset", 0), ("object", 1)])
def test_datasets_work_on_the_host(base: str, count: int) -> None:
    found = _transfers(
        f"class Data({base}):\n    def scaled(self, x):\n        return x.relu() * torch.ones(3)\n"
    )
    assert len(found) == count


def test_long_chains_of_functions_end_whichever_comes_first() -> None:
    """Each waits for the one below it, but not all of them at once: Python's stack has an end."""
    last = "def f0(x):\n    return x.relu()\n"
    functions = [f"def f{n + 1}(x):\n    return f{n}(x)\n" for n in range(200)]
    upwards, downwards = [last, *functions], [*reversed(functions), last]
    assert _steps("\n\n".join(upwards)) == _steps("\n\n".join(downwards)) < 2000


def test_a_part_of_what_nobody_makes_may_be_made_elsewhere() -> None:
    """What stands for all parts has no place in the text; the one that a script makes has."""
    found = _transfers(
        "class Net(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n        self.part = Part()\n\n"
        "    def forward(self, x):\n        return self.part(x)\n\n\n"
        "class Part(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(3, 3)\n\n"
        "    def forward(self, x):\n        return self.fc(x)\n\n\n"
        "def build():\n    part = Part()\n    return part(torch.zeros(3))\n"
    )
    assert [text for text, _ in found] == ["Part()", "torch.zeros(3)"]


@pytest.mark.parametrize(("moved", "found"), [(".to(device)", []), ("", ["nn.Linear(3, 1)"])])
def test_a_layer_that_only_an_earlier_pass_has_seen_counts_no_more(
    moved: str, found: list[str]
) -> None:
    """At first `Tagger()` is followed; once it is known, a later pass takes what it makes."""
    text = (
        'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n\n\n'
        f"class Tagger:\n    def __init__(self):\n        self.fc = nn.Linear(3, 1){moved}\n\n"
        "    def tag(self, x):\n        return self.fc(x)\n\n\n"
        "def tagger():\n    return Tagger()\n"
    )
    assert [tree for tree, _ in _transfers(text)] == found


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("x.device, x.shape", ["FACTORY torch.ones(3) => x.device"]),
        ("x.device", []),
        ("x.shape", []),
    ],
)
def test_what_has_a_device_and_a_shape_is_a_tensor(
    moves: Callable[[str], list[str]], asked: str, found: list[str]
) -> None:
    program = f"""
        def scaled(x):
            print({asked})
            return x * torch.ones(3)
        """
    assert moves(program) == found


@pytest.mark.parametrize("also", ["pass", "self.add_module(name, part)"])
def test_layers_that_a_list_holds_go_where_nobody_has_seen(also: str) -> None:
    found = _transfers(f"""
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.branches = [nn.Sequential(nn.Conv2d(3, 3, 1)), nn.Sequential(nn.Conv2d(3, 3, 1))]
        for branch in self.branches:
            for name, part in branch.named_children():
                {also}

    def forward(self, x):
        return torch.cat([branch(x) for branch in self.branches], 1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(Block(), Block())

    def forward(self, x):
        return self.features(x)


def net(**kwargs):
    return Net()
""")
    assert found == []
