"""``devicefix run`` from end to end: programs that import torch, on the simulated accelerator."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import pytest

from devicefix.verification import launching, trying
from devicefix.verification.execution import execute
from tests.cli.conftest import Devicefix
from tests.forking import Borrowed, run_forked, supervise_forked

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
SCHEMA = json.loads((ROOT / "docs" / "run.schema.json").read_text(encoding="utf-8"))

Ran = subprocess.CompletedProcess[str]
Run = Callable[..., Ran]

pytestmark = pytest.mark.slow


@pytest.fixture
def run_it(answer: Devicefix, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """``devicefix run`` in a folder of its own, which is also where reports go.

    The command is our own process, and what it starts is forked off a Python that has torch.
    """
    monkeypatch.setattr(launching, "supervise", supervise_forked)
    forked = partial(execute, fork_server=Borrowed(sys.executable))
    monkeypatch.setattr(trying, "execute", forked)

    def run_it(*arguments: str) -> Ran:
        done = answer(tmp_path, "run", *arguments)
        return subprocess.CompletedProcess(arguments, *done)

    return run_it


@pytest.fixture
def run_afresh(tmp_path: Path, state: Path) -> Run:
    """The same as users have it: processes from nothing."""
    return partial(run_in, tmp_path, state)


def run_in(folder: Path, state: Path, *arguments: str, path: str = "") -> Ran:
    env = {k: v for k, v in os.environ.items() if k not in {"VIRTUAL_ENV", "CONDA_PREFIX"}}
    env["DEVICEFIX_STATE_DIR"] = str(state)
    if path:
        env["PYTHONPATH"] = path
    command = [sys.executable, "-m", "devicefix", "run", *arguments]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=600)


class Shown(NamedTuple):
    """What a run said on the screen and in its report."""

    done: Ran
    report: dict[str, Any]


@pytest.fixture(scope="module")
def kept() -> dict[str, Shown]:
    """What examples have shown."""
    return {}


@pytest.fixture
def ran(
    run_it: Run, example: Callable[[str], str], kept: dict[str, Shown], tmp_path: Path
) -> Callable[[str], Shown]:
    """What an example shows; each is run once."""

    def ran(name: str) -> Shown:
        if name not in kept:
            done = run_it("--output-format", "json", example(name))
            text = (tmp_path / "devicefix-run.json").read_text(encoding="utf-8")
            kept[name] = Shown(done, json.loads(text))
        return kept[name]

    return ran


@pytest.fixture
def example(tmp_path: Path) -> Callable[[str], str]:
    def example(name: str) -> str:
        return Path(shutil.copy(EXAMPLES / name, tmp_path)).name

    return example


def screen(done: Ran) -> list[str]:
    """What devicefix says below the traceback."""
    lines = done.stderr.splitlines()
    starts = [at for at, line in enumerate(lines) if line.startswith("── devicefix")]
    return lines[starts[0] :] if starts else []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "model_moved_input_not.py",
            [
                "  x (mat1)              cpu     float32 [120, 1]",
                "            - x = torch.linspace(-3, 3, 120).unsqueeze(1)",
                "    never moved",
                "    moved   model_moved_input_not.py:24  model.to(device)",
                (
                    "  fix       `devicefix apply model_moved_input_not.py`"
                    " fixes this, tried in a copy (DFX103)"
                ),
                "            + x = torch.linspace(-3, 3, 120, device=device).unsqueeze(1)",
            ],
        ),
        (
            "operands_on_two_devices.py",
            [
                (
                    "  fix       `devicefix apply operands_on_two_devices.py`"
                    " fixes this, tried in a copy (DFX103)"
                ),
                "            + heater = torch.rand(48, 48, device=device)",
            ],
        ),
        (
            "pinned_batches_never_moved.py",
            ["    created pinned_batches_never_moved.py:37  for points, labels in loader:"],
        ),
        (
            "numpy_cast_but_not_moved.py",
            ["            + inputs = inputs.to(torch.float32).to(device)"],
        ),
    ],
)
def test_the_screen_about_an_error(ran: Callable[[str], Shown], name: str, said: list[str]) -> None:
    done = ran(name).done
    assert done.returncode == 1
    shown = screen(done)
    assert len(shown) <= 24
    assert set(said) <= set(shown), "\n".join(shown)
    if name == "operands_on_two_devices.py":
        assert shows("questions.md", "\n".join(shown))
    assert "devicefix/" not in done.stderr  # the traceback is the program's


def shows(document: str, screen: str) -> bool:
    """Whether a page has this screen, at the end of a block."""
    return f"\n{screen}\n```\n" in (ROOT / "docs" / document).read_text(encoding="utf-8")


def test_the_screen_that_documents_show(ran: Callable[[str], Shown]) -> None:
    shown = "\n".join(screen(ran("model_moved_input_not.py").done))
    pages = ["../README.md", "run.md", "questions.md"]
    assert [page for page in pages if not shows(page, shown)] == []


def test_the_screen_that_the_first_steps_show(run_it: Run, tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    (program,) = re.findall(r'^```python title="train.py".*?\n(.*?)^```$', guide, re.M | re.S)
    (tmp_path / "train.py").write_text(program)
    assert shows("start.md", "\n".join(screen(run_it("train.py"))))


@pytest.mark.parametrize(
    ("name", "share"), [("device_ignored_by_factory.py", 0), ("guarded_convolution.py", 0.97)]
)
def test_where_it_computed(
    run_it: Run, example: Callable[[str], str], tmp_path: Path, name: str, share: float
) -> None:
    plain = run_forked((sys.executable, name), os.environ, EXAMPLES)
    assert plain.returncode == 0, plain.stderr
    done = run_it("--output-format", "json", example(name))
    assert (done.returncode, done.stdout, done.stderr) == (0, plain.stdout, "")
    content = json.loads((tmp_path / "devicefix-run.json").read_text(encoding="utf-8"))
    assert content["share"] == pytest.approx(share, abs=0.01)


def test_a_report_keeps_to_the_schema(ran: Callable[[str], Shown]) -> None:
    content = ran("model_moved_input_not.py").report
    jsonschema.Draft202012Validator(SCHEMA).validate(content)
    assert content["error"]["placement"]
    assert content["error"]["remedy"]["codes"] == ["DFX103"]


def test_a_notebook(run_afresh: Run, tmp_path: Path) -> None:
    cells = [
        "!pip install torch\nimport torch",
        "model = torch.nn.Linear(4, 2).cuda()",
        "x = torch.randn(3, 4)\nmodel(x)",
    ]
    content = {"cells": [{"cell_type": "code", "source": cell} for cell in cells]}
    (tmp_path / "a.ipynb").write_text(json.dumps(content))
    done = run_afresh("--no-try", "a.ipynb")
    assert done.returncode == 1
    assert 'a.ipynb:cell 3", line 2, in <module>\n    model(x)' in done.stderr
    assert "    created a.ipynb:cell 3:1  x = torch.randn(3, 4)" in screen(done)


def test_commands_that_start_python(
    run_afresh: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest -p no:anyio")
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    program = "import os, torch\nprint('on', torch.zeros(1).cuda().device, os.getppid() > 1)\n"
    (tmp_path / "p.py").write_text(program)
    (tmp_path / "test_p.py").write_text("import p, torch\ndef test(): p.torch.zeros(1).cuda()\n")
    tested = f"'{sys.executable}' -m pytest -q -p no:cacheprovider"
    done = run_afresh("bash", "-c", f"{tested} && echo so says bash")
    assert (done.returncode, "1 passed" in done.stdout) == (0, True)
    assert "devicefix: 0 of 1 test computed on cuda; 1 transfer" in done.stdout
    assert done.stdout.endswith("\nso says bash\n")
    done = run_afresh("--no-summary", "bash", "-c", tested)
    assert (done.returncode, "1 passed" in done.stdout) == (0, True)
    assert "devicefix:" not in done.stdout
    done = run_afresh("torchrun", "--nproc-per-node", "1", "p.py")
    assert (done.returncode, done.stdout) == (0, "on cuda:0 True\n"), done.stderr


def test_a_program_that_is_interrupted_says_where_it_computed(tmp_path: Path, state: Path) -> None:
    text = "import torch\nx = torch.eye(50).cuda()\nx = x @ x\nprint('ready', flush=True)\n"
    (tmp_path / "p.py").write_text(text + "while True:\n    x = x @ x\n")
    command = [sys.executable, "-m", "devicefix", "run", "--summary", "p.py"]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        env={**os.environ, "DEVICEFIX_STATE_DIR": str(state)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130
    assert "KeyboardInterrupt" in err
    assert any(line.startswith("arithmetic   cuda:0     100%") for line in err.splitlines())


def test_a_program_that_is_killed_is_said_to_be(run_it: Run, tmp_path: Path) -> None:
    text = "import os, torch\nx = torch.eye(50).cuda()\nos.kill(os.getpid(), 9)\n"
    (tmp_path / "p.py").write_text(text)
    done = run_it("--summary", "p.py")
    assert done.returncode == 137
    assert "killed by signal 9 (SIGKILL)" in done.stderr
    assert "was not recorded to its end" in done.stderr


def test_a_torch_that_nobody_knows(run_afresh: Run, tmp_path: Path) -> None:
    (tmp_path / "fake" / "torch").mkdir(parents=True)
    (tmp_path / "fake" / "torch" / "__init__.py").write_text('__version__ = "99"\n')
    (tmp_path / "p.py").write_text("import torch\nprint('it ran')\n")
    done = run_afresh("p.py", path=str(tmp_path / "fake"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "torch" in done.stderr
    assert "Traceback" not in done.stderr
