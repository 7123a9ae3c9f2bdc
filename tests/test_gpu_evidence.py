"""``scripts/gpu_evidence.py`` where there is no GPU: what it says, and what it finds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.forking import run_forked

SCRIPT: Final = Path(__file__).resolve().parent.parent / "scripts" / "gpu_evidence.py"

pytestmark = pytest.mark.slow


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The script, with every card out of sight."""
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
    return run_forked(
        (sys.executable, str(SCRIPT), *map(str, arguments)), environment, SCRIPT.parent
    )


def evidence(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "evidence.json").read_text())
    return found


def test_a_machine_without_a_card_is_told_so_in_one_line() -> None:
    ended = run()
    assert ended.returncode == 2
    assert ended.stdout.startswith("There is no cuda here")
    assert (ended.stdout.count("\n"), ended.stderr) == (1, "")


def test_a_trial_does_not_write_where_evidence_belongs() -> None:
    ended = run("--device", "sim:cuda")
    assert (ended.returncode, "--output" in ended.stdout) == (2, True)


def test_the_simulator_is_like_itself(tmp_path: Path) -> None:
    ended = run("--device", "sim:cuda", "--output", tmp_path, "--parts", "loops", "--only", "mlp")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    part = evidence(tmp_path)["parts"]["loops"]
    assert (part["compared"], part["differences"], part["missing"]) == (1, [], [])
    assert "no evidence" in (tmp_path / "evidence.md").read_text()


def test_what_is_not_the_same_is_found(tmp_path: Path) -> None:
    """One example ends with an error on a device, and not on the CPU; one computes there."""
    chosen = ("input_left_behind.py", "factory_followed_by_to.py")
    names = ("--parts", "examples", "--only", *chosen)
    ended = run("--device", "cpu", "--output", tmp_path, "--rewritten", examples(), *names)
    assert ended.returncode == 1, ended.stdout + ended.stderr
    found = evidence(tmp_path)["parts"]["examples"]["differences"]
    (message,) = (difference for difference in found if difference["kind"] == "message")
    assert message["here"] == "no error"
    assert "same device" in message["there"]
    (placement,) = (difference for difference in found if difference["kind"] == "placement")
    assert chosen[1] in placement["what"]
    assert placement["here"] == "0.0% there"
    assert "same device" in (tmp_path / "evidence.md").read_text()


def examples() -> Path:
    """As if apply had changed nothing."""
    return SCRIPT.parent.parent / "examples"


def test_what_the_budget_does_not_reach_is_said(tmp_path: Path) -> None:
    ended = run("--device", "sim:cuda", "--output", tmp_path, "--budget", "0")
    assert ended.returncode == 2
    parts = evidence(tmp_path)["parts"]
    assert len(parts) == 4
    assert all("not reached" in part["failed"] for part in parts.values())
