"""Single lines: what becomes of them, and of what is around them."""

from __future__ import annotations

import random
import re

import pytest

from devicefix.dialect import Surroundings, convert
from devicefix.dialect.difference import Offsets, difference
from devicefix.source import Source, SourceError

OLD = "print 'old'\n"
"""Makes a text one of Python 2."""

CHANGED = {
    "for k in d.keys():\n    del d[k]": "for k in list(d.keys()):\n    del d[k]",
    "for k, v in d.items():\n    d[k + 1] = v": "for k, v in list(d.items()):\n    d[k + 1] = v",
    "for v in d.values():\n    d[v] = v": "for v in list(d.values()):\n    d[v] = v",
    "for k in d.keys(): k = d[k] = 0": "for k in list(d.keys()): k = d[k] = 0",
    "for k in d.keys(): d[k] = 0": "for k in d.keys(): d[k] = 0",
    "for k, v in d.iteritems(): d[k] = v + 1": "for k, v in d.items(): d[k] = v + 1",
    "x = d.keys()": "x = list(d.keys())",
    "f(map(g, x))": "f(list(map(g, x)))",
    "map(g, x)": "list(map(g, x))",
    "x = range(3)": "x = list(range(3))",
    "if zip(a, b): pass": "if list(zip(a, b)): pass",
    "x = filter(g, 'ab')": "x = ''.join(filter(g, 'ab'))".replace("''", '""'),
    "x = d.iteritems()": "x = iter(d.items())",
    "it = (i for i in x)\nit.next()": "it = (i for i in x)\nnext(it)",
    "x = (a or b).next()": "x = next((a or b))",
    "a.b.next().c()": "next(a.b).c()",
    "d.iteritems().next()": "next(iter(d.items()))",
    "for x in y: z = x.next()": "for x in y: z = next(x)",
    "def f(x):\n    y = x.next()\n    return y": "def f(x):\n    y = next(x)\n    return y",
    "def f(x):\n    try: y = x.next()\n    except StopIteration: return\n    yield y": (
        "def f(x):\n    try: y = next(x)\n    except StopIteration: return\n    yield y"
    ),
    "for i, k in enumerate(d.keys()): d.pop(k)": "for i, k in enumerate(list(d.keys())): d.pop(k)",
    "f = lambda (x, y), z: x.y + y(x=1)": "f = lambda x_y, z: x_y[0].y + x_y[1](x=1)",
    "def f():\n    yield 1\n    raise StopIteration": "def f():\n    yield 1\n    return",
    "import time\nt = time.clock()": "import time\nt = time.process_time()",
    "y = not d.has_key(k)": "y = k not in d",
    "y = d.has_key(k) == z": "y = (k in d) == z",
    "y = d.has_key(a or b)": "y = (a or b) in d",
    "import cPickle as pickle": "import pickle",
    "import os, Queue as q": "import os, queue as q",
    "import cPickle\ncPickle.dump(x, open(f, 'w'))": "import pickle\npickle.dump(x, open(f, 'wb'))",
    "import pickle\nwith open(f) as g:\n    x = pickle.load(g)": (
        'import pickle\nwith open(f, "rb") as g:\n    x = pickle.load(g, encoding="latin1")'
    ),
    "import torch\nx = torch.load(open(f), map_location=y)": (
        'import torch\nx = torch.load(open(f, "rb"), map_location=y)'
    ),
    "import torch\nwith open(f, 'w') as g:\n    torch.save(x, g)": (
        "import torch\nwith open(f, 'wb') as g:\n    torch.save(x, g)"
    ),
    "from urllib import quote, request as r": (
        "from urllib.parse import quote\nfrom urllib import request as r"
    ),
    "import urllib2\nurllib2.urlopen(u)": "import urllib.request\nurllib.request.urlopen(u)",
    "from urllib import quote, urlopen": (
        "from urllib.parse import quote\nfrom urllib.request import urlopen"
    ),
    "from itertools import izip\nfor a in izip(b, c): pass": "for a in zip(b, c): pass",
    "from itertools import izip, chain": "from itertools import chain",
    "import sys\nreload(sys)\nsys.setdefaultencoding('utf8')": "import sys",
    "def f((a, b)):\n    return a": "def f(packed):\n    (a, b) = packed\n    return a",
    "import string\nx = string.join(y)": "import string\nx = ' '.join(y)",
    "import string\nx = string.join([string.upper(c) for c in y], sep)": (
        "import string\nx = sep.join([c.upper() for c in y])"
    ),
    "import string\nx = string.split(a + b, ',')": "import string\nx = (a + b).split(',')",
    "import string\nx = string.lower(\n    y\n    .z)": "import string\nx = (y\n    .z).lower()",
    "import string\nx = y(string.strip)": "import string\nx = y(str.strip)",
    "from string import atoi, lower, digits\nx = atoi(lower(y), 8), digits": (
        "from string import digits\nx = int(y.lower(), 8), digits"
    ),
    "x = y.translate(None, f(map(g, z)))": (
        'x = y.translate(str.maketrans("", "", f(list(map(g, z)))))'
    ),
    "import string\nx = y.translate(string.maketrans('a', 'b'), 'c')": (
        "import string\nx = y.translate(str.maketrans('a', 'b', 'c'))"
    ),
    "import string\nt = string.maketrans('a', 'b')\nx = y.translate(t, 'c'), y.translate(t)": (
        "import string\nt = str.maketrans('a', 'b')\n"
        'x = y.translate({**t, **str.maketrans("", "", \'c\')}), y.translate(t)'
    ),
    "x = [filter(f, w) for w in y.split()]": 'x = ["".join(filter(f, w)) for w in y.split()]',
    "x = [filter(f, w) for w in y.split(2)]": "x = [list(filter(f, w)) for w in y.split(2)]",
    "try:\n    f()\nexcept (ValueError, KeyError), e:\n    g(e.message.split())": (
        "try:\n    f()\nexcept (ValueError, KeyError) as e:\n    g(str(e).split())"
    ),
    "try:\n    f()\nexcept Exception, e:\n    print e.message, e[0]": (
        "try:\n    f()\nexcept Exception as e:\n    print(str(e), e.args[0])"
    ),
    "try:\n    for i in xrange(3): f(i)\nexcept:\n    y = xrange(3)": (
        "try:\n    for i in range(3): f(i)\nexcept:\n    y = range(3)"
    ),
    "try:\n    y = raw_input()\nexcept Exception:\n    pass": (
        "try:\n    y = input()\nexcept Exception:\n    pass"
    ),
    "import traceback\ntry:\n    f()\nexcept Exception as e:\n    traceback.print_exc(e)": (
        "import traceback\ntry:\n    f()\nexcept Exception as e:\n    traceback.print_exc()"
    ),
    "import collections\nx = isinstance(y, collections.Mapping)": (
        "import collections.abc\nx = isinstance(y, collections.abc.Mapping)"
    ),
    "from collections import deque, Iterable": (
        "from collections import deque\nfrom collections.abc import Iterable"
    ),
    "class A:\n    def __nonzero__(self): pass": "class A:\n    def __bool__(self): pass",
    "class A(B):\n    __metaclass__ = M\n    x = 1": "class A(B, metaclass=M):\n    x = 1",
    "class A:\n  def __iter__(self): return self\n  def next(self): pass": (
        "class A:\n  def __iter__(self): return self\n  def next(self): pass\n\n  __next__ = next"
    ),
    "print a,": "print(a, end=' ')",
    "print(a),": "print(a, end=' ')",
    "print(a % b),": "print(a % b, end=' ')",
    "print(a, b),": "print((a, b), end=' ')",
    "print 'a\\n',": "print('a\\n', end='')",
    "print >>f, a": "print(a, file=f)",
    "print >>f, \\\n  'a %s' % \\\n  a": "print('a %s' % a, file=f)",
    "print >>f, 'a\\\nb' \\\n 'c'": "print('a\\\nb' 'c', file=f)",
    f"print '{'a' * 90}' % \\\n  a": f"print('{'a' * 90}' %\n  a)",
    "print (a, b)": "print((a, b))",
    "exec a in b": "exec(a, b)",
    "raise E, 'x'": "raise E('x')",
    "s = 'C:\\users'": "s = 'C:\\\\users'",
    "s = ur'\\d'": "s = r'\\d'",
    "s = 0777L": "s = 0o777",
    "if x:\n        y\n\tz": "if x:\n        y\n        z",
    "if x:\n\ty\n        z\n\tw": "if x:\n\ty\n\tz\n\tw",
}
UNCHANGED = [
    "for k in d.keys(): pass",
    "class A:\n    def __next__(self):\n        raise StopIteration",
    "f = lambda x, y: x",
    "x = [k for k in d.items()]",
    "x = sorted(d.keys()), max(map(len, y)), ','.join(map(str, y))",
    "a, b = map(int, y)",
    "import torch\nx = torch.optim.SGD(filter(f, y), 1)",
    "from torch import optim as o\nx = o.Adam(filter(f, y))",
    "f(*zip(*y))",
    "x = k in d.values()",
    "n = len(d.keys())",
    "x = range(3)[1]",
    "x[range(3), y] = z[range(4)]",
    "def zip(a): pass\nx = zip(a)",
    "try:\n    import cPickle as pickle\nexcept ImportError:\n    import pickle",
    "import sys\nif sys.version_info[0] > 2:\n    xrange = range\nx = xrange(3)",
    "s = u'\\u1234', b'\\u1234'",
    "print (a)",
    "x.sort(1)",
    "x = y.message",
    "try:\n    text = unicode\nexcept:\n    text = str",
    "import traceback\ntraceback.print_exc(3)",
    "try:\n    from collections import Set\nexcept ImportError:\n    Set = set",
    "class string: pass\nx = string.join(y)",
    "from urllib import error, parse, request as r",
    "import torch\nx = torch.load(f), torch.load(open(f, 'rb')), y.load(open(f))",
    "try:\n    import string\n    x = string.join(y)\nexcept AttributeError:\n    x = ' '.join(y)",
    "s = '''\n\ta\n        b'''",
]
NOTED = {
    "x = [i for i in y]\nprint i": "`i` is still bound after a list comprehension",
    "try:\n    f()\nexcept E as e:\n    pass\nprint e": "Python 3 deletes `e`",
    "x = round(y)": "round",
    "x = y.decode('utf8')": "is a method of bytes",
    "def f():\n    exec 'a = 1'\n    return a": "cannot assign local variables",
    "class A:\n    def __cmp__(self, o): pass": "never calls __cmp__",
    "class A(B):\n    def __eq__(self, o): pass": "no hash",
    "bar.next()": "no method next()",
    "def f(x):\n    y = x.next()\n    yield y": "ends the generator",
    "def f(x):\n    try: y = x.next()\n    except IOError: y = 1\n    yield y": "ends the gen",
    "try:\n    f()\nexcept IOError as e:\n    g(e.message)": "have no `message`",
    "try:\n    f()\nexcept E as e:\n    g(e.message)": "have no `message`",
    "class E(Exception): pass\ntry: f()\nexcept E as e: e[0]": "cannot be indexed",
    "x = buffer(y)": "`buffer` was removed",
    "import string\nx = string.join(y, a + b)": "string.join was removed",
    "from string import zfill\nx = zfill(y, 3)": "string.zfill was removed",
    "y = b''\nx = y.translate(None, z)": "takes only a table",
    "def f(w):\n    return filter(str.isalpha, w)": "filter() of a str",
    "import pickle\ng = open(f)\nx = pickle.load(g)\ng.read()": "pickles are bytes",
}


