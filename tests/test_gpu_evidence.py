"""``scripts/gpu_evidence.py`` where there is no GPU: what it says, and what it finds."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
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
KEPT: Final = {
    "compared": 2,
    "differences": [],
    "missing": [],
    "rows": [],
    "failed": "",
    "notes": [],
    "seconds": 1.0,
    "measured": {
        "date": "2020-01-01T00:00:00+00:00",
        "only": [],
        "card": None,
        "driver": None,
        "cores": 1,
        "torch": "2.4.0",
        "cuda": None,
        "cudnn": None,
        "python": "3.11.0",
    },
}
"""A part of an earlier run."""

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
        return run_forked(tuple(command), {**os.environ, **changes}, tmp_path)

    monkeypatch.setattr(parts, "_run", forked)
    monkeypatch.setattr(parts, "ThreadPoolExecutor", InTurn)
    arguments = ("--device", "sim:cuda", "--output", tmp_path, "--parts", "loops", "--only", "mlp")
    assert run(*arguments) == 0
    part = evidence(tmp_path)["parts"]["loops"]
    assert (part["compared"], part["differences"], part["missing"]) == (1, [], [])
    (row,) = part["rows"]
    assert row["deviation"] == 0 < row["sensitivity"] < 1e-4
    assert (part["measured"]["only"], part["measured"]["cores"]) == (["mlp"], os.cpu_count())
    assert "no evidence" in (tmp_path / "evidence.md").read_text()


def ran(*numbers: float) -> dict[str, Any]:
    return {"error": "", "numbers": [*numbers]}


@pytest.mark.parametrize(
    ("perturbed", "differs"),
    [((1.004,), False), ((1.001, 1.004), False), ((1.001,), True), ((), True)],
)
def test_a_loop_differs_where_rounding_does_not_explain_it(
    parts: ModuleType, perturbed: tuple[float, ...], differs: bool
) -> None:
    part = parts.Part()
    parts._compare_loops(part, "x", ran(1.01), ran(1.0), [ran(number) for number in perturbed])
    assert bool(part.differences) is differs
    assert part.rows[0]["sensitivity"] == pytest.approx(max(perturbed, default=1.0) - 1.0, rel=0.01)


def test_what_hardly_differs_is_no_difference(parts: ModuleType) -> None:
    part = parts.Part()
    parts._compare_loops(part, "x", ran(1.00009), ran(1.0), [])
    assert part.differences == []


def test_what_is_not_the_same_is_found(
    run: Run, parts: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One example ends with an error on a device, and not on the CPU; one computes there."""
    forked = partial(execution.execute, fork_server=Borrowed(sys.executable))
    monkeypatch.setattr(execution, "execute", forked)
    monkeypatch.setattr(parts, "_spread", lambda work, jobs, *_: map(work, jobs))
    kept = {"device": "cpu", "against": "sim:cuda", "parts": {"loops": KEPT, "examples": KEPT}}
    (tmp_path / "evidence.json").write_text(json.dumps(kept))
    chosen = ("input_left_behind.py", "factory_followed_by_to.py")
    names = ("--parts", "examples", "--only", *chosen)
    assert run("--device", "cpu", "--output", tmp_path, "--rewritten", EXAMPLES, *names) == 1
    written = evidence(tmp_path)["parts"]
    assert [*written] == ["loops", "examples"]
    assert written["loops"] == KEPT
    assert "2020-01-01" in (tmp_path / "evidence.md").read_text()
    found = written["examples"]["differences"]
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


@pytest.mark.parametrize(("device", "stays"), [("sim:cuda", True), ("cpu", False)])
def test_parts_of_other_devices_are_not_kept(
    script: ModuleType, tmp_path: Path, device: str, stays: bool
) -> None:
    kept = {"device": device, "against": "sim:cuda", "parts": {"loops": KEPT, "probes": KEPT}}
    (tmp_path / "evidence.json").write_text(json.dumps(kept))
    found = script._kept(tmp_path, "sim:cuda", "sim:cuda", ["probes"])
    assert found == ({"loops": KEPT} if stays else {})


def test_why_apply_cannot_be_run_is_told(
    parts: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    said = subprocess.CompletedProcess([], 1, "", "Traceback\nModuleNotFoundError: no libcst\n")
    monkeypatch.setattr(parts, "_run", lambda *_: said)
    bench = parts.Bench("cpu", "cpu", time.monotonic() + 60, 2, tmp_path, None, frozenset())
    part = parts.verify(bench)
    assert part.failed.endswith("status 1, ModuleNotFoundError: no libcst")
    assert "ModuleNotFoundError" in part.failed


def test_what_is_not_simulated_is_not_compared(
    run: Run, parts: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The kernel in CUDA C++ is refused by the simulator; a card runs it."""
    forked = partial(execution.execute, fork_server=Borrowed(sys.executable))
    monkeypatch.setattr(execution, "execute", forked)
    monkeypatch.setattr(parts, "_spread", lambda work, jobs, *_: map(work, jobs))
    names = ("--parts", "examples", "--only", "handwritten_cuda_kernel.py")
    assert run("--device", "cpu", "--output", tmp_path, "--rewritten", EXAMPLES, *names) == 0
    part = evidence(tmp_path)["parts"]["examples"]
    (missing,) = part["missing"]
    assert "devicefix does not simulate code that is compiled for CUDA" in missing
    assert part["differences"] == []


def test_programs_side_by_side_have_one_thread_each(
    parts: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    bench = parts.Bench("cpu", "cpu", time.monotonic() + 60, 1, tmp_path, None, frozenset())
    asked = [("OMP_NUM_THREADS", "?")]
    part = parts.Part()
    assert list(parts._spread(threads, asked, bench, part)) == [{"threads": "1"}]
    said = parts._run(
        [sys.executable, "-c", "import os; print(os.environ['OMP_NUM_THREADS'])"], {}, bench
    )
    assert said.stdout == "1\n"
    assert os.environ["OMP_NUM_THREADS"] == "7"


def threads(job: tuple[str, str]) -> dict[str, str]:
    """What a process of a part has in its environment."""
    return {"threads": os.environ.get(job[0], job[1])}
