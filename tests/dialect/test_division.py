"""``/`` of integers becomes ``//``; what is no integer division stays, the rest is said."""

from __future__ import annotations

import pytest

from devicefix.dialect import Surroundings, convert
from devicefix.source import Source

INTEGERS = {
    "literals": "print 7 / 2",
    "a length": "print len(x) / 2",
    "a position": "import numpy as np\nprint x.argmax() / 4, np.argmin(x) / 2",
    "sizes of tensors": "print x.size(0) / x.dim()",
    "a size that was kept": "s = x.size()\nprint s[1] / 2",
    "sizes that were unpacked": "b, c = x.size()\nprint b / c",
    "a shape": "print x.shape[-1] / 2",
    "a part of a shape": "h, w = x.shape[:2]\nprint h / w",
    "a loop variable": "for i in xrange(9):\n    print i / 2",
    "a number from enumerate": "for i, y in enumerate(x):\n    print i / 2",
    "one of zip": "for i, y in zip(range(3), x):\n    print i / 2",
    "a name that only ever holds integers": "n = 3\nn += 1\nn = n * 2\nprint n / 2",
    "int()": "print int(x) / 2",
    "sums and products": "print (len(x) * 2 + 1) / 4",
    "an attribute": "class A:\n  def f(self):\n    self.n = 3\n    print self.n / 2",
    "a constant of the class": "class A:\n  n = 3\n  def f(self):\n    print self.n / 2",
    "an option": (
        "import argparse\np = argparse.ArgumentParser()\n"
        "p.add_argument('--batch-size', type=int, default=4)\n"
        "args = p.parse_args()\nprint args.batch_size / 2"
    ),
    "a function of this file": "def f():\n    return len(x)\nprint f() / 2",
    "reduce": "print reduce(lambda a, b: a + len(b), x, 0L) / 2",
    "reduce from the first": "print reduce(lambda a, b: a * b, [2, len(x)]) / 2",
    "reduce of integers": "print reduce(lambda a, b: a * b, x.size(), 1) / 2",
    "a conditional expression": "print (1 if x else 2) / 2",
    "an argument of range()": "def f(n):\n    for i in xrange(n / 2 + 1): pass",
    "a slice": "def f(n):\n    return x[:-n / 2]",
    "a size": "def f(n):\n    return x.view(n, x.size(0) / n)",
    "a shape of an array": "import numpy as np\ndef f(n):\n    return np.zeros((n / 2, n))",
    "a list that is repeated": "def f(n):\n    return [0] * (n / 2)",
    "a width of a layer": "import torch.nn as nn\ndef f(n):\n    return nn.Linear(n, 2 * n / 3)",
    "a padding": (
        "from torch.nn import Conv2d\ndef f(k):\n    return Conv2d(3, 3, k, padding=(k - 1) / 2)"
    ),
    "what a comparison counts": "n = 0\nn += (x.data.max(1)[1] == y).cpu().sum()\nprint n / 3",
    "what a comparison counts, called": "n = x.eq(y.data).sum()\nprint n / 2",
    "an element of a list": "s = [1]\ns.append(len(x))\nprint s[0] / 2",
    "an element of a list that a library shuffles": (
        "import numpy as np\ns = range(9)\nnp.random.shuffle(s)\nprint s[0] / 2"
    ),
    "an item of an element": "s = [(1, 2.5), (3, 4.5)]\nprint s[len(x)][0] / 2",
    "an item of an element that is made in a loop": (
        "import random\ns = [(random.randint(0, 7), x) for _ in x]\nprint s[x.k][0] / 4"
    ),
    "items of a loop variable": "s = [(1, 2), (3, 4)]\nfor b in s:\n    print b[1] / 2",
    "items of what a function gives": (
        "def f(k):\n    return len(x), k\nfor r, c in [f(k) for k in x]:\n    print r / 2"
    ),
    "what map gives": "s = map(lambda w: len(w.split()), x)\nprint sum(s) / len(s)",
    "what map makes of a text": "s = map(int, x.split())\nprint s[0] / 2",
    "what filter leaves": "s = filter(None, [1, 2])\nprint s[0] / 2",
    "what a tensor is made of": (
        "import torch\ns = []\ns.append(len(x))\nprint torch.FloatTensor(s)\nprint sum(s) / len(s)"
    ),
    "in place": "n = 3\nn /= 2\nprint n",
    "parentheses and comments": "print (len(x)  # all\n  ) / (  # by\n  2)",
}
FLOATS = {
    "a float literal": "print x / 2.",
    "float()": "print float(x) / y",
    "a product with a float": "print 100. * x / y",
    "a mean": "print x.mean() / 2",
    "time": "import time\nprint time.time() / 2",
    "a name that holds a float": "n = 1.5\nprint n / 2",
    "a float that something was added to": "n = 0.\nn += x\nprint n / 2",
    "an option": (
        "import argparse\np = argparse.ArgumentParser()\n"
        "p.add_argument('--rate', type=float, default=0.1)\n"
        "args = p.parse_args()\nprint args.rate / 2"
    ),
}
UNKNOWN = {
    "a sum": "print x.sum() / 2",
    "a sum along a dimension": "print (x == y).sum(0) / 2",
    "a parameter": "def f(n):\n    print n / 2",
    "a parameter with an integer for default": "def f(n=3):\n    print n / 2",
    "a name that also holds a float": "n = 3\nif x:\n    n = 1.5\nprint n / 2",
    "an attribute that others set": (
        "class A:\n  n = 3\n  def f(self):\n    print self.n / 2\nA.n = x"
    ),
    "an option that is changed": (
        "import argparse\np = argparse.ArgumentParser()\n"
        "p.add_argument('--n', type=int, default=4)\n"
        "args = p.parse_args()\nargs.n = x\nprint args.n / 2"
    ),
    "an option whose default is no integer": (
        "import argparse\np = argparse.ArgumentParser()\n"
        "p.add_argument('--n', type=int, default=.5)\n"
        "args = p.parse_args()\nprint args.n / 2"
    ),
    "an element of a list that grows": "s = [1]\ns.append(x)\nprint s[0] / 2",
    "a shape of its own": "class A:\n  def f(self):\n    self.shape = x\n    print x.shape[0] / 2",
    "an element that is exchanged": "s = [1]\ns[0] = x\nprint s[0] / 2",
    "an item that is exchanged": "s = [[1, 2]]\ns[0][1] = x\nprint s[0][0] / 2",
    "an item that is exchanged elsewhere": (
        "s = [[1, 2]]\nfor r in s:\n    r[0] = x\nfor r in s:\n    print r[0] / 2"
    ),
    "an item of a list that a function gives": (
        "def f():\n    return [1, 2]\ns = [f()]\nprint s[0][0] / 2"
    ),
    "elements of two kinds": "s = [1, 2.5]\nprint s[len(x)] / 2",
    "what map makes that is not known": "s = map(lambda w: w, x)\nprint sum(s) / len(s)",
    "reduce of what is not known": "print reduce(lambda a, b: a + b, x, 0) / 2",
    "a key": "def f(n):\n    return x[n / 2]",
    "a number that becomes an integer": "def f(n):\n    return range(int(n / 2))",
    "a probability": "import torch.nn as nn\ndef f(n):\n    return nn.Dropout(n / 2)",
    "data": "import torch\ndef f(n):\n    return torch.FloatTensor([n / 2])",
    "a label": "def f(n):\n    return x.loc[n / 2:]",
    "a layer of its own": "class Linear: pass\ndef f(n):\n    return Linear(n / 2)",
    "a power that may be a fraction": "print 2 ** len(x) / y",
    "len of its own": "def len(x):\n    return x\nprint len(x) / 2",
    "a size() of its own": "class A:\n  def size(self, i):\n    pass\nprint x.size(0) / 2",
}


