"""Calls: every way of reaching a function is a context of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from devicefix.flow import FileFacts
from devicefix.flow.program import evaluate_program
from devicefix.source import Program, Source

Moves = Callable[[str], list[str]]

ZEROS: Final = "FACTORY torch.zeros(3) => device"
ONES: Final = "FACTORY torch.ones(3) => device"

CALLS: Final = [
    pytest.param(
        """
        def run(x, y):
            return F.mse_loss(model(x), y)
        arguments = (torch.zeros(3), torch.ones(3))
        run(*arguments)
        """,
        [ZEROS, ONES],
        id="spread tuple",
    ),
    pytest.param(
        """
        def total(*parts):
            return sum(parts)
        total(model(torch.zeros(3)), torch.ones(3))
        """,
        [ZEROS, ONES],
        id="star parameter",
    ),
    pytest.param(
        """
        def run(x=None, *, y):
            return F.mse_loss(model(x), y)
        run(y=torch.ones(3), x=torch.zeros(3))
        """,
        [ONES, ZEROS],
        id="keywords",
    ),
    pytest.param(
        """
        def run(x, y):
            return F.mse_loss(model(x), y)
        batch = {"x": torch.zeros(3), "y": torch.ones(3)}
        run(**batch)
        """,
        [ZEROS, ONES],
        id="spread dict",
    ),
    pytest.param(
        """
        def run(x, y=torch.ones(3)):
            return F.mse_loss(model(x), y)
        run(torch.zeros(3))
        """,
        ["OPERAND y -> x.device", ZEROS],
        id="default",
    ),
    pytest.param(
        """
        x = torch.zeros(3)
        def run():
            return model(x)
        run()
        """,
        [ZEROS],
        id="closure over the module's names",
    ),
    pytest.param(
        """
        def make(held):
            def inner():
                return model(held)
            return inner
        run = make(torch.zeros(3))
        run()
        """,
        [ZEROS],
        id="closure over the names of a function that has returned",
    ),
    pytest.param(
        """
        def make(held):
            return lambda x: model(x) + held
        out = torch.ones(2, 3).to(device)
        for step in [make(torch.zeros(3)), make(torch.zeros(3).t())]:
            out = step(out)
        """,
        [ZEROS, ZEROS],
        id="closures of two calls that are called at one place",
    ),
    pytest.param(
        """
        def make(held, quick):
            if quick:
                scale = torch.ones(3).to(device)
                return lambda: model(held) * scale
            scale = torch.full((3,), 2.0).to(device)
            return lambda: model(held) * scale
        run = make(torch.zeros(3), len(FLAGS) > 3)
        run()
        """,
        [ZEROS],
        id="closures made in two branches that return",
    ),
    pytest.param(
        """
        def outer():
            state = torch.zeros(3)
            def step():
                nonlocal state
                state = model(state)
            step()
            return state
        outer()
        """,
        [ZEROS],
        id="nonlocal",
    ),
    pytest.param(
        """
        state = None
        def start():
            global state
            state = torch.zeros(3)
        def step():
            return model(state)
        start()
        step()
        """,
        [ZEROS],
        id="global",
    ),
    pytest.param(
        "make = lambda n: torch.zeros(n)\nmodel(make(3))\n",
        ["FACTORY torch.zeros(n) => device"],
        id="lambda that makes",
    ),
    pytest.param(
        "double = lambda x: x * 2\nmodel(double(torch.zeros(3)))\n",
        [ZEROS],
        id="lambda that passes",
    ),
    pytest.param(
        "for y in map(model, [torch.zeros(3), torch.ones(3)]):\n    print(y)\n",
        [ZEROS, ONES],
        id="map",
    ),
    pytest.param(
        """
        @torch.no_grad()
        def run(x):
            return model(x)
        run(torch.zeros(3))
        """,
        [ZEROS],
        id="decorated",
    ),
    pytest.param(
        """
        def main():
            model(torch.zeros(3))
        if __name__ == "__main__":
            main()
        """,
        [ZEROS],
        id="main",
    ),
]


@pytest.mark.parametrize(("program", "expected"), CALLS)
def test_calls_are_followed(beside_model: Moves, program: str, expected: list[str]) -> None:
    assert beside_model(program) == expected


def test_partial(beside_model: Moves) -> None:
    program = """
        from functools import partial
        def run(scale, x):
            return model(x) * scale
        partial(run, torch.ones(3))(torch.zeros(3))
        """
    assert sorted(beside_model(program)) == [ONES, ZEROS]


HELPER: Final = """
def weighted(x):
    return x * torch.arange(3)
