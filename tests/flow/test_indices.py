"""Numbers of accelerators: which of them a new device takes over."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

import pytest

from devicefix.flow import FileFacts, Number

Facts = Callable[[str], FileFacts]

PARSER: Final = "import argparse\nparser = argparse.ArgumentParser()\n"
OPTION: Final = "parser.add_argument('--gpu', type=int, default=0)\n"
ARGS: Final = "args = parser.parse_args()\n"
X: Final = "x = torch.ones(3)\nprint(x)\n"
INDICES: Final = [
    pytest.param("x.cuda()\n", "", True, id="none"),
    pytest.param("x.cuda(None)\n", "", True, id="None"),
    pytest.param("x.cuda(0)\n", "", True, id="the first"),
    pytest.param("g = 0\nx.cuda(g)\n", "", True, id="a name for the first"),
    pytest.param("x.cuda(1)\nx.cuda(device=1)\n", "1", True, id="another one"),
    pytest.param("x.cuda(1)\nx.cuda()\n", "", False, id="another one, and none"),
    pytest.param("x.cuda(1)\nx.cuda(2)\n", "", False, id="two"),
    pytest.param("g = 3\nx.cuda(g)\n", "g", True, id="a name for another one"),
    pytest.param("g = int('3')\nx.cuda(g)\n", "g", True, id="a number"),
    pytest.param("g = '3'\nx.cuda(g)\n", "", False, id="a string"),
    pytest.param(PARSER + OPTION + ARGS + "x.cuda(args.gpu)\n", "args.gpu", True, id="option"),
    pytest.param(PARSER + ARGS + "x.cuda(args.gpu)\n", "", False, id="unseen option"),
    pytest.param(
        PARSER + OPTION.replace(", default=0", "") + ARGS + "x.cuda(args.gpu)\n",
        "",
        False,
        id="option that may be None",
    ),
    pytest.param(
        "g = 3\ntorch.cuda.set_device(g)\nx.cuda(g)\n", "", True, id="the current one is chosen"
    ),
    pytest.param(
        "torch.cuda.set_device(1)\nx.cuda(0)\n", "", False, id="the current one is another"
    ),
    pytest.param("x.cuda(torch.cuda.current_device())\n", "", True, id="the current one"),
    pytest.param(
        PARSER + OPTION + ARGS + "def f(g):\n    x.cuda(g)\nf(args.gpu)\n",
        "args.gpu",
        True,
        id="option that a function gets",
    ),
    pytest.param(
        PARSER + OPTION + ARGS + "def f(g):\n    x.cuda(g)\nf(args.gpu)\nf(1)\n",
        "",
        False,
        id="option or another one",
    ),
    pytest.param(
        PARSER
        + OPTION
        + ARGS
        + "def f(g):\n    x.cuda(g)\ntorch.cuda.set_device(args.gpu)\nf(args.gpu)\n",
        "",
        True,
        id="option is the current one",
    ),
    pytest.param(
        PARSER + OPTION.replace("int", "str") + ARGS + "def f(g):\n    x.cuda(g)\nf(args.gpu)\n",
        "",
        False,
        id="option that is a string",
    ),
    pytest.param("for g in range(2):\n    x.cuda(g)\n", "", False, id="one after the other"),
]


@pytest.mark.parametrize(("program", "index", "kept"), INDICES)
def test_a_new_device_takes_the_index(facts: Facts, program: str, index: str, kept: bool) -> None:
    seen = next(iter(facts(X + program).calls.values()))
    assert seen.device is not None
    assert (seen.device.index, seen.keeps_index) == (index, kept)


def test_a_device_of_the_program_names_itself(facts: Facts) -> None:
    program = "d = torch.device('cuda:1' if torch.cuda.is_available() else 'cpu')\nx.cuda(d)\n"
    (seen,) = facts(X + program).calls.values()
    assert seen.device is not None
    assert (seen.device.text, seen.keeps_index) == ("d", True)


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        pytest.param("y = z.cuda(g)\n    return x * y", True, id="always"),
        pytest.param("y = z.cuda(g)\n    return x * y if g else y", False, id="perhaps"),
        pytest.param("if c: z = z.cuda(g)\n    return x * z", True, id="moved or not"),
        pytest.param("z = z.cuda(g)\n    if c: z = x\n    return x * z", False, id="or another"),
        pytest.param(
            "y = x\n    while c:\n        y, z = x * y, z.cuda(g)\n    return y", False, id="later"
        ),
    ],
)
def test_what_surely_meets_a_tensor_is_on_its_accelerator(
    facts: Facts, body: str, kept: bool
) -> None:
    program = (
        f"def f(x, g, c):\n    z = torch.arange(3)\n    {body}\n"
        "print(f(torch.ones(3).cuda(1), 1, 1), f(torch.ones(3).cuda(2), 2, 0))\n"
    )
    (seen,) = (s for c, s in facts(program).calls.items() if ast.unparse(c) == "z.cuda(g)")
    assert seen.keeps_index is kept


@pytest.mark.parametrize(
    ("program", "found"),
    [
        ("x.to(0)\n", {"0": Number.CURRENT}),
        ("x.to(1)\n", {"1": Number.OTHER}),
        ("torch.cuda.set_device(1)\nx.to(0)\n", {"0": Number.OTHER}),
        ("torch.zeros(3, device=x.get_device())\n", {"x.get_device()": Number.LOCATED}),
        ("x.cuda(x.get_device())\n", {"x.get_device()": Number.LOCATED}),
        ("torch.device(f'cuda:{i}')\n", {"torch.device(f'cuda:{i}')": Number.COMPUTED}),
        ("torch.device('cuda', i)\n", {"torch.device('cuda', i)": Number.COMPUTED}),
        ("torch.device('cuda:%d' % i)\n", {"torch.device('cuda:%d' % i)": Number.COMPUTED}),
        ("torch.device(f'{kind}:0')\n", {}),
        ("torch.device('cpu', 0)\n", {}),
        ("print(x.get_device(), x.sum(0), torch.zeros(3))\n", {}),
        ("if torch.cuda.is_available():\n    x.to(0)\n", {}),
    ],
)
def test_numbers_that_are_devices(facts: Facts, program: str, found: dict[str, Number]) -> None:
    assert {ast.unparse(n.tree): n.kind for n in facts(X + program).numbers} == found


def test_where_something_unknown_is(facts: Facts) -> None:
    program = "from lib import y\ntorch.zeros(3, device=y.get_device())\n"
    assert [number.sure for number in facts(program).numbers] == [False]
