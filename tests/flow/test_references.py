"""A parameter for the device, where every reference to the function is a call that was seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pytest

from devicefix.flow import FileFacts, analyse_program
from devicefix.source import Program, Source
from devicefix.source.modules import ModuleIndex

HELPER: Final = """\
import torch
def mask(n):
    return torch.ones(n, n).tril()
"""
MAIN: Final = """\
import torch
from torch import nn
import helpers
from helpers import mask
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
    def forward(self, x):
        return self.fc(x) * mask(4)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net().to(device)
print(net(torch.ones(4, 4, device=device)))
"""


def _facts(texts: Mapping[str, str], others: tuple[str, ...] = ()) -> Mapping[str, FileFacts]:
    sources = {path: Source.from_text(text, path) for path, text in texts.items()}
    index = ModuleIndex((*sources, *others))
    return analyse_program(Program(sources, index, lambda _: None))


def _told(texts: Mapping[str, str], others: tuple[str, ...] = ()) -> bool:
    """Whether some function gets a parameter for the device."""
    facts = _facts(texts, others).values()
    return any(t.device is not None and t.device.passed for f in facts for t in f.transfers)


ALSO: Final = [
    pytest.param("print(mask(3))", True, id="another call"),
    pytest.param("print(helpers.mask(3))", True, id="a call through its file"),
    pytest.param("def other(mask):\n    return mask + 1\nother(1)", True, id="a local name"),
    pytest.param("TABLE = {'mask': mask}", False, id="a value of a dict"),
    pytest.param("TABLE = [mask]", False, id="in a list"),
    pytest.param("again = mask", False, id="another name"),
    pytest.param(
        "from functools import partial\nthree = partial(mask, 3)", False, id="in a partial"
    ),
    pytest.param("print(list(map(mask, [1, 2])))", False, id="handed to a function"),
    pytest.param("print(getattr(helpers, 'mask')(3))", False, id="looked up by its name"),
    pytest.param("import sys\nf = getattr(helpers, sys.argv[0])", False, id="by a computed name"),
    pytest.param("f = helpers.__dict__[str(1)]", False, id="in the dict of its file"),
    pytest.param("def later(m):\n    return m.mask(3)", True, id="a method of another name"),
    pytest.param("__all__ = ['mask']", False, id="a public name"),
]


@pytest.mark.parametrize(("also", "told"), ALSO)
def test_each_reference_is_a_call_that_was_seen(also: str, *, told: bool) -> None:
    assert _told({"main.py": f"{MAIN}{also}\n", "helpers.py": HELPER}) is told


def test_what_an_installed_package_has_to_offer_is_called_by_others() -> None:
    main = MAIN.replace("import helpers\nfrom helpers", "from lib import helpers\nfrom lib.helpers")
    texts = {"main.py": main, "lib/__init__.py": "", "lib/helpers.py": HELPER}
    assert _told(texts)
    assert not _told(texts, ("setup.py",))


METER: Final = """\
import torch
class Meter:
    def __init__(self, n):
        self.seen = torch.zeros(n, n)
    def add(self, x):
        self.seen += x
"""
METERS: Final = """\
import torch
from torch import nn
from collections import defaultdict
from meters import Meter
def train():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Linear(4, 4).to(device)
    meter = Meter(4)
    meter.add(net(torch.ones(4, 4, device=device)))
    print(meter.seen)
train()
"""
CLASSES: Final = [
    pytest.param("print(isinstance(3, Meter))", True, id="a question"),
    pytest.param("def show(meter: Meter) -> Meter:\n    return meter", True, id="an annotation"),
    pytest.param("class Rate(Meter):\n    pass\nprint(Rate(3))", True, id="an heir"),
    pytest.param("meters = defaultdict(Meter)", False, id="a factory"),
    pytest.param("KINDS = {'meter': Meter}", False, id="a registry"),
    pytest.param(
        "class Rate(Meter):\n    pass\nrates = defaultdict(Rate)", False, id="an heir as a factory"
    ),
]


@pytest.mark.parametrize(("also", "told"), CLASSES)
def test_a_class(also: str, *, told: bool) -> None:
    assert _told({"main.py": f"{METERS}{also}\n", "meters.py": METER}) is told


def test_a_string_is_passed_as_what_it_is() -> None:
    main = MAIN.replace(
        'torch.device("cuda" if torch.cuda.is_available() else "cpu")',
        '"cuda" if torch.cuda.is_available() else "cpu"',
    ).replace("        return self.fc(x) * mask(4)", "        return self.fc(x)")
    main += "print(net(mask(4)))\n"
    facts = _facts({"main.py": main, "helpers.py": HELPER})
    passed = [t.device for f in facts.values() for t in f.transfers if t.device]
    assert passed
    assert not any(device.typed for device in passed)
