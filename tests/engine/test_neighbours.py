"""Files that are only read: what a program uses of them counts, and nothing else does."""

from __future__ import annotations

from pathlib import Path

import pytest

from devicefix.engine import check
from devicefix.settings import Settings

_NET = """
import torch
from torch import nn
{imports}
from base import Block


class Net(Block):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)

    def forward(self, x):
        return self.fc(x)
"""


def _codes(folder: Path, name: str) -> list[str]:
    report = check([folder / name], Settings())
    assert not report.errors
    return [finding.code for file in report.files for finding in file.findings]


def test_a_base_class_is_found_behind_any_number_of_imports(tmp_path: Path) -> None:
    """`Net` is a module, whatever else its file imports: what it holds moves with it."""
    for number in range(40):
        (tmp_path / f"part{number}.py").write_text(f"import torch\nsize{number} = {number}\n")
    (tmp_path / "base.py").write_text(
        "from torch import nn\n\n\nclass Block(nn.Module):\n    pass\n"
    )
    imports = "\n".join(f"from part{number} import size{number}" for number in range(40))
    (tmp_path / "net.py").write_text(_NET.format(imports=imports))

    assert _codes(tmp_path, "net.py") == []


def test_names_are_what_all_statements_make_of_them(tmp_path: Path) -> None:
    """A name that is bound twice, and a list that is filled later, are what they are at the end."""
    (tmp_path / "base.py").write_text(
        "import torch\n"
        "from torch import nn\n"
        "if torch.__version__ > '2':\n"
        "    Block = object\n"
        "else:\n"
        "    Block = object\n"
        "Block = nn.Module\n"
    )
    (tmp_path / "net.py").write_text(_NET.format(imports=""))

    assert _codes(tmp_path, "net.py") == []


def test_a_file_that_does_not_parse_is_code_that_was_not_analysed(tmp_path: Path) -> None:
    (tmp_path / "base.py").write_text("class Block(:\n")
    (tmp_path / "net.py").write_text(_NET.format(imports=""))

    assert check([tmp_path / "net.py"], Settings()).errors == ()


def test_star_imports_of_star_imports(tmp_path: Path) -> None:
    (tmp_path / "base.py").write_text("from inner import *\n")
    (tmp_path / "inner.py").write_text(
        "from torch import nn\n\nclass Block(nn.Module):\n    pass\n"
    )
    (tmp_path / "net.py").write_text(_NET.format(imports=""))

    assert _codes(tmp_path, "net.py") == []


@pytest.mark.parametrize("base", ["missing.Block", "mmengine.model.BaseModule"])
def test_a_class_with_a_forward_and_an_unseen_base_is_a_module(tmp_path: Path, base: str) -> None:
    module, _, name = base.rpartition(".")
    text = _NET.format(imports="").replace("from base import Block", f"from {module} import {name}")
    (tmp_path / "net.py").write_text(text.replace("(Block)", f"({name})"))

    assert _codes(tmp_path, "net.py") == []


def test_the_state_of_an_optimizer_may_be_loaded_in_another_file(tmp_path: Path) -> None:
    (tmp_path / "resume.py").write_text(
        "import torch\n" + "# padding\n" * 40 + "\n\ndef resume(optimizer, path):\n"
        "    optimizer.load_state_dict(torch.load(path, map_location='cpu'))\n"
    )
    (tmp_path / "train.py").write_text(
        "import torch\nfrom resume import resume\n"
        "device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
        "net = torch.nn.Linear(3, 1)\nsgd = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "resume(sgd, 'x.pt')\nif input():\n    net.to(device)\n"
        "print(net(torch.ones(3).to(device)))\n"
    )
    assert check([tmp_path], Settings()).errors == ()


def test_what_a_file_that_is_only_read_may_move_is_no_need_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "pkg" / "sub").mkdir(parents=True)
    (tmp_path / "pkg" / "__init__.py").touch()
    (tmp_path / "pkg" / "sub" / "__init__.py").touch()
    (tmp_path / "pkg" / "utils.py").write_text(
        "def cast(model, what):\n    return model.to(what)\n"
    )
    (tmp_path / "pkg" / "sub" / "run.py").write_text(
        "import sys\n"
        "\n"
        "import torch\n"
        "from elsewhere import model\n"
        "\n"
        "from pkg.utils import cast\n"
        "\n"
        "cast(model, sys.argv[1])\n"
        "other = torch.nn.Linear(3, 1).cuda()\n"
        "print(other(torch.ones(2, 3).cuda()).sum().item())\n"
    )

    assert _codes(tmp_path, "pkg/sub") == ["DFX201", "DFX201"]
