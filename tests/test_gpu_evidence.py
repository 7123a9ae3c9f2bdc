"""``scripts/gpu_evidence.py`` where there is no GPU: what it says, and what it finds."""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

from devicefix.verification import execution
from tests.forking import Borrowed, run_forked

EXAMPLES: Final = Path(__file__).resolve().parent.parent / "examples"
"""Also as if apply had changed nothing."""
Run = Callable[..., int]

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def out_of_sight(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no card."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path])  # it finds its parts beside itself
        return importlib.import_module("scripts.gpu_evidence")


@pytest.fixture(scope="module")
def parts(script: ModuleType) -> ModuleType:
    return sys.modules["gpu_evidence_parts"]


@pytest.fixture(scope="module")
def known(script: ModuleType) -> dict[str, Any]:
    """What the script finds out about this torch, in a process that imports it."""
    found: dict[str, Any] = script.circumstances()
    return found


@pytest.fixture
def run(script: ModuleType, known: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Run:
    """The script in our own process."""
    monkeypatch.setattr(script, "circumstances", lambda: known)

    def run(*arguments: str | Path) -> int:
        status: int = script.main([*map(str, arguments)])
        return status

    return run


def evidence(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "evidence.json").read_text())
    return found


def test_a_machine_without_a_card_is_told_so_in_one_line(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run() == 2
    said = capsys.readouterr()
    assert said.out.startswith("There is no cuda here")
    assert (said.out.count("\n"), said.err) == (1, "")


def test_a_trial_does_not_write_where_evidence_belongs(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--device", "sim:cuda") == 2
    assert "--output" in capsys.readouterr().out


class InTurn:
    """In the place of threads: what is forked needs the signals of the first one."""

    map = staticmethod(map)

    def __init__(self, *_: int) -> None: ...

    def __enter__(self) -> InTurn:
        return self

    def __exit__(self, *_: object) -> None: ...


def test_the_simulator_is_like_itself(
    run: Run, parts: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def forked(command: list[str], changes: dict[str, str], _: object) -> object:
        python, *_options, script, device, loop = command
        return run_forked((python, script, device, loop), {**os.environ, **changes}, tmp_path)

    monkeypatch.setattr(parts, "_run", forked)
    monkeypatch.setattr(parts, "ThreadPoolExecutor", InTurn)
    arguments = ("--device", "sim:cuda", "--output", tmp_path, "--parts", "loops", "--only", "mlp")
    assert run(*arguments) == 0
    part = evidence(tmp_path)["parts"]["loops"]
    assert (part["compared"], part["differences"], part["missing"]) == (1, [], [])
    assert "no evidence" in (tmp_path / "evidence.md").read_text()


def test_what_is_not_the_same_is_found(
    run: Run, parts: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One example ends with an error on a device, and not on the CPU; one computes there."""
    forked = partial(execution.execute, fork_server=Borrowed(sys.executable))
    monkeypatch.setattr(execution, "execute", forked)
    monkeypatch.setattr(parts, "_spread", lambda work, jobs, *_: map(work, jobs))
    chosen = ("input_left_behind.py", "factory_followed_by_to.py")
    names = ("--parts", "examples", "--only", *chosen)
    assert run("--device", "cpu", "--output", tmp_path, "--rewritten", EXAMPLES, *names) == 1
    found = evidence(tmp_path)["parts"]["examples"]["differences"]
    (message,) = (difference for difference in found if difference["kind"] == "message")
    assert message["here"] == "no error"
    assert "same device" in message["there"]
    (placement,) = (difference for difference in found if difference["kind"] == "placement")
    assert chosen[1] in placement["what"]
    assert placement["here"] == "0.0% there"
    assert "same device" in (tmp_path / "evidence.md").read_text()


def test_jobs_are_spread_over_processes(parts: ModuleType, tmp_path: Path) -> None:
    """And what fails in one of them is noted."""
    bench = parts.Bench("cpu", "cpu", time.monotonic() + 60, 2, tmp_path, None, frozenset())
    part = parts.Part()
    assert list(parts._spread(dict, [("ab",), ("c",)], bench, part)) == [{"a": "b"}]
    (told,) = part.missing
    assert told.startswith("c: ValueError: ")


def test_what_the_budget_does_not_reach_is_said(run: Run, tmp_path: Path) -> None:
    assert run("--device", "sim:cuda", "--output", tmp_path, "--budget", "0") == 2
    parts = evidence(tmp_path)["parts"]
    assert len(parts) == 4
    assert all("not reached" in part["failed"] for part in parts.values())
