"""Notebooks on the command line: what is told names the cell, what is written is one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devicefix.cli import main
from devicefix.observe import notebook as notebook_runner
from devicefix.source.notebooks import is_valid
from tests.forking import run_forked
from tests.notebooks import notebook, sources

IMPORTS = "%matplotlib inline\nimport torch\n!pip install -q numpy\nfrom torch import nn"
MODEL = "net = nn.Linear(3, 2)\nx = torch.zeros(4, 3)"
READ = "%time y = net(x)\nprint(y.detach().numpy())"
DEVICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
LESSON = notebook("#md A lesson", IMPORTS, MODEL, READ, "1 + 1")
FIXED = [
    " A lesson",
    f"{IMPORTS}\n\n{DEVICE}",
    "net = nn.Linear(3, 2).to(device)\nx = torch.zeros(4, 3, device=device)",
    "%time y = net(x)\nprint(y.detach().cpu().numpy())",
    "1 + 1",
]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Run:
    """Writes files into a folder of its own and runs the command line there."""
    monkeypatch.setenv("DEVICEFIX_STATE_DIR", str(tmp_path / "state"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")

    def run(files: dict[str, bytes], *arguments: str) -> tuple[int, str, str]:
        for name, data in files.items():
            Path(name).write_bytes(data)
        status = main(arguments)
        captured = capfdbinary.readouterr()
        return status, captured.out.decode(), captured.err.decode()

    return run


def test_findings_name_the_cell(run: Run) -> None:
    status, out, _ = run({"lesson.ipynb": LESSON}, "check", ".")
    assert status == 1
    assert "lesson.ipynb:cell 3:1:7 DFX101" in out
    assert "lesson.ipynb:cell 4:2:7 DFX401" in out
    _, out, _ = run({}, "check", ".", "--output-format", "json")
    places = {(f["code"], f["cell"], f["line"], f["column"]) for f in json.loads(out)["findings"]}
    assert places == {("DFX101", 3, 1, 7), ("DFX103", 3, 2, 5), ("DFX401", 4, 2, 7)}
    assert not any(finding["edits"] for finding in json.loads(out)["findings"])


def test_a_dry_run_shows_the_cells_and_not_the_json(run: Run) -> None:
    _, out, _ = run({"lesson.ipynb": LESSON}, "apply", "--dry-run", ".")
    assert out.startswith(
        "--- a/lesson.ipynb\n+++ b/lesson.ipynb\n@@ cell 2: -2,3 +2,5 @@\n import torch\n"
    )
    assert f"+{DEVICE}\n@@ cell 3: -1,2 +1,2 @@\n-net = nn.Linear(3, 2)\n" in out
    assert out.endswith(
        " %time y = net(x)\n-print(y.detach().numpy())\n+print(y.detach().cpu().numpy())\n"
    )
    assert Path("lesson.ipynb").read_bytes() == LESSON


def test_what_is_written_is_a_notebook_and_can_be_undone(run: Run) -> None:
    assert run({"lesson.ipynb": LESSON}, "apply", ".")[0] == 0
    after = Path("lesson.ipynb").read_bytes()
    assert sources(after) == FIXED
    assert is_valid(after)
    for cells in (before := json.loads(LESSON)), (content := json.loads(after)):
        for cell in cells["cells"]:
            del cell["source"]
    assert content == before
    assert "Nothing to fix" in run({}, "apply", ".")[1]
    assert run({}, "undo")[0] == 0
    assert Path("lesson.ipynb").read_bytes() == LESSON


@pytest.mark.parametrize("wish", ["option", "setting"])
def test_outputs_of_changed_cells_are_cleared_on_request(run: Run, wish: str) -> None:
    files = {"lesson.ipynb": LESSON}
    if wish == "setting":
        files["pyproject.toml"] = b"[tool.devicefix]\nclear-outputs = true\n"
    options = ["--clear-outputs"] if wish == "option" else []
    _, out, _ = run(files, "apply", "--dry-run", ".", *options)
    assert "@@ cell 2: -2,3 +2,5 @@, outputs cleared\n" in out
    run({}, "apply", ".", *options)
    cells = json.loads(Path("lesson.ipynb").read_bytes())["cells"][1:]
    assert [cell["outputs"] == [] for cell in cells] == [True, True, True, False]
    assert [cell["execution_count"] for cell in cells] == [None, None, None, 5]


def test_comments_in_cells_suppress(run: Run) -> None:
    quiet = notebook("import torch", "x = torch.load('x')  # devicefix: ignore\ntorch.load('y')")
    _, out, _ = run({"a.ipynb": quiet}, "check", ".")
    assert "a.ipynb:cell 2:2:1 DFX402" in out
    assert "1 finding in" in out
    skipped = notebook("# devicefix: skip-file", "import torch", "torch.load('y')")
    assert "Nothing found" in run({"a.ipynb": skipped}, "check", ".")[1]


def test_what_is_wrong_with_a_cell_stops_nothing_else(run: Run) -> None:
    broken = notebook("import torch", "x = (", "torch.load('y')\nprint(x)")
    spare = notebook("import torch", "an exercise", "torch.load('y')")
    status, out, err = run({"a.ipynb": broken, "b.ipynb": spare, "c.ipynb": b"torch"}, "check", ".")
    assert status == 2
    assert "b.ipynb:cell 3:1:1 DFX402" in out
    assert "a.ipynb:cell 2:1: error: syntax error: '(' was never closed" in err
    assert "b.ipynb:cell 2:1: error: syntax error: invalid syntax (the cell is skipped)" in err
    assert "c.ipynb: error: is not a notebook" in err


def test_a_notebook_and_the_modules_beside_it_are_one_program(run: Run) -> None:
    model = b"from torch import nn\n\n\ndef make():\n    return nn.Linear(3, 2)\n"
    lesson = notebook("import torch\nfrom model import make", "net = make()\nnet(torch.ones(1, 3))")
    run({"model.py": model, "a.ipynb": lesson}, "apply", ".")
    assert "make().to(device)" in sources(Path("a.ipynb").read_bytes())[1]
    assert Path("model.py").read_bytes() == model


def test_a_line_is_explained(run: Run) -> None:
    for place in ("lesson.ipynb:4:2", "lesson.ipynb:cell 4:2:7"):
        _, out, _ = run({"lesson.ipynb": LESSON}, "explain", place)
        assert out.startswith("lesson.ipynb:cell 4:2 print(y.detach().numpy())\n")
        assert "lesson.ipynb:cell 4:1" in out
        assert ": %time y = net(x)" in out
    _, out, _ = run({}, "explain", "lesson.ipynb:4:2", "--output-format", "json")
    content = json.loads(out)
    assert (content["cell"], content["line"]) == (4, 2)
    assert {f["cell"] for value in content["values"] for f in value["findings"]} == {3, 4}


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("lesson.ipynb:4", "which cell?"),
        ("lesson.ipynb:1:1", "no cell 1 with Python in lesson.ipynb"),
        ("lesson.ipynb:3:9", "no line 9 in cell 3 of lesson.ipynb: it has 2"),
        ("lesson.ipynb:3:1:99", "lesson.ipynb:cell 3:1 has no column 99"),
    ],
)
def test_a_place_that_is_not_there(run: Run, place: str, told: str) -> None:
    status, _, err = run({"lesson.ipynb": LESSON}, "explain", place)
    assert status == 2
    assert told in err


def test_other_kernels_and_stubs_are_left_alone(run: Run) -> None:
    r = notebook("library(torch)", metadata={"kernelspec": {"language": "R", "name": "ir"}})
    assert "Nothing found" in run({"r.ipynb": r, "a.pyi": b"import torch\n"}, "check", ".")[1]
    status, _, err = run({}, "check", "a.pyi")
    assert (status, err) == (
        2,
        "a.pyi: error: is a type stub, which has no devices: skipped\n",
    )


PERCENT = b"""\
# %% [markdown]
# # A lesson

