"""What is known of the expressions that old idioms are about."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from devicefix.flow import Belief, FileFacts

Facts = Callable[[str], FileFacts]
HEAD = "from torch.autograd import Variable as V\nimport torch.nn.functional as F\n"


def belief(facts: FileFacts, text: str) -> Belief:
    """What is known of the last expression that is written so."""
    found = [b for tree, b in facts.beliefs.items() if ast.unparse(tree) == text]
    return found[-1]


@pytest.mark.parametrize(
    ("program", "constant"),
    [
        ("a = torch.zeros(3)", True),
        ("a = torch.zeros(3, requires_grad=True)", False),
        ("a = torch.zeros(3).cuda().view(-1) + 1", True),
        ("a = torch.zeros(3).requires_grad_()", False),
        ("a = torch.nn.Linear(3, 3)(torch.zeros(3))", False),
        ("a = torch.nn.Linear(3, 3)(torch.zeros(3)).data", True),
        ("a = torch.nn.Linear(3, 3)(torch.zeros(3)).detach() * 2", True),
        ("a = torch.nn.Parameter(torch.zeros(3))", False),
        ("a = V(torch.zeros(3))", True),
        ("a = V(torch.zeros(3), requires_grad=True)", False),
        ("a = torch.FloatTensor([1.0])", True),
        ("a = torch.cat([torch.zeros(1), torch.ones(1)])", True),
        ("a = torch.cat([torch.zeros(1), torch.nn.Parameter(torch.ones(1))])", False),
        ("a = torch.zeros(3)\na += torch.nn.Parameter(torch.ones(3))", False),
        ("a = torch.zeros(3)\na[0] = torch.nn.Parameter(torch.ones(3))[0]", False),
        ("a = torch.zeros(3)\na.add_(torch.nn.Parameter(torch.ones(3)))", False),
        ("a = torch.zeros(3)\nif c: a = torch.nn.Linear(3, 3)(a)", False),
    ],
)
def test_what_surely_has_no_gradient(facts: Facts, program: str, constant: bool) -> None:
    found = belief(facts(f"{HEAD}{program}\nprint(V(a))\n"), "a")
    assert found.constant is constant


@pytest.mark.parametrize(
    ("program", "scalar"),
    [
        ("a = torch.ones(3).sum()", True),
        ("a = torch.ones(3).sum(0)", False),
        ("a = F.mse_loss(x, y)", True),
        ("a = F.mse_loss(x, y, reduce=False)", False),
        ("a = 0\nfor i in range(3): a += F.mse_loss(x, y)", True),
        ("a = torch.zeros(1)\nfor i in range(3): a = a + F.mse_loss(x, y)", False),
    ],
)
def test_what_surely_has_no_dimension(facts: Facts, program: str, scalar: bool) -> None:
    head = f"{HEAD}x = y = torch.ones(3)\n"
    assert belief(facts(f"{head}{program}\nprint(a.data[0])\n"), "a").scalar is scalar


def test_a_parameter_is_what_its_callers_say(facts: Facts) -> None:
    program = f"{HEAD}def f(x, wrap=V): return wrap(x)\nprint(f(torch.ones(1)))\n"
    assert facts(program).wrappings == ()


def test_code_that_was_not_evaluated_is_read_by_its_imports(facts: Facts) -> None:
    program = (
        f"{HEAD}x = torch.ones(3)\n"
        "if torch.cuda.is_available():\n    y = V(x.cuda())\nelse:\n    y = V(x)\n"
    )
    assert [w.constant for w in facts(program).wrappings] == [True, True]


@pytest.mark.parametrize(
    ("program", "lines", "blocked"),
    [
        ("v = V(x, volatile=True)\ny = net(v)\nz = y + 1", [[1]], ""),
        ("v = V(x, volatile=True)\ny = v * 2", [], ""),
        ("v = V(x, volatile=True)\ny = net(v)\ny = y.view(-1)\nz = net(y)", [[1, 2, 3]], ""),
        ("v = V(x, volatile=True)\ny = net(v)\nnet(x).backward()\nz = net(y)", [[1], [3]], ""),
        ("v = V(x, volatile=True)\nv = v.size()\ny = net(v)", [], ""),
        ("v = V(x, volatile=True)\ny = net(V(v.data))", [], ""),
        ("for i in range(2):\n    v = V(x, volatile=True)\n    y = net(v)", [[1]], ""),
        ("if net(V(x, volatile=True)): pass", [], "head"),
        ("def f():\n    return V(x, volatile=True)", [], "returned"),
        ("def f():\n    return net(V(x, volatile=True))", [], "returned"),
        ("def f():\n    return net(V(x, volatile=True)).item()", [[0]], ""),
        ("a.b = V(x, volatile=True)", [], "stored"),
        ("with torch.no_grad():\n    y = net(V(x, volatile=True))", [], ""),
        ("@torch.no_grad()\ndef f():\n    return net(V(x, volatile=True))", [], ""),
    ],
)  # fmt: skip
def test_what_computes_without_gradients(
    facts: Facts, program: str, lines: list[list[int]], blocked: str
) -> None:
    text = f"{HEAD}net, x = torch.nn.Linear(3, 3), torch.ones(3)\n{program}\n"
    (found,) = facts(text).ungraded
    first = found.wrappings[0].call.lineno
    assert [[s.lineno - first for s in run] for run in found.runs] == lines
    assert blocked in found.blocked
    assert bool(blocked) is bool(found.blocked)