def converted(text: str, around: Surroundings | None = None) -> tuple[str, list[str]]:
    source = Source.from_text(OLD + text)
    found = convert(source, around or Surroundings())
    new = source.apply(found.edits).replace("print('old')\n", "", 1)
    return new, [note.message for note in found.notes]


@pytest.mark.parametrize("text", CHANGED)
def test_a_line_of_python_2_is_said_in_python_3(text: str) -> None:
    assert converted(text)[0].rstrip("\n") == CHANGED[text]


@pytest.mark.parametrize("text", UNCHANGED)
def test_what_both_read_alike_stays(text: str) -> None:
    assert converted(text) == (text, [])


@pytest.mark.parametrize("text", NOTED)
def test_what_cannot_be_decided_is_said(text: str) -> None:
    _, notes = converted(text)
    assert [n for n in notes if NOTED[text] in n], notes


def test_a_method_of_the_program_is_not_an_iterators() -> None:
    around = Surroundings(own_next=True, own_methods=frozenset({"next", "iteritems", "has_key"}))
    for text in ("y = x.next()", "y = x.iteritems()", "y = x.has_key(1)"):
        new, notes = converted(text, around)
        assert new == text
        assert "a class of this program does" in notes[0]
    assert converted("iter(x).next()", around) == ("next(iter(x))", [])


