"""The style of a project that has a function of its own for the device, as it is applied."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from devicefix.cli import main
from devicefix.engine import apply
from devicefix.engine.errors import EngineError
from devicefix.settings import Settings
from tests.codemods.test_cases import CODEMODS

STYLE = Settings(style="project")
HELPER = """\
import torch


def which():
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")
"""
FOR_CUDA = """\
import torch


def here():
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""
PROGRAM = """\
import torch
from torch import nn

net = nn.Linear(2, 3)
print(net(torch.ones(4, 2)).sum().item())
"""


def applied(
    folder: Path, files: Mapping[str, str], settings: Settings = STYLE
) -> Mapping[str, str]:
    """By name the files that change, and what they become."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    report = apply([folder], settings, codemods=CODEMODS)
    assert not report.errors, report.errors
    again = apply([folder], settings, codemods=CODEMODS)
    assert not [result for result in again.files if result.change is not None]
    changed = {name: (folder / name).read_text() for name in files}
    return {name: text for name, text in changed.items() if text != files[name]}


def test_the_helper_of_another_file(tmp_path: Path) -> None:
    files = {"utils/__init__.py": "", "utils/device.py": HELPER, "train.py": PROGRAM}
    changed = applied(tmp_path, files)
    assert changed == {
        "train.py": """\
import torch
from torch import nn

from utils.device import which

device = which()

net = nn.Linear(2, 3).to(device)
print(net(torch.ones(4, 2, device=device)).sum().item())
"""
    }


def test_a_helper_that_the_file_has_imported(tmp_path: Path) -> None:
    program = """\
import torch
from torch import nn
from utils import device as places

net = nn.Linear(2, 3).cuda()
print(net(torch.ones(4, 2).cuda()).sum().item())
"""
    changed = applied(tmp_path, {"utils/device.py": HELPER, "train.py": program})
    assert changed == {
        "train.py": """\
import torch
from torch import nn
from utils import device as places

device = places.which()

net = nn.Linear(2, 3).to(device)
print(net(torch.ones(4, 2, device=device)).sum().item())
"""
    }


def test_an_import_of_its_module_gets_the_name(tmp_path: Path) -> None:
    helper = HELPER + "\n\ndef double(x):\n    return 2 * x\n"
    program = """\
import torch
from lib.device import double

net = torch.nn.Linear(2, 3)
print(double(net(torch.ones(4, 2))).sum().item())
"""
    changed = applied(tmp_path, {"lib/device.py": helper, "train.py": program})
    lines = changed["train.py"].splitlines()
    assert lines[1] == "from lib.device import double, which"
    assert "device = which()" in lines


def test_a_name_has_its_line_where_each_has_one(tmp_path: Path) -> None:
    helper = HELPER + "\n\ndef double(x):\n    return 2 * x\n"
    program = """\
import torch
from place import (
    double,
)

net = torch.nn.Linear(2, 3)
print(double(net(torch.ones(4, 2))).sum().item())
"""
    changed = applied(tmp_path, {"place.py": helper, "train.py": program})
    assert "from place import (\n    double,\n    which,\n)\n" in changed["train.py"]


FORMS = {
    "an import further down": "import torch\n\nprint(1)\nfrom place import double\n",
    "statements on one line": "import os; import torch; print(os.name)\n",
    "a comment on the last name": "import torch\nfrom place import (\n    double  # it\n)\n",
    "a line that goes on": "import torch\nfrom place import \\\n    double\n",
    "a star": "import torch\nfrom place import *\n",
}


@pytest.mark.parametrize("start", FORMS.values(), ids=FORMS.keys())
def test_however_the_file_imports(tmp_path: Path, start: str) -> None:
    helper = HELPER + "\n\ndef double(x):\n    return 2 * x\n"
    program = start + "\nnet = torch.nn.Linear(2, 3)\nprint(net(torch.ones(4, 2)).sum().item())\n"
    changed = applied(tmp_path, {"place.py": helper, "train.py": program})
    assert ".to(device)" in changed["train.py"]
    compile(changed["train.py"], "train.py", "exec")


def test_a_relative_import_where_the_file_writes_such(tmp_path: Path) -> None:
    program = """\
import torch

from .data import rows


def main():
    net = torch.nn.Linear(2, 3)
    print(net(rows()).sum().item())


