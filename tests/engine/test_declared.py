"""Which torch a project says that it needs, and what is written then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devicefix.engine import Report, apply
from devicefix.engine.declared import Declarations
from devicefix.engine.readme import of_readme
from devicefix.oldest_torch import Version
from devicefix.settings import Settings

Tree = Callable[[dict[str, str]], Path]

SAID: dict[str, tuple[str, str, Version | None]] = {
    "a pin": ("requirements.txt", "numpy\ntorch==1.9.0  # tested\n", (1, 9, 0)),
    "a local version": ("requirements.txt", "torch==1.9.0+cu111\n", (1, 9, 0)),
    "a lower bound": ("requirements.txt", "torch >= 1.7\n", (1, 7, 0)),
    "one that is excluded itself": ("requirements.txt", "torch>1.9\n", (1, 9, 1)),
    "an upper bound": ("requirements.txt", "torch<2\n", (1, 13, 1)),
    "an upper bound that is newer than the default": ("requirements.txt", "torch<2.6\n", None),
    "one version that does not work": ("requirements.txt", "torch!=1.5\n", None),
    "no version": ("requirements.txt", "torch\ntorchvision==0.2\n", None),
    "another library": ("requirements.txt", "torch-scatter==1.4\n", None),
    "older than any device": ("requirements.txt", "torch==0.3.1\n", (0, 4)),
    "newer than we know": ("requirements.txt", "torch>=9.1\n", (9, 1)),
    "options and continued lines": (
        "requirements.txt",
        "--find-links x\n-e .\ntorch==1.8.1 \\\n  --hash=sha256:00\n",
        (1, 8, 1),
    ),
    "the lowest of two, with markers": (
        "requirements.txt",
        'torch==2.0; python_version > "3.7"\ntorch==1.5; python_version <= "3.7"\n',
        (1, 5, 0),
    ),
    "the address of a wheel": (
        "requirements.txt",
        "https://download.pytorch.org/whl/cu90/torch-0.4.1-cp36-cp36m-linux_x86_64.whl\n",
        (0, 4, 1),
    ),
    "a name and an address": (
        "requirements.txt",
        "torch @ https://x.org/torch-1.10.0%2Bcu113-cp38-cp38-linux_x86_64.whl\n",
        (1, 10, 0),
    ),
    "another file of pip": ("requirements_gpu.txt", "torch==1.6\n", (1, 6, 0)),
    "a folder of pip's": ("requirements/base.txt", "torch==1.6\n", (1, 6, 0)),
    "an environment of conda": (
        "environment.yml",
        "dependencies:\n- python=3.8\n- pytorch::pytorch=1.9.0=py3.8_cuda11.1\n",
        (1, 9, 0),
    ),
    "any patch": ("environment.yaml", "dependencies: [pytorch=1.9]\n", (1, 9, 0)),
    "conda, with spaces": ("conda_env.yml", "dependencies: ['pytorch >= 1.7']\n", (1, 7, 0)),
    "exactly this build": ("env.yml", "dependencies: ['pytorch==1.4.0=py3_1']\n", (1, 4, 0)),
    "pip inside of conda": (
        "environment.yml",
        "channels: [pytorch]\ndependencies:\n- pytorch-cuda=11.8\n- pip:\n  - torch==1.8.1\n",
        (1, 8, 1),
    ),
    "an environment that says nothing": ("environment.yml", "dependencies: [pytorch]\n", None),
    "no environment": ("environment.yml", "- torch\n- [\n", None),
    "a project": ("pyproject.toml", '[project]\ndependencies = ["torch>=1.8,<3"]\n', (1, 8, 0)),
    "an extra": (
        "pyproject.toml",
        '[project.optional-dependencies]\ntrain = ["torch~=1.12"]\n',
        (1, 12, 0),
    ),
    "a group": ("pyproject.toml", '[dependency-groups]\ndev = ["torch==2.2"]\n', (2, 2, 0)),
    "Poetry": ("pyproject.toml", '[tool.poetry.dependencies]\ntorch = "^1.7"\n', (1, 7, 0)),
    "Poetry, one of several": (
        "pyproject.toml",
        "[tool.poetry.group.a.dependencies]\ntorch = [{version = '~1.6'}, {version = '2.0'}]\n",
        (1, 6, 0),
    ),
    "no TOML": ("pyproject.toml", "torch = [\n", None),
    "Pipenv": ("Pipfile", '[packages]\ntorch = "==1.5.0"\n', (1, 5, 0)),
    "Pipenv, any": ("Pipfile", '[packages]\ntorch = "*"\n', None),
    "setuptools": (
        "setup.cfg",
        "[options]\ninstall_requires =\n  numpy\n  torch>=1.6\n",
        (1, 6, 0),
    ),
    "an extra of setuptools": (
        "setup.cfg",
        "[options.extras_require]\nall =\n  torch==1.6\n",
        (1, 6, 0),
    ),
    "no configuration": ("setup.cfg", "torch\n", None),
    "a script": ("setup.py", "setup(install_requires=['torch==1.3'])\n", (1, 3, 0)),
    "a script with names": (
        "setup.py",
        "A = ['torch>=1.3.1']\nsetup(install_requires=A)\n",
        (1, 3, 1),
    ),
    "a script asserts it": (
        "setup.py",
        "v = [int(x) for x in torch.__version__.split('.')]\nassert v >= [1, 7], 'old'\n",
        (1, 7, 0),
    ),
    "a script asserts it of a parsed version": (
        "setup.py",
        "assert parse(torch.__version__) >= parse('1.9')\nsetup()\n",
        (1, 9, 0),
    ),
    "a script asserts another library": (
        "setup.py",
        "assert parse(torchvision.__version__) >= parse('0.6')\nassert torch >= [1, 7]\n",
        None,
    ),
    "extras of a script": ("setup.py", "setup(extras_require={'a': 'torch==1.2'})\n", (1, 2, 0)),
    "a script that computes": ("setup.py", "setup(install_requires=read('torch'))\n", None),
    "a script that does not parse": ("setup.py", "print 'torch'\n", None),
}
READERS_ARE_TOLD: dict[str, str] = {
    "PyTorch 1.13 or later": "1.13",
    "[PyTorch](http://pytorch.org/) (ver. 0.4+ required)": "0.4",
    "- [PyTorch](https://PyTorch.org/), version 1.0.1": "1.0.1",
    "[PyTorch]((http://pytorch.org/)) v0.4.1": "0.4.1",
    "Install `torch`&gt;=1.1 from [here](https://pytorch.org/get-started/2.3/)": "1.1",
    "Tested with Ubuntu 16.04, Python 3.5, **PyTorch 1.0.0** and CUDA 9.0": "1.0.0",
    "pip install torch==1.7.1+cu110 torchvision==0.8.2": "1.7.1",
    "pip install https://download.pytorch.org/whl/cu90/torch-0.4.1-cp36-cp36m-linux_x86_64.whl": (
        "0.4.1"
    ),
    '<img src="https://img.shields.io/badge/PyTorch-v1.13+-red.svg?logo=PyTorch" />': "1.13",
    "![torch](https://img.shields.io/badge/pytorch-%3E%3D1.8-blue)": "1.8",
    "Pytorch0.4.1 codes for faces": "0.4.1",
    "It is tested with pytorch-1.0.": "1.0",
    "pytorch 1.x": "1.0",
    "Needs PyTorch >= 2": "2",
    "| PyTorch | 1.7.1 |": "1.7.1",
    "PyTorch 1.6, or PyTorch 1.4": "1.4",
    "PyTorch 1.3.1 (older than PyTorch 1.2 does not work, nor does PyTorch < 1.1)": "1.3.1",
    "For PyTorch 1.0, see the branch v1. This one needs PyTorch 1.4": "1.4",
    "PyTorch 1.2 is not supported, PyTorch 1.3 is": "1.3",
    "Now supports PyTorch 1.0!\n# News\nPyTorch 1.1\n# Install\nPyTorch 1.4": "1.4",
    "2019-05: now supports PyTorch 1.0": "1.0",
    "torchvision 0.2.1, CUDA 1.10, Python 2.1 and PyTorch": "",
    "PyTorch Lightning 1.5, pytorch-lightning==1.6, torch-scatter 1.4, my_torch 1.0": "",
    "Torch7, torch 7, PyTorch 3.6, PyTorch 2019, PyTorch: 0.35": "",
    "| PyTorch | 1.2 |, PyTorch 1.5x faster, PyTorch: 1.5 hours, PyTorch 2 GPUs": "",
    "https://github.com/pytorch/pytorch-1.0/tree/v1.0 [PyTorch](docs/1.0)": "",
}
"""Lines of a README, and the lowest version that they name."""
SCALED = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
scaler = torch.cuda.amp.GradScaler()
scaler.scale(model(torch.ones(8, 3, device=device)).sum()).backward()
"""


