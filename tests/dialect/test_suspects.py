"""A file that is not searched for Python 2 has nothing of it: the quick look misses no kind."""

from __future__ import annotations

import pytest

from devicefix.dialect import Surroundings, leftovers, may_be_old
from devicefix.source import Source

OLD = [
    "for i in xrange(3): pass",
    "d = {}\nd.iteritems()",
    "d = {}\nd.has_key(1)",
    "import sys\nsys.maxint",
    "import collections\nclass A(collections.Mapping): pass",
    "import types\ntypes.NoneType",
    "import itertools\nitertools.izip(a, b)",
    "import cPickle",
    "import urllib2",
    "import string\nstring.join(words)",
    "from string import maketrans",
    "from itertools import imap",
    "from collections import Iterable",
    "from Queue import Queue",
    "import sys\nprint >>sys.stderr, 1",
    "print >>f, 1",
    "xs.sort(cmp=f)",
    "xs.sort(lambda a, b: a - b)",
    "sorted(xs, f)",
    "cmp(a, b)",
    "execfile('a.py')",
    "x[:len(x) / 2]",
    "x[0, len(x) / 2:]",
    "for i in range(len(x) / 2): pass",
    "n = len(x) / 2\ny = x[n:]",
    "n = m = len(x) / 2\nk = max(n, 3)\ny = [0] * k",
    "import torch\ntorch.zeros((len(x) / 2, 3))",
    "import torch\nx = x.view(-1, len(y) / 2)",
    "from torch import nn\nnn.Linear(len(x) / 2, 3)",
    "from torch import nn\nnn.Conv2d(3, 3, 3, padding=len(x) / 2)",
    "def f(x, n=len(y)):\n    m = -(len(x) / 2)\n    return x[m:]",
]
NEW = [
    "import collections.abc, urllib.parse, string_ops\nx = [1]\nx.sort()\nsorted(x, key=f)",
    "x = a / b\ny = x.view(2, 3)[:4]\nlog(x / 2)",
    "x.long().file.apply(f)\nprint(x)\ninput()",
    "n = len(x) / 2.0\ny = x[n:]",
]


@pytest.mark.parametrize("text", OLD)
def test_what_is_found_was_suspected(text: str) -> None:
    source = Source.from_text(text + "\n")
    draft = leftovers(source, Surroundings())
    assert draft.changes or draft.notes
    assert may_be_old(source)


@pytest.mark.parametrize("text", NEW)
def test_what_is_of_python_3_is_not(text: str) -> None:
    assert not may_be_old(Source.from_text(text + "\n"))


def test_pickles_of_a_file_for_both_pythons_stay() -> None:
    text = "import pickle\nx = pickle.load(f)\nfor k in d.iteritems(): pass\n"
    both = "try:\n    import cPickle as pickle\nexcept ImportError:\n    " + text
    for program, changed in ((text, True), (both, False)):
        source = Source.from_text(program)
        draft = leftovers(source, Surroundings())
        assert any("pickle" in change.what for change in draft.changes) is changed