def divided(text: str) -> tuple[str, int]:
    source = Source.from_text(text + "\nprint x\n")
    found = convert(source, Surroundings())
    return source.apply(found.edits), len(found.notes)


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_are_divided_by_two_slashes(name: str) -> None:
    text, notes = divided(INTEGERS[name])
    assert "//" in text
    assert notes == 0


@pytest.mark.parametrize("name", FLOATS)
def test_floats_stay(name: str) -> None:
    text, notes = divided(FLOATS[name])
    assert "//" not in text
    assert notes == 0


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_not_known_is_said_once(name: str) -> None:
    text, notes = divided(UNKNOWN[name])
    assert "//" not in text
    assert notes == 1


def test_methods_of_the_program_are_not_those_of_tensors() -> None:
    source = Source.from_text("print x.size(0) / 2\n")
    found = convert(source, Surroundings(own_methods=frozenset({"size"})))
    assert "//" not in source.apply(found.edits)
    assert len(found.notes) == 1


@pytest.mark.parametrize("name", [*INTEGERS, *UNKNOWN])
def test_true_division_was_asked_for(name: str) -> None:
    text = {**UNKNOWN, **INTEGERS}[name]
    new, notes = divided("from __future__ import division\n" + text)
    assert "//" not in new
    assert notes == 0


def test_lists_that_are_made_of_each_other_are_not_followed_for_ever() -> None:
    new, notes = divided("def f():\n    a = list(b)\n    print a[0] / x\nb = list(a)\na = list(b)")
    assert "//" not in new
    assert notes == 1
