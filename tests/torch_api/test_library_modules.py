"""The table of the module classes of libraries, and the script that makes it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

from devicefix.torch_api import is_library_module, is_stateless_module
from devicefix.torch_api.library_modules import TABLE, Library, libraries

ROOT: Final = Path(__file__).resolve().parents[2]
FILES: Final = {
    "zoo/__init__.py": "from .layers import *\nfrom .models import Net as Model\n",
    "zoo/layers.py": """\
import torch.nn as nn
from torch import nn as other
from ._compat import Base

class Drop(nn.Module):
    def __init__(self, p=0.1):
        super().__init__()
        self.p = float(p)
    def forward(self, x):
        noise = x.new_empty(x.shape)
        return x * noise

class Mlp(other.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Drop(), nn.ReLU()

class Held(nn.Module):
    def __init__(self, act):
        super().__init__()
        self.act = act()

class Counter(nn.Module):
    def build(self):
        self.register_buffer("count", None)

class Mover(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.to(device)

class Moved(Mover): pass
class Derived(Base[int]): pass
class Config: pass
class Twice(nn.Module): pass
class _Hidden(nn.Module): pass
class Torn(Config, Unheard): pass
Again = Mlp
Other = Config
""",
    "zoo/_compat.py": "import torch\nclass Base(torch.nn.Module): pass\n",
    "zoo/models.py": """\
import zoo
from zoo.layers import Mlp as Part
class Net(Part): pass
class Far(zoo.Both): pass
def Twice(): pass
""",
    "zoo/dummies.py": "class Mlp(metaclass=DummyObject): pass\n",
    "zoo/python2.py": "print 1\n",
}


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """``scripts/build_library_modules.py`` as a module."""
    path = ROOT / "scripts" / "build_library_modules.py"
    spec = importlib.util.spec_from_file_location("build_library_modules", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_classes_that_descend_from_module_are_found(script: ModuleType) -> None:
    row = script.library("zoo", "1", FILES, {})
    assert row.names == {
        "Again", "Base", "Both", "Counter", "Derived", "Drop", "Far", "Held", "Mlp", "Net",
    }  # fmt: skip


def test_classes_that_hold_nothing_are_found(script: ModuleType) -> None:
    row = script.library("zoo", "1", FILES, {})
    assert row.stateless == {"Base", "Both", "Derived", "Drop", "Far"}


def test_bases_of_other_libraries_are_looked_up(script: ModuleType) -> None:
    sources = {
        "far.py": "from zoo import Drop, Config\nclass A(Drop): pass\nclass B(Config): pass\n"
    }
    table = {"zoo": Library("zoo", "1", frozenset({"Drop"}), frozenset({"Drop"}))}
    row = script.library("far", "2", sources, table)
    assert (row.names, row.stateless) == ({"A"}, {"A"})


def test_a_line_says_what_a_library_has() -> None:
    row = Library("zoo", "1.0", frozenset({"Net", "Drop"}), frozenset({"Drop"}))
    assert str(row) == "zoo 1.0 -Drop Net"
    assert Library.parsed(str(row)) == row


def test_the_table_is_what_its_rows_say(script: ModuleType) -> None:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    assert [str(row) for row in libraries().values()] == lines
    assert set(libraries()) == set(script.LIBRARIES)
    assert list(libraries()) == sorted(libraries())


def test_check_says_what_is_stale(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sources = {"lpips/__init__.py": "import torch\nclass LPIPS(torch.nn.Module): pass\n"}
    monkeypatch.setattr(script, "download", lambda *_: ("0.1.4", sources))
    assert script.main(["--check", "lpips"]) == 1
    assert "lpips" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "module", "stateless"),
    [
        ("timm.layers.DropPath", True, True),
        ("timm.models.layers.DropPath", True, True),
        ("timm.layers.Mlp", True, False),
        ("torch_geometric.nn.GCNConv", True, False),
        ("transformers.BertModel", True, False),
        ("transformers.BertConfig", False, False),
        ("transformers.BertModel.from_pretrained", True, False),
        ("efficientnet_pytorch.EfficientNet.from_name", True, False),
        ("kornia.losses.SSIMLoss", True, True),
        ("kornia.losses.ssim_loss", False, False),
        ("torchaudio.transforms.MelSpectrogram", True, False),
        ("monai.losses.DiceLoss", True, False),
        ("monai.data.DataLoader", False, False),
        ("torchvision.ops.DropBlock2d", True, False),
        ("torchvision.transforms.Resize", False, False),
        ("mymodels.DropPath", False, False),
        ("DropPath", False, False),
    ],
)
def test_names(name: str, module: bool, stateless: bool) -> None:
    assert is_library_module(name) is module
    assert is_library_module(name) or not stateless
    if name != "torchvision.ops.DropBlock2d":
        assert is_stateless_module(name) is stateless
