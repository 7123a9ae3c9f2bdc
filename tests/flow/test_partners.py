"""The tensor that a new one meets names its device, before any other name."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from devicefix.flow import FileFacts
from devicefix.flow.graph import HOST_NODE, PlacementGraph, Site, SiteKind
from devicefix.flow.partners import Partners

Facts = Callable[[str], FileFacts]

MET = [
    ("def f(n, x):\n    y = x.relu()\n    return y + {made}", "y.device"),
    ("def f(lengths, x):\n    m = {made}\n    return lengths.tolist(), x.relu() + m", "x.device"),
    (
        "def f(x):\n    noise = {made}\n    noise = noise.relu()\n    return noise * x.relu()",
        "x.device",
    ),
    ("def f(mu):\n    e = torch.randn(mu.size())\n    return mu + {made}", "mu.device"),
    ("def f(x, device=DEVICE):\n    return x.relu() + {made}", "x.device"),
    ("class Net(nn.Module):\n    def f(self, x):\n        return x.relu() + {made}", "x.device"),
]


@pytest.mark.parametrize(("program", "name"), MET)
def test_in_code_that_nobody_calls(facts: Facts, program: str, name: str) -> None:
    head = 'DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
    (call,) = facts(head + program.format(made="torch.ones(3).cuda()")).calls.values()
    assert call.device is not None
    assert call.device.text == name


UNMET = [
    "def f(lengths):\n    return lengths.tolist(), torch.ones(3).cuda()",
    "def f(lengths):\n    n = lengths.long()\n    return torch.ones(n.size(0)).cuda()",
]


@pytest.mark.parametrize("program", UNMET)
def test_what_takes_the_accelerator_follows_no_tensor_that_it_does_not_meet(
    facts: Facts, program: str
) -> None:
    (call,) = facts(program).calls.values()
    assert call.device is not None
    assert not call.device.follows


def test_twins_that_the_function_makes_itself_are_written_alike(facts: Facts) -> None:
    program = """
        def main():
            a = torch.randn(3, 3).cuda()
            b = torch.randn(3, 3).cuda()
            print(a @ b)
        main()
        """
    assert [c.device and c.device.text for c in facts(program).calls.values()] == ["device"] * 2


def test_a_value_that_may_be_none_names_no_device(facts: Facts) -> None:
    program = """
        def main():
            total = None
            for x in [torch.ones(3), torch.ones(3)]:
                total = torch.zeros(3).cuda() if total is None else total + x.cuda()
            print(total)
        main()
        """
    assert {c.device and c.device.text for c in facts(program).calls.values()} == {"device"}


def test_contexts_that_share_a_place_are_no_company() -> None:
    graph, here = PlacementGraph(), Site(SiteKind.CREATE, ast.Name("x"))
    one, other = graph.node("one"), graph.node("other")
    graph.connect(HOST_NODE, one, 1.0, 10.0, here, 1)
    graph.connect(HOST_NODE, other, 1.0, 10.0, here, 2)
    graph.unify(here)
    analysis: Any = SimpleNamespace(graph=graph)
    assert Partners(analysis).living_with(frozenset({one})).near == {one}
