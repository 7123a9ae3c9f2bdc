"""Expressions that are looked at in a run: each is what it was, and that is known."""

from __future__ import annotations

import ast
import builtins
import contextlib
import io
from typing import Any, Final

import pytest
import torch

from devicefix.observe.sightings.instrument import NAME, Watched, instrument
from devicefix.observe.sightings.table import MOST, Table


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Table:
    monkeypatch.setattr(builtins, NAME, None, raising=False)
    table = Table()
    table.begin()
    return table


def ran(table: Table, text: str) -> tuple[str, dict[str, Any]]:
    """What ``text`` prints when its expressions are looked at, and the names that it binds."""
    tree, watched = instrument(ast.parse(text), text, len(table))
    table.add("program.py", text, len(table), watched)
    names: dict[str, Any] = {"__name__": __name__}
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(tree, "program.py", "exec", dont_inherit=True), names)
    return out.getvalue(), names


def told(table: Table) -> dict[str, list[str]]:
    """By text of each expression the kinds, dtypes and devices that were seen."""
    text, first, watched = table.files["program.py"]
    return {
        part_of(text, one): [" ".join(filter(None, (f[0], *f[2:]))) for f in table.facts(number)]
        for number, one in enumerate(watched, first)
    }


def part_of(text: str, one: Watched) -> str:
    lines = text.split("\n")
    assert one.line == one.end_line
    return lines[one.line - 1][one.column - 1 : one.end_column - 1]


def test_each_expression_is_what_it_was(table: Table) -> None:
    text = (
        "import torch\n"
        "def f(x, n=1):\n"
        "    'doc'\n"
        "    y = x.double() @ x.double().T\n"
        "    return y[0] + n\n"
        "net = torch.nn.Linear(3, 2)\n"
        "for ä, b in [(torch.ones(2, 3), 1)]:\n"
        "    out = f(ä)\n"
        "    got = net(ä)\n"
    )
    ran(table, text)
    seen = told(table)
    assert seen["x"] == seen["ä"] == seen["torch.ones(2, 3)"] == ["tensor float32 cpu"]
    assert seen["x.double() @ x.double().T"] == seen["y[0] + n"] == ["tensor float64 cpu"]
    assert seen["net"] == seen["torch.nn.Linear(3, 2)"] == ["module float32 cpu"]
    assert seen["b"] == ["other"]
    assert seen["f(ä)"] == ["tensor float64 cpu"]


PROGRAMS: Final = """\
from __future__ import annotations
def f(x: no.such = 1) -> nothing: return x
a: no.such = 1
print(f.__annotations__, f(2), __annotations__)
---
class A:
    def __init__(self): self.__x = 1
    def x(self): return self.__x
class B(A):
    def x(self): return super().x() + 1
print(B().x(), vars(B()))
---
def f(a, *b, c=1, **d):
    'doc'
    e = a
    return sorted(locals())
print(f(1), f.__doc__)
---
def g():
    x = yield 1
    print((yield x))
for one in g(): print(one)
---
print([(a, b) for a in range(3) if a for b in [a * 2]], {k: v for k, v in {1: 2}.items()})
---
import string
for one in ('', 1, {}):
    match one:
        case string.whitespace | str(): print('text')
        case int(real=1) as n if n < 2: print(n)
        case _: print('other')
match {'a': [1, 2, 3], 'b': 4}:
    case {'a': [x, *y], **z} if len(y) == 2: print(x, y, z)
---
print((n := 3) + n, f'{n=} {n * 2!r:>4}', (lambda q: q + n)(1))
---
a = b = [1, 2]
a[0] += 5
(c, [d, *e]) = 1, [2, 3, 4]
del a[0], c
print(a, d, e)
try: c
except NameError as error: print(error)
---
with open('/dev/null') as f, open('/dev/null') as g: print(f.name, g.name)
---
import asyncio
async def f():
    async def g():
        yield 1
    return [x async for x in g()]
print(asyncio.run(f()))
---
import dataclasses
@dataclasses.dataclass
class C:
    x: int = 1
    y: 'list[int]' = dataclasses.field(default_factory=list)
print(C(), C(2) == C(2))
---
def f():
    global g
    g = 3
    def h():
        nonlocal k
        k += 1
        return k
    k = 1
    return h()
print(f(), g)
"""


@pytest.mark.parametrize("text", PROGRAMS.split("---\n"))
def test_a_program_does_what_it_did(table: Table, text: str) -> None:
    with contextlib.redirect_stdout(io.StringIO()) as plain:
        exec(compile(text, "program.py", "exec", dont_inherit=True), {"__name__": __name__})
    printed, _ = ran(table, text)
    assert printed == plain.getvalue()


def test_what_is_compiled_is_compiled_as_a_whole(table: Table) -> None:
    text = "def f(x):\n    y = x * 2\n    return y.sum() + x[0]\n"
    _, names = ran(table, text)
    compiled = torch.compile(names["f"], backend="eager", fullgraph=True)
    assert compiled(torch.ones(3)).item() == 7.0


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_shape_is_not_traced(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    _, names = ran(table, "def f(x):\n    return x * 2\n")
    traced = torch.jit.trace(names["f"], torch.ones(3), check_trace=False)
    assert "aten::size" not in str(traced.graph)
    monkeypatch.setattr(torch._C, "_get_tracing_state", lambda: traced)
    names["f"](torch.ones(3, dtype=torch.int64))
    text, first, watched = table.files["program.py"]
    assert part_of(text, watched[1]) == "x * 2"
    shapes = {fact[2]: list(shapes) for fact, shapes in table.facts(first + 1).items()}
    assert shapes == {"float32": [], "int64": []}


def test_so_many_facts_and_no_more(table: Table) -> None:
    ran(table, "import torch\nfor i in range(20):\n    x = torch.ones(i)\n")
    _, first, watched = table.files["program.py"]
    made = next(n for n, one in enumerate(watched, first) if one.line == 3 and one.column == 9)
    ((fact, shapes),) = table.facts(made).items()
    assert fact == ("tensor", "torch.Tensor", "float32", "cpu")
    assert len(shapes) == MOST


def test_what_a_value_does_is_not_asked(table: Table) -> None:
    """No code of the program runs because somebody looks."""
    text = (
        "import torch\n"
        "class Net(torch.nn.Linear):\n"
        "    def parameters(self, recurse=True): raise RuntimeError\n"
        "class Own:\n"
        "    @property\n"
        "    def device(self): raise RuntimeError\n"
        "    def __eq__(self, other): raise RuntimeError\n"
        "net, own = Net(2, 2), Own()\n"
        "print(type(net).__name__)\n"
    )
    printed, _ = ran(table, text)
    assert printed == "Net\n"
    assert told(table)["Net(2, 2)"] == ["module float32 cpu"]
