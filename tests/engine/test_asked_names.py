"""What is kept of a program counts as long as its neighbours say the same of what it has asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devicefix.engine import Report, check, programs
from devicefix.settings import Settings

Tree = Callable[[dict[str, str]], Path]

TRAIN = """
import torch
from helper import *
from helper import make, Base, CONFIG
import helper

class Net(Base):
    def forward(self, x):
        return self.fc(x) + make(x)

net = Net().cuda()
data = torch.ones(3)
helper.fill(data)
print(net(data), CONFIG["width"], extra(data), helper.lazy(data))
"""
HELPER = '''"""Help."""
import torch
import far
from far import other as _other

width = 3
CONFIG = {}
CONFIG["width"] = width


def _size():
    return 3


def make(x):
    """Some."""
    return x + torch.ones(_size())


def unused(x):
    return x.cuda()


class Base(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 3)


def fill(x):
    x[0] = 1


def extra(x):
    return _other(x)


@torch.no_grad()
def lazy(x):
    global width
    return x * width
'''
FAR = "import torch\n\ndef other(x):\n    return torch.zeros(3) + x\n\ndef more(x):\n    return x\n"


@pytest.fixture
def project(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(programs, "MOST_FILES", 1)  # each reads the others as neighbours
    return tree({"train.py": TRAIN, "helper.py": HELPER, "far.py": FAR})


def told(report: Report) -> tuple[Any, ...]:
    return report.files, report.errors, report.checked


@pytest.mark.parametrize(
    ("old", "new", "concerns_train"),
    [
        ('"""Help."""', '"""Help.\n\nMore of it.\n"""', False),
        ("return x.cuda()", "return x.cpu()", False),
        ("def unused(x):", "def unused(x, y=1):", False),
        ("import far\n", "import far\nimport os\n", True),  # by the star
        ("def unused", "def cuda(x):\n    pass\n\n\ndef unused", True),
        ("def unused", "def print(x):\n    return x.cpu()\n\n\ndef unused", True),
        ("def unused", "def public(x):\n    pass\n\n\ndef unused", True),
        ("def unused", "def _private(x):\n    pass\n\n\ndef unused", False),
        ("torch.ones(_size())", "torch.ones(_size(), device=x.device)", True),
        ("return 3\n", "return 4\n", True),
        ("width = 3", "width = torch.ones(3)", True),
        ('CONFIG["width"] = width', 'CONFIG["width"] = torch.ones(1)', True),
        ("torch.nn.Linear(3, 3)", "torch.nn.Linear(3, 4)", True),
        ("x[0] = 1", "x[0] = 2", True),
        ("@torch.no_grad()", "@torch.jit.script", True),
        ("from far import other as _other", "from far import more as _other", True),
        ("def extra(x):", "def extra(x=None):", True),
    ],
)
def test_an_edit_concerns_who_has_looked_for_it(
    project: Path, worked_on: list[str], old: str, new: str, concerns_train: bool
) -> None:
    check([project], Settings(), cached=True)
    assert sorted(worked_on) == ["far.py", "helper.py", "train.py"]
    worked_on.clear()
    assert HELPER.count(old) == 1
    (project / "helper.py").write_text(HELPER.replace(old, new))

    assert told(check([project], Settings(), cached=True)) == told(check([project], Settings()))
    assert sorted(worked_on) == ["helper.py", *["train.py"][: int(concerns_train)]]


def test_what_stands_behind_an_import_counts(project: Path, worked_on: list[str]) -> None:
    check([project], Settings(), cached=True)
    worked_on.clear()
    (project / "far.py").write_text(FAR.replace("zeros(3)", "zeros_like(x)"))

    assert told(check([project], Settings(), cached=True)) == told(check([project], Settings()))
    assert sorted(worked_on) == ["far.py", "helper.py", "train.py"]


def test_a_neighbour_that_does_not_parse_any_more(project: Path, worked_on: list[str]) -> None:
    check([project], Settings(), cached=True)
    worked_on.clear()
    (project / "helper.py").write_text(HELPER.replace("def unused(x):", "def unused(x:"))

    assert told(check([project], Settings(), cached=True)) == told(check([project], Settings()))
    assert "train.py" in worked_on


_LOADING = """
import torch
import numpy
import helper
buf = torch.from_numpy(numpy.ones(3))
w = torch.ones(3)


def load(flag):
    if flag:
        return buf, buf
    return w, w


net = torch.nn.Linear(3, 3).cuda()
net(helper.x)
net(w)
net(w)
numpy.save("f", buf)
buf[0] = 1
"""
_BRINGING = """
import sys, torch
from train import load
x, y = load(len(sys.argv) > 1)
x = x.cuda()
y = y.cuda()
"""


@pytest.mark.parametrize("between", ["print()\n", "def g(): pass\n"])
def test_what_comes_next_counts_where_the_analysis_looks_at_it(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, between: str
) -> None:
    """Whether `y` is brought to the device at once is a question of the statements behind it."""
    monkeypatch.setattr(programs, "MOST_FILES", 1)
    project = tree({"train.py": _LOADING, "helper.py": _BRINGING})
    before = check([project], Settings(), cached=True)
    edited = _BRINGING.replace("y = y.cuda()", between + "y = y.cuda()")
    (project / "helper.py").write_text(edited)

    fresh = check([project], Settings())
    assert fresh.files != before.files
    assert told(check([project], Settings(), cached=True)) == told(fresh)


def test_a_statement_is_told_from_another_one_of_the_same_line(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was in a string is outside of it, and the other way round."""
    monkeypatch.setattr(programs, "MOST_FILES", 1)
    line = '"""; make = lambda x: x.cpu(); """; make = lambda x: x; """'
    one, other = f'import torch\n_A = """\n{line}\n', f'import torch\n{line}\n"""\n'
    user = "import torch\nfrom helper import make\n\nnet = torch.nn.Linear(3, 3).cuda()\n"
    project = tree({"train.py": user + "net(make(torch.ones(3).cuda()))\n", "helper.py": one})
    check([project], Settings(), cached=True)
    (project / "helper.py").write_text(other)

    assert told(check([project], Settings(), cached=True)) == told(check([project], Settings()))
