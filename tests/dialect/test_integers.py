"""What is an integer because of where it goes, or of what all calls pass."""

from __future__ import annotations

import pytest

from devicefix.dialect import Surroundings, convert, leftovers
from devicefix.source import Source

NEEDED = {
    "a bound of a slice": "print x[:n / 2]",
    "one of several indices beside a slice": "x[i, n / 2, :] = 1",
    "range": "for i in range(n / 2):\n    print i",
    "the size of a tensor": "import torch\nprint torch.zeros(n / 2, 3)",
    "the only size of a tensor": "import torch\nprint torch.zeros(n / 2)",
    "sizes in a tuple": "import numpy as np\nprint np.zeros((n / 2, 3))",
    "a layer": "import torch.nn as nn\nprint nn.Linear(3, n / 2)",
    "the sizes of a tensor of one type": "import torch\nprint torch.cuda.FloatTensor(n / 2, 3)",
    "the size of a random array": "import numpy as np\nprint np.random.rand(n / 2)",
    "a view": "print x.view(n / 2, -1)",
    "repeating a list": "print [0] * (n / 2)",
    "in a sum": "print x[1 + n / 2:]",
    "by way of a name": "half = n / 2\nprint x[:half]",
    "by way of two names": "half = n / 2\nmore = half + 1\nprint x.narrow(0, 0, more)",
    "an attribute": (
        "import torch.nn as nn\nclass A:\n  def __init__(self, n, k):\n"
        "    self.half, self.k = n / 2, k\n    self.out = nn.Linear(3, self.half * k)"
    ),
    "one of the values that names are given": "half, y = n / 2, 3\nprint x[:half]",
    "a parameter that is a bound elsewhere": "def f(n):\n    print n / 2\n    return x[:n]",
}
NOT_NEEDED = {
    "the values of a sparse tensor": (
        "import torch as th\nv = n / 2\nprint th.sparse.DoubleTensor(i, v, size)"
    ),
    "what is initialised": "import torch.nn as nn\nprint nn.init.ones(n / 2)",
    "a key": "print x[n / 2]",
    "what is made an integer": "print x[:int(n / 2)]",
    "a parameter of a layer that is no size": (
        "import torch.nn as nn\nprint nn.BatchNorm1d(3, n / 2)"
    ),
    "data": "import torch\nprint torch.FloatTensor([n / 2, 3])",
    "data that are computed": "import torch\nprint torch.FloatTensor((x.reshape(3) + 1) / 2)",
    "a name that holds something else, too": "half = n / 2\nif x:\n    half = 3\nprint x[:half]",
    "an attribute that is set elsewhere, too": (
        "class A:\n  def f(self, n):\n    self.half = n / 2\n    return x[:self.half]\n"
        "  def g(self):\n    self.half = 3"
    ),
    "one that is taken from others": "half, y = n / 2\nprint x[:half]",
    "the other of two values": "y, half = n / 2, 3\nprint x[:half]",
    "values that are not told apart": "half, y = n / 2, y\n[half, y] = x\nprint x[:half]",
    "a method of another object": "print x.set(n / 2)",
    "another range": "def range(n):\n    return n\nprint range(n / 2)",
}
PASSED = {
    "a function": "def f(n):\n    print n / 2\nf(3)\nf(n=len(x))",
    "a default": "def f(n=4):\n    print n / 2\nf()\nf(6)",
    "a loop variable": "def f(n):\n    print n / 2\nfor i in range(3):\n    f(i)",
    "a method": "class A:\n  def f(self, n):\n    print n / 2\nA().f(3)",
    "a constructor": (
        "class A:\n  def __init__(self, n=4):\n    self.n = n\n  def f(self):\n"
        "    print self.n / 2\nA(3).f()"
    ),
    "a list that is appended to while counting": (
        "from itertools import count\nd = []\nfor t in count():\n    d.append(t + 1)\n"
        "print sum(d) / len(d)"
    ),
    "a list that is appended to": "d = []\nd.append(len(x))\nprint sum(d) / len(d)",
}
LOCAL = {
    "a function inside": "def g():\n  def f(n):\n    print n / 2\n  for i in xrange(3):\n    f(i)",
    "a function inside of a method": (
        "class A:\n  def g(self):\n    def f(n, m=4):\n      return n / m\n"
        "    return f(3), f(len(x), 2)"
    ),
    "a function that calls itself": (
        "def g():\n  def f(n):\n    return f(n / 2) if n else 0\n  return f(16)"
    ),
}
NOT_LOCAL = {
    "a function that is given back": "def g():\n  def f(n):\n    print n / 2\n  f(3)\n  return f",
    "a float": "def g():\n  def f(n):\n    print n / 2\n  f(3)\n  f(x)",
    "a global function": "def g():\n  global f\n  def f(n):\n    print n / 2\n  f(3)",
    "a method of a class inside": (
        "def g():\n  class A:\n    def f(self, n):\n      print n / 2\n  A().f(3)\n  return A"
    ),
}
NOT_PASSED = {
    "a float at one call": "def f(n):\n    print n / 2\nf(3)\nf(3.)",
    "a function that nobody calls": "def f(n):\n    print n / 2",
    "a function that is handed on": "def f(n):\n    print n / 2\nf(3)\nprint map(f, x)",
    "arguments in a tuple": "def f(n):\n    print n / 2\nf(3)\nf(*x)",
    "a decorated function": "@x\ndef f(n):\n    print n / 2\nf(3)",
    "a function that there are two of": (
        "def f(n):\n    print n / 2\nif x:\n  def f(n):\n    pass\nf(3)"
    ),
    "a method that another class has, too": (
        "class A:\n  def f(self, n):\n    print n / 2\n"
        "class B:\n  def f(self, n):\n    pass\nA().f(3)"
    ),
    "a method that a library may call": (
        "from x import Base\nclass A(Base):\n  def f(self, n):\n    print n / 2\nA().f(3)"
    ),
    "forward": (
        "import torch.nn as nn\nclass A(nn.Module):\n  def forward(self, n):\n    print n / 2\n"
        "A().forward(3)"
    ),
    "the constructor of a base class": (
        "class A:\n  def __init__(self, n):\n    self.n = n / 2\nclass B(A):\n  pass\nA(3)\nB(x)"
    ),
    "a list that others fill": "d = []\nx.fill(d)\nd.append(1)\nprint sum(d) / len(d)",
    "a list that grows in another way": "d = [1]\nd.extend(x)\nprint sum(d) / len(d)",
}


