"""Attributes, containers and classes that hold tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

Moves = Callable[[str], list[str]]

ZEROS: Final = "FACTORY torch.zeros(3) => device"
ONES: Final = "FACTORY torch.ones(3) => device"

CONTAINERS: Final = [
    pytest.param(
        "xs = []\nfor i in range(3):\n    xs.append(torch.zeros(3))\nmodel(torch.stack(xs))\n",
        [ZEROS],
        id="append",
    ),
    pytest.param(
        "xs = [torch.zeros(3), torch.ones(3)]\nmodel(xs[0])\nprint(xs[1])\n",
        [ZEROS],
        id="items of a list are told apart",
    ),
    pytest.param(
        "xs = (torch.zeros(3), torch.ones(3))\nmodel(xs[-1])\nprint(xs[0])\n",
        [ONES],
        id="items of a tuple are told apart",
    ),
    pytest.param(
        "d = {'x': torch.zeros(3), 'y': torch.ones(3)}\nmodel(d['x'])\nprint(d['y'])\n",
        [ZEROS],
        id="keys of a dict are told apart",
    ),
    pytest.param(
        "d = {}\nd['x'] = torch.zeros(3)\nd['name'] = 'n'\nmodel(d['x'])\n",
        [ZEROS],
        id="keys set later",
    ),
    pytest.param("d = dict(x=torch.zeros(3))\nmodel(d.get('x'))\n", [ZEROS], id="dict() and get"),
    pytest.param(
        "for k, x in {'a': torch.zeros(3), 'b': torch.ones(3)}.items():\n    model(x)\n",
        [ZEROS, ONES],
        id="items()",
    ),
    pytest.param(
        "x, y = zip(*[(torch.zeros(3), i) for i in range(2)])\nmodel(torch.stack(x))\n",
        [ZEROS],
        id="zip(*pairs)",
    ),
    pytest.param(
        """
        from collections import deque
        memory = deque(maxlen=9)
        memory.append((torch.zeros(3), 1.0))
        for x, reward in memory:
            model(x)
        """,
        [ZEROS],
        id="deque of tuples",
    ),
]


@pytest.mark.parametrize(("program", "expected"), CONTAINERS)
def test_containers(beside_model: Moves, program: str, expected: list[str]) -> None:
    assert sorted(beside_model(program)) == sorted(expected)


OBJECTS: Final = [
    pytest.param(
        """
        class Data:
            def __init__(self):
                self.x = torch.zeros(3)
            def get(self):
                return self.x
        model(Data().get())
        """,
        id="attribute of self",
    ),
    pytest.param(
        """
        class Data:
            def __init__(self):
                self.fill()
            def fill(self):
                self.x = torch.zeros(3)
        data = Data()
        model(data.x)
        """,
        id="attribute set in a method",
    ),
    pytest.param(
        """
        class Data:
            pass
        data = Data()
        data.x = torch.zeros(3)
        model(data.x)
        """,
        id="attribute set from outside",
    ),
    pytest.param(
        """
        class Data:
            @property
            def x(self):
                return torch.zeros(3)
        model(Data().x)
        """,
        id="property",
    ),
    pytest.param(
        """
        class Data:
            @staticmethod
            def make():
                return torch.zeros(3)
        model(Data.make())
        """,
        id="static method",
    ),
    pytest.param(
        """
        class Data:
            def __init__(self, x):
                self.x = x
            @classmethod
            def make(cls):
                return cls(torch.zeros(3))
        model(Data.make().x)
        """,
        id="class method",
    ),
    pytest.param(
        """
        class Base:
            def make(self):
                return torch.zeros(3)
        class Data(Base):
            def make(self):
                return super().make() + 1
        model(Data().make())
        """,
        id="super",
    ),
    pytest.param(
        """
        from dataclasses import dataclass
        @dataclass
        class Batch:
            x: torch.Tensor
            name: str = ""
        model(Batch(torch.zeros(3)).x)
        """,
        id="dataclass",
    ),
    pytest.param(
        """
        from typing import NamedTuple
        class Batch(NamedTuple):
            x: torch.Tensor
            name: str
        model(Batch(torch.zeros(3), "n").x)
        """,
        id="NamedTuple",
    ),
    pytest.param(
        """
        class Scale:
            def __call__(self, x):
                return x * 2
        model(Scale()(torch.zeros(3)))
        """,
        id="__call__",
    ),
]


@pytest.mark.parametrize("program", OBJECTS)
def test_objects_hold_tensors(beside_model: Moves, program: str) -> None:
    assert beside_model(program) == [ZEROS]


MOVED: Final = """
class Steps:
    def __init__(self, rows):
        self.table = torch.ones(3, 3)

    def start(self, count, device=None):
        {start}

    def step(self, x):
        return x.relu() @ self.table
"""


@pytest.mark.parametrize(
    ("start", "told"),
    [
        ("self.table = self.table.to(device)", False),
        ("self.table = torch.ones(count, 3, device=device)", False),
        ("self.table = torch.ones(count, 3)", True),
        ("return self.table.to(device)", True),
    ],
)
def test_what_callers_move_by_a_method_is_at_no_place_that_is_known(
    moves: Moves, start: str, told: bool
) -> None:
    assert bool(moves(MOVED.format(start=start))) is told