if __name__ == "__main__":
    main()
"""
    files = {
        "pack/__init__.py": "",
        "pack/tools/__init__.py": "",
        "pack/tools/place.py": HELPER,
        "pack/data.py": "import torch\n\n\ndef rows():\n    return torch.ones(4, 2)\n",
        "pack/train.py": program,
    }
    changed = applied(tmp_path, files)
    assert "from .data import rows\nfrom .tools.place import which\n" in changed["pack/train.py"]
    assert "which()" in changed["pack/train.py"]


def test_the_file_s_own_function(tmp_path: Path) -> None:
    program = """\
import torch


def which():
    return "cuda" if torch.cuda.is_available() else "cpu"


net = torch.nn.Linear(2, 3)
print(net(torch.ones(4, 2)).sum().item())
"""
    changed = applied(tmp_path, {"train.py": program})
    assert changed == {
        "train.py": """\
import torch


def which():
    return "cuda" if torch.cuda.is_available() else "cpu"


device = torch.device(which())


net = torch.nn.Linear(2, 3).to(device)
print(net(torch.ones(4, 2, device=device)).sum().item())
"""
    }


def test_the_user_s_flag_still_decides(tmp_path: Path) -> None:
    program = """\
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
args = parser.parse_args()
use_cuda = not args.no_cuda and torch.cuda.is_available()
net = nn.Linear(2, 3)
if use_cuda:
    net.cuda()
x = torch.ones(4, 2)
if use_cuda:
    x = x.cuda()
print(net(x).sum().item())
"""
    changed = applied(tmp_path, {"place.py": FOR_CUDA, "train.py": program})
    assert 'device = here() if use_cuda else torch.device("cpu")' in changed["train.py"]
    assert "from torch import nn\n\nfrom place import here\n" in changed["train.py"]


LITERALS = {
    'device = torch.device("cuda")\n': "device = which()\n",
    'device = "cuda"\nprint(device)\n': "device = str(which())\nprint(device)\n",
    'device = "cuda"\n': "device = which()\n",
}


@pytest.mark.parametrize(("written", "expected"), LITERALS.items())
def test_a_string_that_names_cuda(tmp_path: Path, written: str, expected: str) -> None:
    start = "import torch\nfrom torch import nn\n\n"
    rest = "net = nn.Linear(2, 3).to(device)\nprint(net(torch.ones(4, 2, device=device)).shape)\n"
    program = start + written + rest
    changed = applied(tmp_path, {"place.py": HELPER, "train.py": program})
    assert "\n\nfrom place import which\n" in changed["train.py"]
    assert expected + rest in changed["train.py"]


def test_a_string_above_the_function(tmp_path: Path) -> None:
    program = """\
import torch

KIND = "cuda"


def which():
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


print(torch.ones(2, device=KIND).sum().item())
"""
    changed = applied(tmp_path, {"train.py": program})
    assert 'KIND = "cuda" if torch.cuda.is_available() else "cpu"\n' in changed["train.py"]


def test_a_function_that_imports_torch_itself(tmp_path: Path) -> None:
    program = """\
def load(gpu=False):
    import torch

    model = torch.hub.load("intel-isl/MiDaS", "MiDaS")
    if gpu:
        model.cuda()
    model.eval()
    return model
"""
    changed = applied(tmp_path, {"place.py": FOR_CUDA, "train.py": program})
    assert changed["train.py"].startswith(
        "def load(gpu=False):\n    import torch\n    from place import here\n"
    )


def test_a_name_that_files_share(tmp_path: Path) -> None:
    config = """\
import torch

PLACE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""
    other = "import torch\n\nfrom config import PLACE\n\nprint(torch.ones(2, device=PLACE).sum())\n"
    files = {"config.py": config, "other.py": other, "train.py": PROGRAM}
    changed = applied(tmp_path, files)
    assert changed.keys() == {"train.py"}
    assert "from config import PLACE\n\ndevice = PLACE\n" in changed["train.py"]


def test_helpers_that_give_the_same_are_one(tmp_path: Path) -> None:
    other = FOR_CUDA.replace("here", "there")
    user = "import torch\n\nfrom b import there\n\nprint(torch.ones(2, device=there()).sum())\n"
    files = {"a.py": FOR_CUDA, "b.py": other, "c.py": user, "train.py": PROGRAM}
    changed = applied(tmp_path, files)
    assert changed.keys() == {"train.py"}
    assert "from b import there\n" in changed["train.py"]