def test_imports_of_what_lies_beside() -> None:
    around = Surroundings(frozenset({"data", "Queue"}), frozenset({"data"}))
    text = "import data\nimport os, data as d\nfrom data import x\nimport Queue"
    new, _ = converted(text, around)
    assert new == (
        "from . import data\nimport os\nfrom . import data as d\nfrom .data import x\nimport Queue"
    )


def test_comments_and_form_feeds_stay() -> None:
    text = "# one\nprint 'a'  # two\n\f\nclass A:  # three\n    pass\n# end"
    assert converted(text)[0] == text.replace("print 'a'", "print('a')")


@pytest.mark.parametrize("text", ["print(1\n", "x = = 1\n", "if x:\n        y\n    z\n"])
def test_what_python_2_cannot_read_either_is_an_error(text: str) -> None:
    with pytest.raises(SourceError):
        convert(Source.from_text(text), Surroundings())


def test_differences_lead_from_one_text_to_the_other() -> None:
    words = ["print", " ", "(", ")", "'a'", "x", "\n", "# c\n", "'''\n'''"]
    chance = random.Random(0)
    for _ in range(300):
        old, new = ("".join(chance.choices(words, k=chance.randrange(30))) for _ in range(2))
        edits = difference(old, new)
        assert Source.from_text(old).apply(edits) == new
        places = Offsets(edits)
        assert all(0 <= places.before(at) <= len(old) for at in range(len(new) + 1))


def test_a_note_is_where_the_user_wrote_it() -> None:
    text = "print 'a', 1L\nprint [0, 0777], x / y\n"
    source = Source.from_text(text)
    (note,) = convert(source, Surroundings()).notes
    assert re.fullmatch("x / y", text[note.span.start : note.span.end])
