"""What the author asserts to be on the CPU stays there; tests are not moved at all."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import Final

import pytest

from devicefix.flow import analyse
from devicefix.source import Source

Moves = Callable[[str], list[str]]

PROGRAM: Final = """
    import torch
    from torch import nn
    net = nn.Linear(3, 1)
    x = torch.randn(8, 3)
    y = net(x)
    """


@pytest.mark.parametrize(
    "assertion",
    [
        'assert y.device.type == "cpu"',
        'assert "cpu" == y.device.type, "message"',
        "assert not y.is_cuda",
        "assert y.is_cuda is False",
        'assert y.device == torch.device("cpu")',
        'assert len(y) and y.device == x.device == torch.device("cpu")',
        'assert str(y.device) == "cpu"',
        "assert not next(net.parameters()).is_cuda",
    ],
)
def test_what_is_asserted_to_be_on_the_host_stays(moves: Moves, assertion: str) -> None:
    assert moves(PROGRAM) != []
    assert moves(dedent(PROGRAM) + assertion + "\n") == []


@pytest.mark.parametrize(
    "assertion",
    [
        "assert y.device == x.device",
        'assert y.device.type != "cpu" or not y.is_cuda',
        "assert not y.requires_grad",
        "assert y.is_cuda == torch.cuda.is_available()",
        "if not y.is_cuda:\n    print(1)",
        'if not torch.cuda.is_available():\n    assert y.device.type == "cpu"',
    ],
)
def test_other_assertions_say_nothing(moves: Moves, assertion: str) -> None:
    assert len(moves(dedent(PROGRAM) + assertion + "\n")) == 2


def test_an_assertion_holds_one_context_of_a_helper(moves: Moves) -> None:
    program = """
        def double(x):
            return x * torch.full((3,), 2.0)
        kept = double(torch.ones(3))
        assert not kept.is_cuda
        net = nn.Linear(3, 1).to("cuda")
        print(net(torch.randn(8, 3)))
        """
    assert moves(program) == ["FACTORY torch.randn(8, 3) => +device"]


def test_parameters_are_where_their_function_asserts_them(moves: Moves) -> None:
    program = """
        def to_pixels(x):
            assert not x.is_cuda
            return x * torch.full((3,), 255.0)
        """
    assert moves(program) == []


@pytest.mark.parametrize("name", ["test_net.py", "net_test.py", "conftest.py", "tests/net.py"])
def test_nothing_is_moved_in_tests(name: str) -> None:
    assert analyse(Source.from_text(dedent(PROGRAM), path=name)).transfers == ()
