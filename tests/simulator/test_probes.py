"""The probes of placement behaviour, on the simulated accelerator and on a real one.

`tests/simulator/probes/` holds them; each states what CUDA does and where that is written. They
run in a child process (`tests/simulator/probes/run.py`), because simulating an accelerator lasts
for a whole process; on a real one, each file in a process of its own.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

from tests.forking import run_forked

ROOT: Final = Path(__file__).resolve().parent.parent.parent
RUNNER: Final = ROOT / "tests" / "simulator" / "probes" / "run.py"
SIMULATED: Final = "sim:cuda:2"


def _loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RUN: Final = _loaded(RUNNER)
PROBES: Final = [(path, node.name) for path in RUN.files() for node in RUN.probes_of(path)]
IDS: Final = [f"{path.stem}-{name}" for path, name in PROBES]


@cache
def outcomes(path: Path, device: str) -> dict[str, dict[str, Any]]:
    """What the probes of a file gave on a device, by name."""
    return {line["name"]: line for line in RUN.run_child(path, device)}


@pytest.fixture(scope="module")
def simulated(request: pytest.FixtureRequest) -> dict[str, dict[str, Any]]:
    """What the probes that are asked for gave on the simulator, by name: all in one process."""
    asked = {
        item.callspec.params["path"]
        for item in request.session.items
        if isinstance(item, pytest.Function) and "simulated" in item.fixturenames
    }
    lines = RUN.run_together(sorted(asked), SIMULATED, forked)
    return {line["name"]: line for line in lines}


def forked(command: list[str]) -> subprocess.CompletedProcess[str]:
    return run_forked(tuple(command), os.environ, RUNNER.parent)


def settle(outcome: dict[str, Any]) -> None:
    """Pass, fail or skip as the probe did."""
    if outcome["skipped"] is not None:
        pytest.skip(outcome["skipped"])
    assert outcome["passed"], outcome["detail"]


@pytest.mark.slow
@pytest.mark.parametrize(("path", "name"), PROBES, ids=IDS)
def test_the_simulator_does_what_cuda_does(
    path: Path, name: str, simulated: dict[str, dict[str, Any]]
) -> None:
    settle(simulated[name])


@cache
def gpu() -> str:
    """Why there is no GPU to run on; empty if there is one."""
    import torch

    return "" if torch.cuda.is_available() else "torch sees no CUDA device on this machine"


@pytest.mark.gpu
@pytest.mark.slow
@pytest.mark.parametrize(("path", "name"), PROBES, ids=IDS)
def test_a_gpu_does_what_the_probe_says(path: Path, name: str) -> None:
    if reason := gpu():
        pytest.skip(reason)
    settle(outcomes(path, "cuda")[name])


def test_there_are_enough_probes_and_names_are_unique() -> None:
    names = [name for _, name in PROBES]
    assert len(names) >= 80
    assert len(set(names)) == len(names)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a runner that needs no device and one file of probes: one passes, one
    fails, one is skipped, one ends the process, one comes too late."""
    runner = RUNNER.read_text(encoding="utf-8")
    (tmp_path / "run.py").write_text(runner.replace("    import torch\n", "    return name\n", 1))
    helpers = RUNNER.parent / "expectations.py"
    (tmp_path / "expectations.py").write_text(helpers.read_text(encoding="utf-8"))
    (tmp_path / "sample.py").write_text(
        "import os\n"
        "from expectations import Skipped\n"
        "def passes(device): print('noise')\n"
        "def fails(device): assert device is None, 'no'\n"
        "def is_skipped(device): raise Skipped('not here')\n"
        "def ends(device): os._exit(3)\n"
        "def is_late(device): pass\n"
    )
    monkeypatch.setattr(RUN, "HERE", tmp_path)
    return tmp_path


def test_a_child_that_dies_fails_the_probes_it_did_not_get_to(folder: Path) -> None:
    (folder / "next.py").write_text("def is_elsewhere(device): pass\n")
    files = [folder / "sample.py", folder / "next.py"]
    lines = {line["name"]: line for line in RUN.run_together(files, "nowhere")}
    assert [line["passed"] for line in lines.values()] == [True, False, None, False, False, False]
    assert lines["fails"]["detail"] == "line 4: AssertionError: no"
    assert lines["is_skipped"]["skipped"] == "not here"
    assert "ended with 3" in lines["is_late"]["detail"]
    assert lines["is_elsewhere"]["file"] == "next.py"


def test_a_machine_without_the_device_is_told_so() -> None:
    if not gpu():
        pytest.skip("there is a GPU")
    command = [sys.executable, str(RUNNER), "--device", "cuda", "pointwise.py"]
    said = forked(command)
    lines = [json.loads(line) for line in said.stdout.splitlines()]
    assert said.returncode == 1
    assert all("There is no cuda on this machine." in line["detail"] for line in lines)


@pytest.fixture(scope="module")
def build_probe_table() -> ModuleType:
    """``scripts/build_probe_table.py`` as a module."""
    return _loaded(ROOT / "scripts" / "build_probe_table.py")


def test_the_table_of_probes_is_fresh(
    build_probe_table: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build_probe_table.main(["--check"]) == 0, capsys.readouterr().out


def test_a_stale_table_is_noticed_and_mended(
    build_probe_table: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(build_probe_table, "PAGE", tmp_path / "docs" / "probes.md")
    assert build_probe_table.main(["--check"]) == 1
    assert "probes.md is missing" in capsys.readouterr().out
    assert build_probe_table.main([]) == 0
    assert build_probe_table.main(["--check"]) == 0
    page = tmp_path / "docs" / "probes.md"
    page.write_text(page.read_text(encoding="utf-8") + "more\n", encoding="utf-8")
    assert build_probe_table.main(["--check"]) == 1
    assert "is stale" in capsys.readouterr().out


def test_the_table_has_every_probe_with_its_source(build_probe_table: ModuleType) -> None:
    text = build_probe_table.page()
    for path, name in PROBES:
        assert f"| `{name}` |" in text, path
    assert all(row.rsplit("|", 2)[1].strip() for row in text.splitlines() if row.startswith("| `"))


def test_a_probe_without_a_source_is_refused(build_probe_table: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "sample.py"
    path.write_text('"""Samples."""\ndef a_probe(device):\n    """It is so."""\n')
    with pytest.raises(SystemExit, match=r"a_probe .*Source:"):
        build_probe_table.section(path)