def oldest(root: Path, *files: str, given: str = "") -> Version | None:
    said = Declarations([root / given]).oldest([str(root / file) for file in files or ("a.py",)])
    return said.version if said is not None else None


def rewritten(root: Path, settings: Settings | None = None) -> Report:
    return apply([root], settings or Settings(), dry_run=True)


@pytest.mark.parametrize(("name", "text", "version"), SAID.values(), ids=SAID)
def test_what_a_file_says(name: str, text: str, version: Version | None, tree: Tree) -> None:
    root = tree({name: text})
    assert oldest(root) == version


@pytest.mark.parametrize(("text", "version"), READERS_ARE_TOLD.items())
def test_what_a_readme_says(text: str, version: str) -> None:
    named = sorted(of_readme(text), key=lambda found: found.removeprefix(">=").split("."))
    assert "".join(named[:1]) == (version and f">={version}")


@pytest.mark.parametrize(
    "name", ["README", "readme.rst", "INSTALL.md", "docs/install.txt", "readme/INSTALL.md"]
)
def test_pages_for_people_are_read(name: str, tree: Tree) -> None:
    assert oldest(tree({name: "PyTorch 1.6 and PyTorch 1.5\n"})) == (1, 5, 0)


def test_what_people_read_counts_where_no_package_manager_is_told(tree: Tree) -> None:
    files = {"a/README.md": "PyTorch 1.4", "README.md": "PyTorch 1.6", "INSTALL.md": "PyTorch 1.5"}
    root = tree({**files, "requirements.txt": "torch\n", "b/c.py": ""})
    assert oldest(root, "a/b.py") == (1, 4, 0)
    assert oldest(root, "b/c.py") == (1, 5, 0)
    (root / "requirements.txt").write_text("torch==2.1\n")
    assert oldest(root, "a/b.py") == (2, 1, 0)