def test_those_of_tests_are_not_the_project_s(tmp_path: Path) -> None:
    files = {"tests/test_a.py": HELPER, "place.py": FOR_CUDA, "train.py": PROGRAM}
    changed = applied(tmp_path, files)
    assert "from place import here\n" in changed["train.py"]


def test_helpers_that_give_different_devices(tmp_path: Path) -> None:
    files = {"a.py": FOR_CUDA, "b.py": HELPER, "train.py": PROGRAM}
    with pytest.raises(EngineError) as raised:
        applied(tmp_path, files)
    said = str(raised.value).replace(f"{tmp_path}/", "")
    assert "`here` in a.py:4 (CUDA or the CPU); `which` in b.py:4 (CUDA, MPS or the CPU)" in said
    assert (tmp_path / "train.py").read_text() == PROGRAM


def test_without_a_helper_the_command_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    assert main(["apply", "--style", "project", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert 'Error: style "project": no device helper found next to' in said
    assert 'choose another style, or say `device-expression = "…"`' in said
    assert (tmp_path / "train.py").read_text() == PROGRAM


OTHER_FUNCTIONS = {
    "it takes an argument": "def which(index):\n    return {choice}\n",
    "it prints": 'def which():\n    print("hello")\n    return {choice}\n',
    "it draws": "def which():\n    torch.rand(1)\n    return {choice}\n",
    "CUDA has to be there": 'def which():\n    return torch.device("cuda")\n',
    "it has no CUDA": "def which():\n"
    '    return "mps" if torch.backends.mps.is_available() else "cpu"\n',
    "it is the CPU": 'def which():\n    return torch.device("cpu")\n',
    "it is a second GPU": 'def which():\n    return "cuda:1" if torch.cuda.is_available() '
    'else "cpu"\n',
    "a build for CUDA has no GPU": "def which():\n"
    '    return torch.accelerator.current_accelerator() or torch.device("cpu")\n',
    "it answers something else": "def device():\n    return torch.cuda.is_available()\n",
    "it is bound twice": "def which():\n    return {choice}\n\n\nwhich = None\n",
    "it is a method": "class Device:\n    def which(self):\n        return {choice}\n",
    "it is one file's own name": "DEVICE = {choice}\n",
}
CHOICE = 'torch.device("cuda" if torch.cuda.is_available() else "cpu")'


@pytest.mark.parametrize("text", OTHER_FUNCTIONS.values(), ids=OTHER_FUNCTIONS.keys())
def test_what_is_no_helper(tmp_path: Path, text: str) -> None:
    helper = f"import torch\n\n\n{text.replace('{choice}', CHOICE)}"
    with pytest.raises(EngineError, match="no device helper found next to"):
        applied(tmp_path, {"device.py": helper, "train.py": PROGRAM})
    assert (tmp_path / "train.py").read_text() == PROGRAM


HELPERS = {
    "with a default": "def f(prefer='cuda'):\n    return prefer if torch.cuda.is_available() "
    "else 'cpu'\n",
    "by a function of its own": "def has():\n    return torch.cuda.is_available()\n\n\n"
    "def f():\n    return torch.device('cuda' if has() else 'cpu')\n",
    "by a name": "def f():\n    found = 'cpu'\n    if torch.cuda.is_available():\n"
    "        found = 'cuda'\n    return torch.device(found)\n",
    "kept": "import functools\n\n\n@functools.lru_cache(maxsize=None)\ndef f():\n"
    "    return torch.device('cuda' if torch.cuda.device_count() > 0 else 'cpu')\n",
    "asking for what torch has": "def f():\n    if hasattr(torch, 'accelerator') and "
    "torch.accelerator.is_available():\n        return torch.accelerator.current_accelerator()\n"
    "    return torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n",
    "asking for an attribute": "def f():\n    if getattr(torch.backends, 'mps', None) is not None "
    "and torch.backends.mps.is_available():\n        return 'mps'\n"
    "    return 'cuda' if torch.cuda.is_available() else 'cpu'\n",
    "an f-string": "def f():\n    kind = 'cuda' if torch.cuda.is_available() else 'cpu'\n"
    "    return torch.device(f'{kind}')\n",
}


@pytest.mark.parametrize("text", HELPERS.values(), ids=HELPERS.keys())
def test_what_is_a_helper(tmp_path: Path, text: str) -> None:
    changed = applied(tmp_path, {"h.py": f"import torch\n\n\n{text}", "train.py": PROGRAM})
    assert "from h import f\n" in changed["train.py"]
    assert "f()" in changed["train.py"]


NOT_FROM_HERE = {
    "it imports the file": ("import train\n", ""),
    "through another": ("import between\n", "import train\n"),
    "importing it prints": ('print("hello")\n', ""),
    "it needs another library": ("import wandb\n", ""),
}


@pytest.mark.parametrize(("first", "between"), NOT_FROM_HERE.values(), ids=NOT_FROM_HERE.keys())
def test_a_helper_that_the_file_cannot_import(tmp_path: Path, first: str, between: str) -> None:
    program = """\
import torch

if __name__ == "__main__":
    net = torch.nn.Linear(2, 3).cuda()
    print(net(torch.ones(4, 2).cuda()).sum().item())
"""
    files = {"place.py": first + FOR_CUDA, "between.py": between, "train.py": program}
    changed = applied(tmp_path, files)
    assert f"device = {CHOICE}\n" in changed["train.py"]
    assert "place" not in changed["train.py"]


def test_a_name_that_the_file_has_already(tmp_path: Path) -> None:
    program = PROGRAM + "here = 3\n"
    changed = applied(tmp_path, {"place.py": FOR_CUDA, "train.py": program})
    assert f"device = {CHOICE}\n" in changed["train.py"]


def test_a_name_that_the_file_reads(tmp_path: Path) -> None:
    helper = FOR_CUDA.replace("here", "sum")
    changed = applied(tmp_path, {"place.py": helper, "train.py": PROGRAM + "print(sum([1, 2]))\n"})
    assert f"device = {CHOICE}\n" in changed["train.py"]


def test_no_import_asks_for_cuda_before_the_gpus_are_chosen(tmp_path: Path) -> None:
    start = 'import os\n\nimport torch\nfrom torch import nn\n\nos.environ["CUDA_VISIBLE_DEVICES"]'
    program = PROGRAM.replace("import torch\nfrom torch import nn\n", f'{start} = "1"\n')
    config = f"import torch\n\nPLACE = {CHOICE}\n"
    other = "import torch\n\nfrom config import PLACE\n\nprint(torch.ones(2, device=PLACE).sum())\n"
    files = {"config.py": config, "other.py": other, "train.py": program}
    changed = applied(tmp_path, files)
    assert "PLACE" not in changed["train.py"]


def test_beside_what_stays_on_cuda_a_device_is_for_cuda(tmp_path: Path) -> None:
    program = """\
import torch

net = torch.nn.Linear(2, 3)
table = torch.load("table.pt", map_location="cuda:1")
print(net(torch.ones(4, 2)).sum().item())
"""
    changed = applied(tmp_path, {"place.py": HELPER, "train.py": program})
    assert "which" not in changed.get("train.py", "")


CHECKS = {
    "a check that stays": """\
import torch

sales = torch.ones(4, 2)
if torch.cuda.is_available():
    sales = sales.cuda()
else:
    sales = sales * 2
trend = torch.ones(4, 2)
if torch.cuda.is_available():
    trend = trend.cuda()
print((sales + trend).sum().item())
""",
    "a list of devices": """\
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
args = parser.parse_args()
print(torch.ones(2).to(args.device).sum().item())
""",
    "a flag": """\
import torch

use_cuda = torch.cuda.is_available()
sales = torch.ones(4, 2)
if use_cuda:
    sales = sales.cuda()
print(sales.sum().item(), use_cuda)
""",
}


@pytest.mark.parametrize("program", CHECKS.values(), ids=CHECKS.keys())
def test_beside_a_check_for_cuda_a_device_is_for_cuda(tmp_path: Path, program: str) -> None:
    changed = applied(tmp_path, {"place.py": HELPER, "train.py": program})
    assert "which" not in changed.get("train.py", "")


def test_beside_a_check_a_helper_for_cuda_will_do(tmp_path: Path) -> None:
    guarded = "trend = torch.ones(4, 2)\nif torch.cuda.is_available():\n    trend = trend.cuda()\n"
    program = CHECKS["a check that stays"]
    assert guarded in program
    program = program.replace(guarded, "trend = torch.ones(4, 2).cuda()\n")
    changed = applied(tmp_path, {"place.py": FOR_CUDA, "train.py": program})
    assert "device = here()" in changed["train.py"]


def test_a_check_that_moves_nothing_may_stay(tmp_path: Path) -> None:
    program = PROGRAM.replace(
        "net = ", "if torch.cuda.is_available():\n    torch.cuda.manual_seed(0)\nnet = "
    )
    changed = applied(tmp_path, {"place.py": HELPER, "train.py": program})
    assert "device = which()" in changed["train.py"]


def test_the_expression_of_the_user_outranks_the_helper(tmp_path: Path) -> None:
    settings = Settings(style="project", device_expression='torch.device("cpu")')
    changed = applied(tmp_path, {"train.py": PROGRAM}, settings)
    assert 'device = torch.device("cpu")\n' in changed["train.py"]


def test_what_lies_around_a_repository_is_another_project(tmp_path: Path) -> None:
    for name in (".git", "inner/.git"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "other.py").write_text(HELPER)
    changed = applied(tmp_path / "inner", {"place.py": FOR_CUDA, "train.py": PROGRAM})
    assert "from place import here\n" in changed["train.py"]


def test_one_file_of_a_project(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n')
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "place.py").write_text(FOR_CUDA)
    path = tmp_path / "train.py"
    path.write_text(PROGRAM)
    apply([path], STYLE, codemods=CODEMODS)
    assert "from lib.place import here\n" in path.read_text()


BESIDE = """\
import torch

from utils.device import {names}

net = torch.nn.Linear(2, 3).cuda()
print({names})
print(net(torch.ones(4, 2).cuda()).sum().item())
"""


@pytest.mark.parametrize(
    ("helper", "names", "imported", "device"),
    [
        pytest.param(FOR_CUDA, "here", "here", "here()", id="it has it"),
        pytest.param(FOR_CUDA, "other", "other, here", "here()", id="it has its module"),
        pytest.param(
            HELPER,
            "other",
            "other",
            'torch.device("cuda" if torch.cuda.is_available() else "cpu")',
            id="it knows other accelerators",
        ),
    ],
)
def test_a_helper_at_hand_is_used_in_the_usual_style(
    helper: str, names: str, imported: str, device: str, tmp_path: Path
) -> None:
    module = f"{helper}\n\nother = 3\n"
    files = {"utils/__init__.py": "", "utils/device.py": module}
    files["train.py"] = BESIDE.format(names=names)
    changed = applied(tmp_path, files, Settings())
    assert changed.keys() == {"train.py"}
    assert f"from utils.device import {imported}\n\ndevice = {device}\n" in changed["train.py"]


def test_a_helper_that_is_far_to_seek_is_not_used_in_the_usual_style(tmp_path: Path) -> None:
    files = {"utils/__init__.py": "", "utils/device.py": FOR_CUDA, "train.py": CALLED}
    changed = applied(tmp_path, files, Settings())
    assert "utils" not in changed["train.py"]
    assert (
        'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
        in (changed["train.py"])
    )


CALLED = """\
import torch

net = torch.nn.Linear(2, 3).cuda()
print(net(torch.ones(4, 2).cuda()).sum().item())
"""


def test_a_function_beside_the_helper_calls_it(tmp_path: Path) -> None:
    text = f"{FOR_CUDA}\n\ndef moved(x):\n    return x.cuda()\n"
    changed = applied(tmp_path, {"tools.py": text}, Settings())
    assert changed["tools.py"].endswith(
        "def moved(x):\n    device = here()\n    return x.to(device)\n"
    )


@pytest.mark.parametrize("name", ["my-tools.py", "class.py"])
def test_a_file_that_no_import_can_name_has_no_helper(name: str, tmp_path: Path) -> None:
    changed = applied(tmp_path, {name: FOR_CUDA, "train.py": CALLED}, Settings())
    assert changed.keys() == {"train.py"}
    with pytest.raises(EngineError, match="no device helper"):
        apply([tmp_path], STYLE, codemods=CODEMODS)