# %%
# %matplotlib inline
import torch
from torch import nn
# %%
net = nn.Linear(3, 2)

# %%
# !nvidia-smi
print(net(torch.ones(1, 3)).sum().item())
"""


def test_scripts_with_cells_are_plain_sources(run: Run) -> None:
    run({"lesson.py": PERCENT}, "apply", ".")
    new = PERCENT.replace(b"import nn\n", f"import nn\n\n{DEVICE}\n\n".encode())
    new = new.replace(b"Linear(3, 2)", b"Linear(3, 2).to(device)")
    assert Path("lesson.py").read_bytes() == new.replace(
        b"ones(1, 3)", b"ones(1, 3, device=device)"
    )


def test_patch_passes_over_notebooks(run: Run, tmp_path: Path) -> None:
    script = b"import torch\ntorch.load('x')\n"
    _, out, _ = run({"lesson.ipynb": LESSON, "a.py": script}, "apply", "--dry-run", ".")
    (tmp_path / "patch").write_text(out)
    subprocess.run(["git", "apply", str(tmp_path / "patch")], check=True, timeout=60)
    assert b"map_location" in Path("a.py").read_bytes()
    assert Path("lesson.ipynb").read_bytes() == LESSON


def test_the_example_runs_where_there_is_no_gpu(run: Run) -> None:
    example = Path(__file__).parents[2] / "examples" / "fuel.ipynb"
    run({"fuel.ipynb": example.read_bytes()}, "apply", "fuel.ipynb")
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}

    def ran(file: Path) -> subprocess.CompletedProcess[str]:
        return run_forked(
            (sys.executable, notebook_runner.__file__, str(file)), environment, example.parent
        )

    before, after = ran(example), ran(Path("fuel.ipynb").resolve())
    assert (before.returncode, after.returncode) == (1, 0), after.stderr
    assert after.stdout.startswith(before.stdout)
    assert len(after.stdout.splitlines()) == len(before.stdout.splitlines()) + 1 == 4


def test_a_move_stays_that_another_cell_has_made(run: Run) -> None:
    """The cell that makes the tensor may run again before the one that reads it."""
    made = "x = torch.ones(2, 3)"
    moved = f"{DEVICE}\nnet = nn.Linear(3, 2).to(device)\nx = x.to(device)"
    lesson = notebook("import torch\nfrom torch import nn", made, moved, "print(net(x.cuda()))")
    _, out, _ = run({"lesson.ipynb": lesson}, "apply", "--dry-run", ".")
    assert "-print(net(x.cuda()))\n+print(net(x.to(device)))" in out
