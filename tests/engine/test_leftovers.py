"""Imports whose last use a fix has taken go with it, unless another file takes the name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from devicefix.engine import apply
from devicefix.flow import evaluated
from devicefix.flow.analysis import Analysis
from devicefix.flow.program import evaluate_program
from devicefix.settings import Settings
from devicefix.source import Program

IMPORT = "from torch.autograd import Variable\n"
WRAPS = f"import torch\n{IMPORT}\nx = Variable(torch.ones(3))\nprint(x)\n"
OPERATIONS = "import torch\n\n\ndef double(x):\n    return torch.mul(x, 2)\n"


def applied(folder: Path, files: dict[str, str]) -> dict[str, str]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    report = apply([folder], Settings())
    assert not report.errors
    return {name: (folder / name).read_text(encoding="utf-8") for name in files}


def test_an_import_goes_without_another_evaluation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs: list[str] = []

    def counted(program: Program, *given: Any, **named: Any) -> tuple[Analysis, bool]:
        programs.append(program.sources[str(tmp_path / "main.py")].text)
        return evaluate_program(program, *given, **named)

    monkeypatch.setattr(evaluated, "evaluate_program", counted)
    after = applied(tmp_path, {"main.py": WRAPS})["main.py"]
    assert IMPORT not in after
    assert programs == [WRAPS, after]


def test_a_star_import_of_another_file_takes_nothing(tmp_path: Path) -> None:
    main = WRAPS.replace(IMPORT, f"{IMPORT}from model import half\n")
    model = "from operations import *\n\n\ndef half(x):\n    return double(x) / 4\n"
    files = {"main.py": main, "model.py": model, "operations.py": OPERATIONS}
    assert IMPORT not in applied(tmp_path, files)["main.py"]


@pytest.mark.parametrize("taken", ["*", "Variable"])
def test_what_another_file_takes_stays(tmp_path: Path, taken: str) -> None:
    other = f"import torch\nfrom wraps import {taken}\n\nprint(torch.ones(2), Variable)\n"
    after = applied(tmp_path, {"wraps.py": WRAPS, "main.py": other})
    assert IMPORT in after["wraps.py"]
    assert "Variable(torch" not in after["wraps.py"]


def test_a_package_that_is_not_installed_takes_nothing_by_a_star(tmp_path: Path) -> None:
    files = {"nets/wraps.py": WRAPS, "nets/__init__.py": "from .wraps import *\n"}
    main = "import nets\nimport torch\n\nprint(nets.x + torch.ones(3))\n"
    assert IMPORT not in applied(tmp_path / "a", {**files, "main.py": main})["nets/wraps.py"]
    asks = main.replace("nets.x", "nets.Variable")
    assert IMPORT in applied(tmp_path / "b", {**files, "main.py": asks})["nets/wraps.py"]
    setup = {"setup.py": "from setuptools import setup\n\nsetup(packages=['nets'])\n"}
    after = applied(tmp_path / "c", {**files, **setup, "main.py": main})
    assert IMPORT in after["nets/wraps.py"]


def test_what_is_asked_of_another_module_by_the_same_name_takes_nothing(tmp_path: Path) -> None:
    main = "import chainer\nimport torch\nimport wraps\n\nprint(chainer.Variable(1), wraps.x)\n"
    after = applied(tmp_path, {"wraps.py": WRAPS, "main.py": main})
    assert IMPORT not in after["wraps.py"]
    asked = main.replace("chainer.Variable(1)", "wraps.Variable")
    assert IMPORT in applied(tmp_path, {"wraps.py": WRAPS, "main.py": asked})["wraps.py"]


def test_what_nothing_used_before_is_no_leftover(tmp_path: Path) -> None:
    unused = f"import torch\n{IMPORT}\nprint(torch.ones(3))\n"
    assert applied(tmp_path, {"main.py": unused}) == {"main.py": unused}


FLAG = "use_cuda = torch.cuda.is_available()\n"
GUARDS = f"import torch\n\n{FLAG}model = torch.nn.Linear(2, 2)\nif use_cuda:\n    model.cuda()\n"


@pytest.mark.parametrize(
    "other", ["from main import use_cuda\n", "import main\n\nprint(main.use_cuda)\n", ""]
)
def test_a_flag_goes_unless_another_file_asks_it(tmp_path: Path, other: str) -> None:
    after = applied(tmp_path, {"main.py": GUARDS, "other.py": f"import torch\n{other}"})
    assert (FLAG in after["main.py"]) == bool(other)
