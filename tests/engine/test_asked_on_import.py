"""No package that others install asks for CUDA only because it is imported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from devicefix.engine import apply
from devicefix.settings import Settings

Tree = Callable[[dict[str, str]], Path]

PACKAGE = """\
import torch


def ones(count, device="cuda"):
    return torch.ones(count, device=device)
"""
SETUP = "from setuptools import setup\n\nsetup(name='lab', packages=['lab'])\n"


def written(root: Path) -> dict[str, str]:
    files = apply([root], Settings(), dry_run=True).files
    return {Path(f.path).name: f.change.after.decode() for f in files if f.change is not None}


def test_the_default_of_an_installed_function_stays(tree: Tree) -> None:
    root = tree({"lab/__init__.py": "", "lab/data.py": PACKAGE, "setup.py": SETUP})
    assert not written(root)


def test_one_that_has_asked_when_it_is_imported_asks_again(tree: Tree) -> None:
    asking = PACKAGE.replace("torch\n", "torch\n\nFAST = torch.cuda.is_available()\n", 1)
    root = tree({"lab/__init__.py": "", "lab/data.py": asking, "setup.py": SETUP})
    assert 'device="cuda" if torch.cuda.is_available() else "cpu"' in written(root)["data.py"]


def test_the_default_in_a_script_asks(tree: Tree) -> None:
    root = tree({"data.py": f"{PACKAGE}\n\nprint(ones(3))\n"})
    assert 'device="cuda" if torch.cuda.is_available() else "cpu"' in written(root)["data.py"]
