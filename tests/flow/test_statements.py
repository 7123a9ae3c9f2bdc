"""What statements do to placement: branches join, loops run until nothing changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

Moves = Callable[[str], list[str]]

ZEROS: Final = "FACTORY torch.zeros(3) => device"
ONES: Final = "FACTORY torch.ones(3) => device"


def test_straight_line(beside_model: Moves) -> None:
    assert beside_model("x = torch.zeros(3)\nmodel(x)\n") == [ZEROS]


def test_what_never_meets_the_device_stays(beside_model: Moves) -> None:
    assert beside_model("x = torch.zeros(3)\nprint(x)\n") == []


BRANCHES: Final = [
    pytest.param(
        """
        import sys
        if len(sys.argv) > 1:
            x = torch.zeros(3)
        else:
            x = torch.ones(3)
        model(x)
        """,
        [ZEROS, ONES],
        id="both branches",
    ),
    pytest.param(
        """
        import sys
        x = torch.zeros(3)
        if len(sys.argv) > 1:
            x = x + 1
        else:
            x = torch.from_numpy(np.ones(3)).float()
        model(x)
        """,
        [ZEROS, "DATA torch.from_numpy(np.ones(3)).float() -> device"],
        id="one branch goes on with what was there",
    ),
    pytest.param(
        """
        import sys
        x = torch.zeros(3) if len(sys.argv) > 1 else torch.ones(3)
        model(x)
        """,
        [ZEROS, ONES],
        id="ternary",
    ),
    pytest.param(
        """
        def run(x=None):
            x = x or torch.zeros(3)
            return model(x)
        run()
        """,
        [ZEROS],
        id="or a default",
    ),
    pytest.param(
        """
        def run(x=None):
            if x is None:
                x = torch.zeros(3)
            return model(x)
        run()
        run(torch.ones(3))
        """,
        [ZEROS, ONES],
        id="an argument that may be None",
    ),
    pytest.param(
        """
        import sys
        match len(sys.argv):
            case 1:
                x = torch.zeros(3)
            case _:
                x = torch.ones(3)
        model(x)
        """,
        [ZEROS, ONES],
        id="match",
    ),
    pytest.param(
        """
        import sys
        x = torch.zeros(3)
        if len(sys.argv) > 1:
            raise SystemExit(x)
            model(x)
        print(x)
        """,
        [],
        id="what comes after raise is never reached",
    ),
    pytest.param(
        """
        try:
            x = torch.zeros(3)
        except ValueError:
            x = torch.ones(3)
        finally:
            print("done")
        model(x)
        """,
        [ZEROS, ONES],
        id="try",
    ),
]


@pytest.mark.parametrize(("program", "expected"), BRANCHES)
def test_branches_join(beside_model: Moves, program: str, expected: list[str]) -> None:
    assert beside_model(program) == expected


LOOPS: Final = [
    pytest.param(
        """
        h = torch.zeros(3)
        for i in range(3):
            h = model(h + torch.ones(3))
        """,
        [ZEROS, ONES],
        id="carried round the loop",
    ),
    pytest.param(
        """
        a, b = torch.zeros(3), torch.zeros(3)
        for i in range(5):
            model(a)
            a = b
            b = torch.ones(3)
        """,
        [ZEROS, ZEROS, ONES],
        id="seen in the third round",
    ),
    pytest.param(
        """
        a, b = torch.zeros(3), torch.zeros(3)
        c, d = torch.zeros(3), torch.zeros(3)
        for i in range(9):
            model(a)
            a, b, c, d = b, c, d, torch.ones(3)
        """,
        [ZEROS, ZEROS, ZEROS, ZEROS, ONES],
        id="seen in the fifth round",
    ),
    pytest.param(
        """
        x = torch.zeros(3)
        while True:
            x = torch.ones(3)
            if x.sum() > 2:
                break
        model(x)
        """,
        [ONES],
        id="left by break alone",
    ),
    pytest.param(
        """
        x = torch.zeros(3)
        for i in range(3):
            if i == 1:
                x = torch.ones(3)
                continue
            print(i)
        model(x)
        """,
        [ZEROS, ONES],
        id="continue",
    ),
    pytest.param(
        """
        for i in range(3):
            x = torch.zeros(3)
        else:
            x = torch.ones(3)
        model(x)
        """,
        [ONES],
        id="else of a loop",
    ),
    pytest.param(
        """
        while (x := torch.rand(3)).sum() < 1:
            model(x)
        """,
        ["FACTORY torch.rand(3) => device"],
        id="walrus in the condition",
    ),
]


@pytest.mark.parametrize(("program", "expected"), LOOPS)
def test_loops_run_to_a_fixed_point(beside_model: Moves, program: str, expected: list[str]) -> None:
    assert beside_model(program) == expected


BLOCKS: Final = [
    pytest.param(
        """
        with torch.no_grad():
            x = torch.zeros(3)
            model(x)
        """,
        [ZEROS],
        id="with",
    ),
    pytest.param(
        """
        with open("numbers.txt") as file:
            x = torch.tensor([float(line) for line in file])
        model(x)
        """,
        ["FACTORY torch.tensor([float(line) for line in file]) => device"],
        id="with … as",
    ),
    pytest.param(
        """
        if (x := torch.zeros(3)).sum() == 0:
            model(x)
        """,
        [ZEROS],
        id="walrus",
    ),
    pytest.param(
        """
        async def run():
            return model(torch.zeros(3))
        import asyncio
        asyncio.run(run())
        """,
        [ZEROS],
        id="async",
    ),
]


@pytest.mark.parametrize(("program", "expected"), BLOCKS)
def test_other_blocks(beside_model: Moves, program: str, expected: list[str]) -> None:
    assert beside_model(program) == expected


BINDINGS: Final = [
    pytest.param("x, y = torch.zeros(3), 'name'\nmodel(x)\n", [ZEROS], id="tuple"),
    pytest.param(
        "(x, (y, z)) = (torch.zeros(3), (torch.ones(3), torch.ones(2)))\nmodel(x)\nmodel(y)\n",
        [ZEROS, ONES],
        id="nested tuple: what is not used stays",
    ),
    pytest.param("x = y = torch.zeros(3)\nmodel(x)\nprint(y)\n", [ZEROS], id="two targets"),
    pytest.param(
        "x, y = torch.zeros(3), torch.ones(3)\nx, y = y, x\nmodel(y)\n", [ZEROS], id="swap"
    ),
    pytest.param(
        "x: torch.Tensor = torch.zeros(3)\nmodel(x)\n", [ZEROS], id="annotated assignment"
    ),
    pytest.param("x = torch.zeros(3)\ndel x\nx = torch.ones(3)\nmodel(x)\n", [ONES], id="del"),
    pytest.param(
        "x, *rest = torch.zeros(3), torch.ones(3), torch.ones(2)\nmodel(x)\n",
        [ZEROS],
        id="starred target",
    ),
]


@pytest.mark.parametrize(("program", "expected"), BINDINGS)
def test_assignment(beside_model: Moves, program: str, expected: list[str]) -> None:
    assert beside_model(program) == expected


def test_what_the_caller_names_is_not_none(moves: Callable[[str], list[str]]) -> None:
    program = """
        def pick(name=None):
            if name is None:
                name = "cuda" if torch.cuda.is_available() else "cpu"
            return torch.device(name)
        net, slow = nn.Linear(3, 1).to(pick()), nn.Linear(3, 1).to(pick("cpu"))
        x = torch.ones(3, device=pick())
        print(net(x), slow(torch.ones(3)))
        """
    assert moves(program) == []


@pytest.mark.parametrize(
    "grown",
    ["(x, x)", "zip(x, x)", "pair(x, x)", "Pair(x, x)", "{'a': x, 'b': x}.values()"],
)
def test_what_doubles_in_a_loop_stays_small(beside_model: Moves, grown: str) -> None:
    made = "Pair = namedtuple('Pair', 'a b')\ndef pair(*both):\n    return both\n"
    loop = f"for _ in range(9):\n    x = {grown}\n"
    program = f"from collections import namedtuple\n{made}x = range(3)\n{loop * 2}"
    assert beside_model(f"{program}model(torch.zeros(3))\n") == [ZEROS]


def test_a_table_that_is_written_out_is_known_whatever_its_size(beside_model: Moves) -> None:
    rows = "(1, (2, (3, 4))), " * 200
    program = f"table = ({rows}torch.zeros(3))\nmodel(table[200])\n"
    assert beside_model(program) == [ZEROS]
