"""Python 2 in several files, through the engine as the command line uses it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devicefix.engine import Report, apply, check
from devicefix.settings import Settings

Write = Callable[..., Path]
TORCH = "import torch\nprint torch\n"


@pytest.fixture
def project(tmp_path: Path) -> Write:
    def write(**files: str) -> Path:
        (tmp_path / ".git").mkdir()
        for name, text in files.items():
            path = tmp_path / f"{name.replace('__', '/').replace('INIT', '__init__')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


def after(report: Report, folder: Path) -> dict[str, str]:
    return {
        str(Path(result.path).relative_to(folder)): change.after.decode()
        for result, change in report.changes
    }


def run(folder: Path, **settings: bool) -> Report:
    return apply([folder], Settings(**settings), dry_run=True)


def test_a_file_that_only_python_2_imports_is_python_2(project: Write) -> None:
    helper = "import torch\nN = 7\nprint(N / 2)\n"
    folder = project(train=f"import helper, shared\n{TORCH}", helper=helper, shared=helper)
    modern = "import torch\nimport shared\nprint(torch, 7 / 2)\n"
    (folder / "modern.py").write_text(modern)
    report = run(folder)
    assert not report.errors
    assert after(report, folder) == {
        "train.py": "import helper, shared\nimport torch\nprint(torch)\n",
        "helper.py": "import torch\nN = 7\nprint(N // 2)\n",
    }


def test_what_such_a_file_imports_is_python_2_as_well(project: Write) -> None:
    folder = project(
        train=f"import a\n{TORCH}", a="import torch\nfrom b import N\n", b="N = len('abc') / 2\n"
    )
    assert after(run(folder), folder)["b.py"] == "N = len('abc') // 2\n"


def test_a_file_that_imports_python_2_at_its_top_is_python_2(project: Write) -> None:
    late = "import torch\ndef f():\n    import old\nprint(torch, 7 / 2)\n"
    folder = project(old=TORCH, main="import torch\nimport old\nprint(torch, 7 / 2)\n", late=late)
    new = after(run(folder), folder)
    assert new["main.py"] == "import torch\nimport old\nprint((torch, 7 // 2))\n"
    assert "late.py" not in new


def test_a_file_that_others_import_is_nobodys_own(project: Write) -> None:
    helper = "N = 7 / 2\n"
    folder = project(old=f"import helper\n{TORCH}", helper=helper, other="import helper\n")
    assert set(after(run(folder), folder)) == {"old.py"}


def test_a_package_imports_what_lies_beside(project: Write) -> None:
    folder = project(
        train="from net.model import Net\nimport torch\nprint Net\n",
        net__INIT="",
        net__model="import layers\nimport torch\nNet = layers.Layer\nprint torch\n",
        net__layers="import torch\nLayer = torch.nn.Linear\n",
    )
    new = after(run(folder), folder)
    assert new["net/model.py"].startswith("from . import layers\n")


def test_a_script_in_a_package_imports_what_lies_beside_it(project: Write) -> None:
    folder = project(
        net__INIT="",
        net__train=f"import layers\n{TORCH}",
        net__layers="import torch\nLayer = torch.nn.Linear\n",
    )
    assert after(run(folder), folder)["net/train.py"].startswith("import layers\n")


def test_a_script_that_reads_the_command_line_imports_what_lies_beside_it(project: Write) -> None:
    folder = project(
        train="from net.layers import Layer\nimport torch\nprint Layer\n",
        net__INIT="",
        net__label=(
            "import sys, torch\nfrom layers import Layer\nif sys.argv[1] == 'a':\n    print Layer\n"
        ),
        net__layers="import torch\nLayer = torch.nn.Linear\n",
    )
    assert "\nfrom layers import Layer\n" in after(run(folder), folder)["net/label.py"]


def test_a_method_next_of_another_file_is_left_alone(project: Write) -> None:
    feed = "import torch\nclass Feed:\n    def next(self):\n        return torch.ones(2)\n"
    folder = project(train=f"from feed import Feed\nx = Feed().next()\n{TORCH}", feed=feed)
    report = run(folder)
    assert "x = Feed().next()\n" in after(report, folder)["train.py"]
    (left,) = report.files[0].left
    assert (left.finding.code, left.finding.line) == ("DFX606", 2)


def test_async_is_renamed_in_all_files(project: Write) -> None:
    folder = project(
        train=f"from tools import fetch\nx = fetch(1, async=True)\n{TORCH}",
        tools="import torch\ndef fetch(x, async=False):\n    return torch.ones(x), async\n",
    )
    new = after(run(folder), folder)
    assert "fetch(1, async_=True)" in new["train.py"]
    assert "async_=False" in new["tools.py"]


def test_async_of_a_stranger_is_an_error(project: Write) -> None:
    folder = project(train="import torch\nimport strange\nstrange.call(async=True)\n")
    (error,) = run(folder).errors
    assert error.line == 3
    assert "the name that `call` now uses for it is unknown" in error.reason


def test_notes_have_their_place_before_and_after(project: Write) -> None:
    text = "import torch\ndef f(x):\n\tprint 1\n\treturn x / 2  # why\n        print 2\n"
    folder = project(train=text)
    for report in (check([folder], Settings()), run(folder)):
        (left,) = report.files[0].left
        assert (left.finding.line, left.finding.column) == (4, 9)
    (left,) = apply([folder], Settings()).files[0].left
    new = (folder / "train.py").read_text().split("\n")
    assert new[left.finding.line - 1][left.finding.column - 1 :].startswith("x / 2")


def test_a_note_can_be_suppressed(project: Write) -> None:
    folder = project(
        train="import torch\ndef f(x):\n    return x / 2  # devicefix: ignore\nprint 1\n"
    )
    report = run(folder)
    assert report.files[0].left == ()
    assert report.changes


def test_python_2_is_left_alone_and_named(project: Write) -> None:
    folder = project(train=TORCH, later="import torch\ntorch.ones(2).cuda(async=True)\n")
    report = run(folder, python2=False)
    (error,) = report.errors
    assert (Path(error.path).name, error.line) == ("train.py", 2)
    assert "looks like Python 2 (print statement)" in error.reason
    assert set(after(report, folder)) == {"later.py"}


def test_the_option_that_leaves_it_alone(project: Write, tmp_path: Path) -> None:
    folder = project(train=TORCH)
    for command in (["check"], ["apply", "--dry-run"]):
        run = subprocess.run(
            [sys.executable, "-m", "devicefix", *command, "--no-python2", "train.py"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 2
        assert "train.py:2: error: looks like Python 2 (print statement)" in run.stderr
        assert "DFX606" not in run.stdout


def test_what_is_neither_is_named_with_both_reasons(project: Write) -> None:
    folder = project(train="import torch\nprint torch\nx = = 1\n")
    (error,) = run(folder).errors
    assert "looks like Python 2" in error.reason
    assert "as Python 2: line 3: invalid syntax at `=`" in error.reason


def test_a_second_run_changes_nothing(project: Write) -> None:
    folder = project(
        train=f"import helper\n{TORCH}print helper.N / 2\n", helper="import torch\nN = 7 / 2\n"
    )
    apply([folder], Settings())
    report = run(folder)
    assert not report.changes
    assert not report.errors


def test_bytes_of_another_encoding_survive(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(b"# coding: latin-1\r\nimport torch\r\nprint '\xe9', 1 / 2\r\n")
    apply([path], Settings())
    assert path.read_bytes() == b"# coding: latin-1\r\nimport torch\r\nprint('\xe9', 1 // 2)\r\n"


def test_a_method_of_a_class_that_is_imported_from_anywhere_is_its_own(project: Write) -> None:
    """What the program has of classes may lie in a file that has nothing to do with torch."""
    data = (
        "from __future__ import print_function\nfrom alphabet import Alphabet\n"
        "for k in Alphabet().iteritems():\n    print(k)\n"
    )
    alphabet = "class Alphabet:\n    def iteritems(self):\n        return []\n"
    folder = project(main="import torch\nimport data\n", data=data, alphabet=alphabet)
    assert after(run(folder), folder) == {}
    (folder / "alphabet.py").write_text(alphabet.replace("iteritems", "all"))
    assert "().items()" in after(run(folder), folder)["data.py"]


def test_a_program_with_a_file_that_python_2_cannot_read_is_not_python_2(project: Write) -> None:
    """A slip in one file, tabs among spaces, does not make another language of the others."""
    losses = "import torch\nif torch:\n        a = 1\n\tb = 2\n"
    size = "import torch\nimport losses\nw = 5\nprint(torch, w / 2)\n"
    folder = project(losses=losses, size=size, main='import size\nprint(f"{size.w}")\n')
    new = after(run(folder), folder)
    assert new.keys() == {"losses.py"}