def test_what_cannot_be_read_says_nothing(tree: Tree) -> None:
    root = tree({"requirements.txt/torch": "torch==1.0\n", "setup.py": "#" * 1_000_001 + "torch"})
    assert oldest(root) is None


def test_the_first_file_that_says_something_counts(tree: Tree) -> None:
    files = {"setup.py": "setup(install_requires=['torch'])\n", "environment.yml": ""}
    root = tree(
        {**files, "requirements.txt": "torch==1.6\n", "Pipfile": "[packages]\ntorch='==1.1'"}
    )
    assert oldest(root) == (1, 6, 0)


def test_the_nearest_folder_counts(tree: Tree) -> None:
    near = {"a/requirements.txt": "torch==1.9\n", "requirements.txt": "torch==2.1\n"}
    root = tree({**near, "a/b/c.py": "", "d/e.py": ""})
    assert oldest(root, "a/b/c.py") == (1, 9, 0)
    assert oldest(root, "d/e.py") == (2, 1, 0)
    assert oldest(root, "d/e.py", "a/b/c.py") == (1, 9, 0)


def test_nothing_above_a_repository_counts(tree: Tree) -> None:
    root = tree({"requirements.txt": "torch==1.9\n", "a/.git/x": "", "a/b/c.py": ""})
    assert oldest(root, "a/b/c.py", given="a/b") is None
    assert oldest(root, "a/b/c.py") is None


def test_the_top_of_a_repository_counts_also_above_what_was_given(tree: Tree) -> None:
    files = {"requirements.txt": "torch==1.9\n", "a/b/c.py": ""}
    assert oldest(tree(files), "a/b/c.py", given="a/b/c.py") is None
    assert oldest(tree({**files, ".git/x": ""}), "a/b/c.py", given="a/b/c.py") == (1, 9, 0)


def test_a_fix_that_needs_a_newer_torch_is_none_and_says_why(tree: Tree) -> None:
    root = tree({"train.py": SCALED, "environment.yml": "dependencies: [pytorch=1.9.0]\n"})
    (result,) = rewritten(root).files
    (left,) = result.left
    said = "`torch.amp.GradScaler` needs torch 2.3, and environment.yml allows 1.9.0"
    assert (left.finding.advice, result.change) == (said, None)


def test_a_readme_keeps_newer_names_away(tree: Tree) -> None:
    root = tree({"train.py": SCALED, "README.md": "# Scaled\n\nInstall PyTorch 1.13 or later.\n"})
    (result,) = rewritten(root).files
    (left,) = result.left
    said = "`torch.amp.GradScaler` needs torch 2.3, and README.md allows 1.13.0"
    assert (left.finding.advice, result.change) == (said, None)


LOADED = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
model.load_state_dict(torch.load("model.pt"))
"""


@pytest.mark.parametrize(("torch", "place"), [("0.4.0", '"cpu"'), ("0.4.1", "device")])
def test_a_load_is_told_no_device_where_torch_takes_none(
    torch: str, place: str, tree: Tree
) -> None:
    root = tree({"load.py": LOADED, "README.md": f"Tested with PyTorch {torch}\n"})
    (result,) = rewritten(root).files
    assert result.change is not None
    assert f"map_location={place}" in result.change.after.decode()


def test_what_the_user_says_counts_more_than_what_is_declared(tree: Tree) -> None:
    root = tree({"train.py": SCALED, "environment.yml": "dependencies: [pytorch=1.9.0]\n"})
    (result,) = rewritten(root, Settings(min_torch="2.3")).files
    assert result.change is not None
    assert b"torch.amp.GradScaler(device.type" in result.change.after


def test_what_the_settings_write_is_there(tree: Tree) -> None:
    chosen = 'torch.device("cuda" if torch.accelerator.is_available() else "cpu")'
    root = tree(
        {"train.py": "import torch\n\nmodel = torch.nn.Linear(3, 1)\nprint(model(torch.ones(3)))\n"}
    )
    (result,) = rewritten(root, Settings(device_expression=chosen)).files
    assert result.change is not None
    assert chosen.encode() in result.change.after


def test_what_is_declared_makes_nothing_look_newer(tree: Tree) -> None:
    text = "import torch\n\ntorch.cuda.synchronize()\nprint(torch.ones(3))\n"
    root = tree({"wait.py": text, "requirements.txt": "torch==2.7.0\n"})
    (result,) = rewritten(root).files
    assert result.change is not None
    assert b"    torch.cuda.synchronize()" in result.change.after
