"""The example programs, before and after ``devicefix apply``: what runs, prints, and differs."""

from __future__ import annotations

import ast
import difflib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

import pytest

from tests.forking import run_forked

EXAMPLES: Final = Path(__file__).resolve().parent.parent / "examples"


@dataclass(frozen=True, slots=True)
class Example:
    """What is known of one program.

    ``fails_today`` is what it says on stderr when it is run on a CPU as it stands, or empty where
    it runs; ``diff`` is what apply changes (``-`` and ``+`` lines, blank ones left out), or empty.
    """

    diff: str = ""
    fails_today: str = ""


TWO_DTYPES: Final = "mat1 and mat2 must have the same dtype"
NEEDS_CUDA: Final = "needs CUDA"

TABLE: Final = MappingProxyType(
    {
        "device_chosen_by_if_else.py": Example(),
        "device_ignored_by_factory.py": Example(
            diff="""\
-samples = torch.randn(600, 200)
+samples = torch.randn(600, 200, device=device)
-vector = torch.ones(200)
+vector = torch.ones(200, device=device)
""",
        ),
        "factory_followed_by_to.py": Example(),
        "float64_images_moved_twice.py": Example(
            fails_today=TWO_DTYPES,
            diff="""\
-images = torch.from_numpy(pictures).to(device)
+images = torch.from_numpy(pictures).float().to(device)
""",
        ),
        "guarded_convolution.py": Example(
            diff="""\
+device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
-if torch.cuda.is_available():
-    image = image.cuda()
-    weight = weight.cuda()
-    bias = bias.cuda()
+image = image.to(device)
+weight = weight.to(device)
+bias = bias.to(device)
""",
        ),
        "guarded_cuda_with_else.py": Example(),
        "handwritten_cuda_kernel.py": Example(fails_today=NEEDS_CUDA),
        "in_place_add_on_device.py": Example(),
        "input_left_behind.py": Example(
            diff="""\
-inputs = torch.randn(256, 8)
+inputs = torch.randn(256, 8, device=device)
""",
        ),
        "integer_input_to_linear.py": Example(
            fails_today=TWO_DTYPES,
            diff="""\
-rolls = torch.cat([fair, loaded]).to(device)
+rolls = torch.cat([fair, loaded]).float().to(device)
""",
        ),
        "large_input_moved_in_the_call.py": Example(),
        "model_moved_input_not.py": Example(
            diff="""\
-x = torch.linspace(-3, 3, 120).unsqueeze(1)
+x = torch.linspace(-3, 3, 120, device=device).unsqueeze(1)
-fitted = model(x).detach().numpy()
-print(f"largest error {np.abs(fitted - y.numpy()).max():.3f}")
+fitted = model(x).detach().cpu().numpy()
+print(f"largest error {np.abs(fitted - y.cpu().numpy()).max():.3f}")
""",
        ),
        "numpy_cast_but_not_moved.py": Example(
            diff="""\
-inputs = inputs.to(torch.float32)
-labels = torch.from_numpy(species)
+inputs = inputs.to(torch.float32).to(device)
+labels = torch.from_numpy(species).to(device)
""",
        ),
        "operands_on_two_devices.py": Example(
            diff="""\
-heater = torch.rand(48, 48)
+heater = torch.rand(48, 48, device=device)
""",
        ),
        "pinned_batches_never_moved.py": Example(
            diff="""\
+        points, labels = points.to(device, non_blocking=True), labels.to(device, non_blocking=True)
""",
        ),
    }
)
CHANGED: Final = sorted(name for name, example in TABLE.items() if example.diff)
UNCHANGED: Final = sorted(name for name, example in TABLE.items() if not example.diff)
RUN_TODAY: Final = sorted(name for name, example in TABLE.items() if not example.fails_today)
TWO_DTYPES_TODAY: Final = sorted(
    name for name, example in TABLE.items() if example.fails_today == TWO_DTYPES
)


