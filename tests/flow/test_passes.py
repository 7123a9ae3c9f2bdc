"""How often a program is evaluated: until nothing is news, and not in vain."""

from __future__ import annotations

import pytest

from devicefix.flow.analysis import Analysis
from devicefix.flow.program import evaluate_program
from devicefix.source import Program, Source

TO_AND_FRO = """
class Part:
    def set(self, config):
        self.size = config

    def reset(self, options):
        self.size = options
"""
LATE = """
class Part:
    def get(self):
        return self.made

    def make(self):
        self.made = self.get(), 1
"""
AGAIN = """
def make(**options):
    options["size"] = "large"
    return options

made = make(size=1)
"""
SILENT = """
held = {}

def get():
    return held.get("size")

def put():
    held.setdefault("size", 1)
"""
DECAY = """
import torch

model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for group in optimizer.param_groups:
    group["lr"] *= 0.1
"""
GROWS = """
import torch

model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for step in range(2):
    for group in optimizer.param_groups:
        group["params"] += [int(input())]
"""

PROPERTY = """
class Data:
    def __init__(self):
        self.kept = None

    @property
    def shape(self):
        if self.kept is None:
            self.kept = [1]
        return self.kept

data = Data()
for size in data.shape:
    print(size, data.shape)
"""

BY_NAME = PROPERTY.replace("data.shape)", "getattr(data, 'shape'))")
RECURSION = """
def frozen(x):
    return each(x) if isinstance(x, list) else x

def each(parts):
    return tuple(frozen(part) for part in parts)

frozen(input())
"""

SCATTER = """
def scatter(obj):
    if isinstance(obj, tuple):
        return list(zip(*map(scatter, obj)))
    if isinstance(obj, list):
        return list(map(list, zip(*map(scatter, obj))))
    if isinstance(obj, dict):
        return list(map(type(obj), zip(*map(scatter, obj.items()))))
    return [obj for _ in range(2)]

def scatter_all(inputs, kwargs):
    inputs = scatter(inputs) if inputs else []
    kwargs = scatter(kwargs) if kwargs else []
    if len(inputs) < len(kwargs):
        inputs.extend([() for _ in range(len(kwargs) - len(inputs))])
    elif len(kwargs) < len(inputs):
        kwargs.extend([{} for _ in range(len(inputs) - len(kwargs))])
    return tuple(inputs), tuple(kwargs)

class Parallel:
    def forward(self, *inputs, **kwargs):
        return scatter_all(inputs, kwargs)
"""


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The ways of reaching a function that each pass tells apart."""
    seen: list[int] = []
    restart = Analysis.restart

    def counted(analysis: Analysis) -> None:
        seen.append(analysis.contexts)
        restart(analysis)

    monkeypatch.setattr(Analysis, "restart", counted)
    return seen


@pytest.mark.parametrize(
    ("text", "number"),
    [
        pytest.param("x = 1\n", 1, id="nothing is kept"),
        pytest.param(TO_AND_FRO, 2, id="each pass changes it to and fro"),
        pytest.param(LATE, 7, id="each pass finds more, until it is too deep"),
        pytest.param(AGAIN, 2, id="each pass makes a dict anew and writes into it"),
        pytest.param(SILENT, 3, id="a dict gets an item behind its reader"),
        pytest.param(DECAY, 2, id="a number of an optimizer is changed"),
        pytest.param(PROPERTY, 3, id="a property is the same call in each pass"),
        pytest.param(BY_NAME, 3, id="so is one whose name is given to getattr"),
        pytest.param(SCATTER, 5, id="what is too deep stays that whatever it is joined with"),
        pytest.param(
            RECURSION, 2, id="two functions that call each other are executed until they agree"
        ),
        pytest.param(GROWS, 2, id="the parameters of an optimizer are more than it was given"),
    ],
)
def test_a_pass_that_ends_as_it_began_is_the_last(
    passes: list[int], text: str, number: int
) -> None:
    _, complete = evaluate_program(Program.alone(Source("a.py", text)))

    assert complete
    assert len(passes) == number


def test_a_pass_for_which_too_little_is_left_is_not_begun(
    passes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = Program.alone(Source("a.py", TO_AND_FRO))
    once = evaluate_program(program)[0].steps // 2
    passes.clear()
    monkeypatch.setattr("devicefix.flow.analysis.MAX_STEPS", once * 17 // 20)  # twice in the last

    _, complete = evaluate_program(program)

    assert not complete
    assert passes == [12, 4, 1]


def _evaluations(calls: int) -> int:
    """How many expressions are evaluated where a large function is called so often."""
    body = "".join(f"    x = x * {number} + 1\n" for number in range(60))
    text = f"import torch\n\n\ndef work(x):\n{body}    return x\n\n\nx = torch.ones(3)\n"
    text += "work(x.cuda())\n" * calls
    return evaluate_program(Program.alone(Source("a.py", text)))[0].steps


def test_calls_that_share_a_context_evaluate_the_body_once() -> None:
    one, most = _evaluations(1), _evaluations(40)

    assert _evaluations(80) - most < one  # forty bodies otherwise
