"""How the time of the analysis grows with one file: by its functions, classes, statements …

    python benchmarks/growth.py [KIND …] [--most N]

makes programs of one kind in four sizes, takes the processor time of `analyse` for each (the least
of three), and prints the exponent of the curve through them: 1 is a time that grows as the file.
Code that nobody writes in these amounts shows what would be slow in code that somebody generates.
"""

from __future__ import annotations

import argparse
import gc
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from devicefix.engine.interpreter import at_work
from devicefix.flow.evaluated import analyse
from devicefix.source import Source

HEAD = "import torch\nfrom torch import nn\n\nnet = nn.Linear(3, 3)\n\n"
MOST = 800
TIMES = 3


def functions(n: int) -> str:
    """Each makes a tensor that meets the module; all are called."""
    made = (f"def f{i}(x):\n    y = torch.zeros(3)\n    return net(x + y)\n" for i in range(n))
    return HEAD + "\n".join(made) + "\n" + "\n".join(f"f{i}(torch.ones(3))" for i in range(n))


def uncalled(n: int) -> str:
    """Functions that nobody calls."""
    made = (f"def f{i}(x):\n    y = torch.zeros(3)\n    return net(x + y)\n" for i in range(n))
    return HEAD + "\n".join(made)


def trainers(n: int) -> str:
    """Functions that make a module of their own, and name no device."""
    made = (
        f"def t{i}(n={i}):\n    m = nn.Linear(3, 3)\n    return m(torch.ones(3))\n"
        for i in range(n)
    )
    return HEAD + "\n".join(made) + "\n" + "\n".join(f"t{i}()" for i in range(n))


def classes(n: int) -> str:
    """Modules, each made and called once."""
    made = (
        f"class M{i}(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.fc = nn.Linear(3, 3)\n"
        "    def forward(self, x):\n"
        "        return self.fc(x + torch.ones(3))\n"
        for i in range(n)
    )
    return HEAD + "\n".join(made) + "\n" + "\n".join(f"M{i}()(torch.ones(3))" for i in range(n))


def statements(n: int) -> str:
    """One after the other at the top of the file, each with a name and a tensor of its own."""
    return HEAD + "\n".join(f"x{i} = net(torch.zeros(3))" for i in range(n))


def body(n: int) -> str:
    """The same in one function."""
    lines = "".join(f"    x{i} = net(torch.zeros(3))\n" for i in range(n))
    return HEAD + f"def run():\n{lines}\nrun()\n"


def chain(n: int) -> str:
    """Statements that go on with the tensor of the one before."""
    return HEAD + "x = torch.zeros(3)\n" + "\n".join(f"x = net(x) + {i}" for i in range(n))


def attributes(n: int) -> str:
    """Of one module, all used by one method."""
    made = "".join(f"        self.a{i} = nn.Linear(3, 3)\n" for i in range(n))
    used = "".join(f"        x = self.a{i}(x)\n" for i in range(n))
    return (
        f"{HEAD}class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n{made}"
        f"    def forward(self, x):\n{used}        return x\n\nM()(torch.zeros(3))\n"
    )


def calls(n: int) -> str:
    """Of one function, from as many places."""
    return (
        HEAD
        + "def f(x):\n    return net(x)\n\n"
        + "\n".join(f"y{i} = f(torch.ones(3))" for i in range(n))
    )


def branches(n: int) -> str:
    """A long ``if … elif …``."""
    tests = "".join(f"    elif n == {i}:\n        x = torch.zeros({i + 1})\n" for i in range(1, n))
    return (
        f"{HEAD}def pick(n):\n    if n == 0:\n        x = torch.ones(3)\n{tests}"
        "    else:\n        x = None\n    return net(x)\n\npick(3)\n"
    )


def items(n: int) -> str:
    """A long list of tensors."""
    return HEAD + f"xs = [{', '.join(['torch.zeros(3)'] * n)}]\nfor x in xs:\n    net(x)\n"


def numbers(n: int) -> str:
    """A long table of numbers."""
    return (
        HEAD + f"table = {{{', '.join(f'{i}: [{i}, {i}.5]' for i in range(n))}}}\nnet(table[3])\n"
    )


def transfers(n: int) -> str:
    """Calls of ``.cuda()``."""
    return HEAD + "net.cuda()\n" + "\n".join(f"x{i} = torch.zeros(3).cuda()" for i in range(n))


def loops(n: int) -> str:
    """One after the other."""
    return HEAD + "x = torch.zeros(3)\n" + "for i in range(3):\n    x = net(x)\n" * n


KINDS = (
    functions, uncalled, trainers, classes, statements, body, chain, attributes, calls, branches,
    items, numbers, transfers, loops,
)  # fmt: skip


def taken(text: str) -> float:
    """Seconds of processor time that the analysis of a program takes, at the least."""
    least = math.inf
    for _ in range(TIMES):
        source = Source.from_bytes(text.encode(), "made_up.py")
        gc.collect()
        began = time.process_time()
        with at_work():
            analyse(source)
        least = min(least, time.process_time() - began)
    return least


def exponent(sizes: list[int], times: list[float]) -> float:
    """Of the power of the size that is nearest to the times, by least squares of logarithms."""
    xs, ys = [math.log(size) for size in sizes], [math.log(seconds) for seconds in times]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / sum(
        (a - x) ** 2 for a in xs
    )


def measure(kind: Callable[[int], str], most: int) -> None:
    """Print one line of the table."""
    sizes = [most // 8, most // 4, most // 2, most]
    times = [taken(kind(size)) for size in sizes]
    shown = "".join(f"{1000 * seconds:9.0f}" for seconds in times)
    print(f"{kind.__name__:12}{shown}{exponent(sizes, times):10.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    names = [kind.__name__ for kind in KINDS]
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(names))
    parser.add_argument("--most", type=int, default=MOST, help="the largest size")
    chosen = parser.parse_args()
    heads = (chosen.most // 8, chosen.most // 4, chosen.most // 2, chosen.most)
    print(f"{'ms':12}{''.join(f'{size:9}' for size in heads)}{'exponent':>10}")
    for kind in KINDS:
        if not chosen.kinds or kind.__name__ in chosen.kinds:
            measure(kind, chosen.most)


if __name__ == "__main__":
    main()