def converted(text: str, is_imported: bool = True) -> tuple[str, int]:
    source = Source.from_text(text + "\nprint x\n")
    found = convert(source, Surroundings(is_imported=is_imported))
    return source.apply(found.edits), len(found.notes)


@pytest.mark.parametrize("name", NEEDED)
def test_what_has_to_be_an_integer_is_one(name: str) -> None:
    text, notes = converted(NEEDED[name])
    assert "n // 2" in text
    assert notes == 0


@pytest.mark.parametrize("name", NOT_NEEDED)
def test_where_a_float_will_do_nothing_is_known(name: str) -> None:
    text, notes = converted(NOT_NEEDED[name])
    assert "//" not in text
    assert notes == 1


@pytest.mark.parametrize("name", PASSED)
def test_all_calls_pass_integers(name: str) -> None:
    text, notes = converted(PASSED[name], is_imported=False)
    assert "//" in text
    assert notes == 0


@pytest.mark.parametrize("name", PASSED)
def test_others_may_call_what_is_imported(name: str) -> None:
    if "list" not in name:
        assert "//" not in converted(PASSED[name])[0]


@pytest.mark.parametrize("name", LOCAL)
def test_nobody_else_calls_a_function_inside_of_another(name: str) -> None:
    text, notes = converted(LOCAL[name])
    assert "//" in text
    assert notes == 0


@pytest.mark.parametrize("name", NOT_LOCAL)
def test_a_function_inside_of_another_may_get_out(name: str) -> None:
    text, notes = converted(NOT_LOCAL[name])
    assert "//" not in text
    assert notes == 1


@pytest.mark.parametrize("name", NOT_PASSED)
def test_a_call_that_is_not_seen_may_pass_anything(name: str) -> None:
    text, notes = converted(NOT_PASSED[name], is_imported=False)
    assert "//" not in text
    assert notes == 1


def leftover(text: str) -> tuple[str, int]:
    source = Source.from_text(text)
    draft = leftovers(source, Surroundings(is_imported=False))
    return draft.finished().text, len(draft.notes)


BOTH = "side = 6\nprint(x[:side / 2])\nprint(100 * side / len(x))\n"


def test_a_file_that_both_can_read_is_python_2_if_it_fails_on_python_3() -> None:
    text, notes = leftover(BOTH)
    assert text == BOTH.replace("/", "//")
    assert notes == 0


@pytest.mark.parametrize(
    "sign", ["print(f'{side}')", "def f(a: int): pass", "print(1, end='')", "super().f()"]
)
def test_what_only_python_3_can_read_is_mended_where_it_fails(sign: str) -> None:
    text, notes = leftover(BOTH + sign + "\n")
    assert text == BOTH.replace("side / 2", "side // 2") + sign + "\n"
    assert notes == 0


@pytest.mark.parametrize(
    "text", [BOTH.replace("[:side / 2]", ""), "from __future__ import division\n" + BOTH]
)
def test_a_file_that_runs_on_python_3_stays(text: str) -> None:
    assert leftover(text) == (text, 0)