"""
CONTEXTS: Final = [
    pytest.param("print(weighted(torch.ones(3)))\n", [], id="host"),
    pytest.param(
        "print(weighted(model.weight[0]))\n", ["FACTORY torch.arange(3) => x.device"], id="device"
    ),
    pytest.param(
        "print(weighted(model.weight[0]))\nprint(weighted(torch.ones(3)).numpy())\n",
        ["FACTORY torch.arange(3) => x.device"],
        id="both",
    ),
]


@pytest.mark.parametrize(("uses", "expected"), CONTEXTS)
def test_a_helper_follows_its_argument(beside_model: Moves, uses: str, expected: list[str]) -> None:
    assert beside_model(HELPER + uses) == expected


def test_a_helper_without_argument_is_not_moved_for_one_of_its_callers(
    beside_model: Moves,
) -> None:
    program = """
        def make(n):
            return torch.zeros(n)
        model(make(3))
        print(make(3).numpy(), make(4).numpy())
        """
    assert beside_model(program) == ["OPERAND make(3) -> device"]


def test_what_one_caller_moves_does_not_leak_into_another(beside_model: Moves) -> None:
    program = """
        def same(x):
            return x
        model(same(torch.zeros(3)))
        print(same(torch.ones(3)).numpy())
        """
    assert beside_model(program) == [ZEROS]


GENERATORS: Final = [
    pytest.param(
        """
        def batches():
            for i in range(3):
                yield torch.zeros(3), torch.ones(3)
        for x, y in batches():
            F.mse_loss(model(x), y)
        """,
        [ZEROS, ONES],
        id="yield",
    ),
    pytest.param(
        """
        def inner():
            yield torch.zeros(3)
        def outer():
            yield from inner()
        for x in outer():
            model(x)
        """,
        [ZEROS],
        id="yield from",
    ),
    pytest.param(
        "print(sum(model(x).sum() for x in (torch.zeros(3) for _ in range(2))))\n",
        [ZEROS],
        id="generator expression",
    ),
    pytest.param(
        "xs = [torch.zeros(3) for _ in range(4)]\nprint([model(x) for x in xs])\n",
        [ZEROS],
        id="list comprehension",
    ),
    pytest.param(
        "model(torch.stack([torch.zeros(3) for _ in range(2) for _ in range(2)]))\n",
        [ZEROS],
        id="nested comprehension",
    ),
    pytest.param(
        "parts = {k: torch.zeros(3) for k in 'ab'}\nmodel(parts['a'])\n",
        [ZEROS],
        id="dict comprehension",
    ),
    pytest.param(
        "x = torch.zeros(3)\nprint([x for x in range(3)])\nmodel(x)\n",
        [ZEROS],
        id="a comprehension has names of its own",
    ),
]


@pytest.mark.parametrize(("program", "expected"), GENERATORS)
def test_generators_and_comprehensions(
    beside_model: Moves, program: str, expected: list[str]
) -> None:
    assert beside_model(program) == expected


def test_a_wrapper_that_passes_on_what_it_is_given_adds_nothing(beside_model: Moves) -> None:
    program = """
    def logged(function):
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)
        return wrapper
    @logged
    def add(x):
        return x + torch.zeros(3)
    print(add(model(torch.ones(3))))
    """
    assert beside_model(program) == ["FACTORY torch.zeros(3) => x.device", ONES]


def test_the_fields_of_a_named_tuple_are_its_items(beside_model: Moves) -> None:
    program = """
    from typing import NamedTuple
    class Sample(NamedTuple):
        image: torch.Tensor
        label: torch.Tensor = 0
    sample = Sample(torch.zeros(3), label=torch.ones(3))
    image, _ = sample
    print(model(image) + sample[1])
    """
    assert beside_model(program) == [ZEROS, ONES]


RECURSIVE: Final = [
    pytest.param(
        """
        def power(x, n):
            if n == 0:
                return x
            return power(x * 2, n - 1)
        model(power(torch.zeros(3), 4))
        """,
        id="direct",
    ),
    pytest.param(
        """
        def even(x, n):
            return x if n == 0 else odd(x * 2, n - 1)
        def odd(x, n):
            return x if n == 0 else even(x * 2, n - 1)
        model(even(torch.zeros(3), 4))
        """,
        id="mutual",
    ),
]


@pytest.mark.parametrize("program", RECURSIVE)
def test_recursion_ends_and_passes_its_argument_on(beside_model: Moves, program: str) -> None:
    assert beside_model(program) == [ZEROS]


@pytest.mark.parametrize(
    "program",
    [
        "f = lambda g: g(g)\nf(f)\n",
        "xs = []\nxs.append(xs)\nprint(torch.stack(xs))\n",
        "d = {}\nd['d'] = d\nprint(torch.stack(d['d']['d']))\n",
        "class A:\n    pass\na = A()\na.a = a\nprint(a.a.a)\n",
        "class A(A):\n    pass\n",
        "def f():\n    yield from f()\nfor x in f():\n    print(x)\n",
        "x = torch.zeros(3)\nfor i in range(9):\n    x = (x, x)\nprint(x)\n",
        "x = torch.zeros(3)\nfor i in range(9):\n    x = [x]\nprint(x)\n",
    ],
)
def test_programs_that_bite_their_tail_end(beside_model: Moves, program: str) -> None:
    assert beside_model(program) == []


def test_a_dict_that_holds_itself_many_times_is_walked_once(moves: Moves) -> None:
    program = (
        "def walk(tree):\n"
        "    for key, value in tree.items():\n"
        "        tree[key] = walk(value) if isinstance(value, dict) else value\n"
        "    return tree\n"
        "options = {}\n"
        + "".join(f"options['{n}'] = options\n" for n in range(16))
        + "print(walk(options), nn.Linear(3, 1)(torch.ones(3)))\n"
    )
    assert len(moves(program)) == 2


def test_evaluation_comes_to_rest_where_functions_are_kept() -> None:
    program = """\