def run_devicefix(*arguments: str | Path, state: Path) -> subprocess.CompletedProcess[str]:
    """Run the command line, with its journal kept under ``state``."""
    return subprocess.run(
        [sys.executable, "-m", "devicefix", *map(str, arguments)],
        env={**os.environ, "DEVICEFIX_STATE_DIR": str(state)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


CLEAN: Final = {"PYTHONDONTWRITEBYTECODE": "1"}
"""The examples stay as they are."""


def run_program(program: Path) -> subprocess.CompletedProcess[str]:
    """Run a program on the CPU, also where there is a GPU."""
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1", **CLEAN}
    return run_forked((sys.executable, program.name), environment, program.parent)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.py")}


def changed_lines(before: bytes, after: bytes) -> str:
    """The ``-`` and ``+`` lines of a diff, without the blank ones."""
    old, new = before.decode().splitlines(), after.decode().splitlines()
    header_lines = 2
    lines = list(difflib.unified_diff(old, new, n=0, lineterm=""))[header_lines:]
    return "".join(f"{line}\n" for line in lines if line[0] in "-+" and line[1:].strip())


def copy_of_the_examples(parent: Path) -> Path:
    return Path(shutil.copytree(EXAMPLES, parent / "examples", ignore=lambda *_: ["__pycache__"]))


@pytest.fixture(scope="module")
def applied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the examples on which ``devicefix apply`` has run; tests only read it."""
    base = tmp_path_factory.mktemp("applied")
    folder = copy_of_the_examples(base)
    result = run_devicefix("apply", folder, state=base / "state")
    assert result.returncode == 0, result.stderr
    return folder


@pytest.mark.parametrize("name", ["tagger", "spirals"])
def test_a_program_of_three_files_prints_the_same(applied: Path, name: str) -> None:
    before, after = (run_program(f / name / "train.py") for f in (EXAMPLES, applied))
    assert (before.returncode, after.returncode) == (0, 0), before.stderr + after.stderr
    assert before.stdout == after.stdout != ""


def test_a_program_of_2017_runs(applied: Path) -> None:
    before, after = (run_program(f / "bars_2017" / "train.py") for f in (EXAMPLES, applied))
    assert "SyntaxError" in before.stderr
    assert after.returncode == 0, after.stderr
    means = re.findall(r"mean loss ([\d.]+)", after.stdout)
    assert len(means) == 3
    assert float(means[0]) > 2 * float(means[2])
    assert re.search(r"right: \d+ of 50 lying, \d+ of 50 standing\n$", after.stdout)


def test_a_program_of_2017_is_one_of_python_3_then(applied: Path) -> None:
    for name, old in contents(EXAMPLES / "bars_2017").items():
        new = (applied / "bars_2017" / name).read_bytes()
        ast.parse(new)
        assert b" / 2" not in new
        assert new != old


def test_the_table_knows_every_example() -> None:
    assert sorted(contents(EXAMPLES)) == sorted(TABLE)


@pytest.mark.parametrize("name", sorted(TABLE))
def test_an_example_says_on_top_what_happens(name: str) -> None:
    lines = (EXAMPLES / name).read_text().splitlines()
    comment = [line for line in lines[:4] if line.startswith("# ")]
    assert 1 <= len(comment) <= 3
    assert re.search(r"\bCPU\b.*\bGPU\b", " ".join(comment))


@pytest.mark.parametrize("name", CHANGED)
def test_apply_changes_these_lines_and_no_other(applied: Path, name: str) -> None:
    before, after = (EXAMPLES / name).read_bytes(), (applied / name).read_bytes()
    assert changed_lines(before, after) == TABLE[name].diff


@pytest.mark.parametrize("name", UNCHANGED)
def test_apply_leaves_what_is_right_as_it_is(applied: Path, name: str) -> None:
    assert (applied / name).read_bytes() == (EXAMPLES / name).read_bytes()


@pytest.mark.parametrize("name", RUN_TODAY)
def test_what_ran_before_prints_the_same(applied: Path, name: str) -> None:
    before = run_program(EXAMPLES / name)
    assert before.returncode == 0, before.stderr
    assert before.stdout.strip()
    if TABLE[name].diff:
        after = run_program(applied / name)
        assert (after.returncode, after.stdout) == (0, before.stdout), after.stderr


@pytest.mark.parametrize("name", TWO_DTYPES_TODAY)
def test_what_failed_for_its_dtype_runs(applied: Path, name: str) -> None:
    before = run_program(EXAMPLES / name)
    assert before.returncode == 1
    assert TWO_DTYPES in before.stderr
    after = run_program(applied / name)
    assert after.returncode == 0, after.stderr
    assert after.stdout.strip()


def test_the_handwritten_kernel_says_that_it_needs_cuda() -> None:
    result = run_program(EXAMPLES / "handwritten_cuda_kernel.py")
    assert result.returncode == 1
    assert NEEDS_CUDA in result.stderr


def test_a_second_apply_changes_nothing(applied: Path, tmp_path: Path) -> None:
    again = run_devicefix("apply", "--check", applied, state=tmp_path)
    assert again.returncode == 0, again.stdout + again.stderr


def test_check_before_apply_says_that_there_is_work(tmp_path: Path) -> None:
    folder = copy_of_the_examples(tmp_path)
    result = run_devicefix("apply", "--check", folder, state=tmp_path / "state")
    assert result.returncode == 1, result.stderr
    assert contents(folder) == contents(EXAMPLES)


def test_undo_restores_every_byte_and_redo_brings_it_back(applied: Path) -> None:
    state, rewritten = applied.parent / "state", contents(applied)
    assert rewritten != contents(EXAMPLES)
    for command, expected in (("undo", contents(EXAMPLES)), ("redo", rewritten)):
        result = run_devicefix(command, applied, state=state)
        assert result.returncode == 0, result.stderr
        assert contents(applied) == expected