import torch
from torch import nn

def once(x): return x + 1
def twice(x): return x + 2

def batched(function):
    def run(x):
        return torch.cat([function(part) for part in x])
    return run

class Steps:
    def __init__(self, n):
        self.step = once if n == 1 else twice
        self.others = {"once": once, "twice": twice}

model = nn.Linear(3, 3)
steps = Steps(3)
print(batched(model)(steps.step(torch.zeros(3, 3))))
"""
    analysis, complete = evaluate_program(Program.alone(Source.from_text(program)))
    assert complete
    assert not analysis.changed


def test_a_partial_of_itself_comes_to_an_end(facts: Callable[[str], FileFacts]) -> None:
    """Each of several methods wraps what any of the others may have left."""
    wraps = "".join(
        f"    def wrap{n}(self):\n        self.policy = functools.partial(self.policy, n={n})\n"
        for n in range(6)
    )
    head = "import functools\nclass Plugin:\n    def __init__(self):\n        self.policy = print\n"
    assert facts(head + wraps + "Plugin().wrap0()\n").complete


@pytest.mark.parametrize(
    ("prints", "found"), [(0, []), (20, ["FACTORY torch.zeros(3) => device?"])]
)
def test_what_many_callers_of_a_helper_have_is_told_apart_or_left(
    beside_model: Moves, prints: int, found: list[str]
) -> None:
    """What one has on the device is no reason to move what another one has; 20 calls of `read`."""
    program = f"""
        def read(data):
            {"print(data.shape, data.min(), data.max()); " * prints}
            return data.detach().cpu().numpy()
        host = torch.zeros(3)
        out = model(torch.zeros(8, 3, device=device))
        {"print(read(out)); print(read(host)); " * 10}
        """
    assert beside_model(program) == found


def test_what_several_lists_are_spread_into_may_be_of_any_of_them(beside_model: Moves) -> None:
    program = """
        def show(first, second, third, fourth):
            print(first[0].numpy(), third[0].numpy())
        outs, plain = [], []
        for i in range(2):
            outs.append((model(torch.zeros(8, 3, device=device)).detach(),))
            plain.append((torch.zeros(3),))
        show(*outs, *plain)
        """
    assert beside_model(program) == ["HOST_READ first[0] -> cpu", "HOST_READ third[0] -> cpu"]


def test_what_a_list_is_spread_into_may_be_the_default(beside_model: Moves) -> None:
    program = """
        def weighted(x, bias=None):
            if bias is None:
                bias = torch.zeros(3)
            return x * bias
        batches = [torch.randn(8, 3) for i in range(1)]
        print(model(weighted(*batches)))
        """
    assert beside_model(program) == ["OPERAND weighted(*batches) -> device"]
