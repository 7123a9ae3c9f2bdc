"""The verification of what is accepted: in a process of its own, which can be ended."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from devicefix.engine import Report, apply
from devicefix.review.proving import Program, Prover
from devicefix.settings import Settings
from devicefix.verification import LaunchError
from devicefix.verification.request import Request
from devicefix.verification.trees import Tree
from tests.review.conftest import PATIENCE


@pytest.fixture
def report(tree: Path) -> Report:
    (tree / "a.py").write_text("import torch\n\n\ndef f(x):\n    return x.cuda()\n")
    return apply([tree], Settings(), dry_run=True)


@pytest.fixture
def prover(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Prover]:
    """Of `program.pyw`, on the CPU only."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    request = Request("program.pyw", (), sys.executable, devices=("cpu",))
    prover = Prover(Program(request, Tree(tree), "python program.pyw"))
    yield prover
    prover.stop()
    assert list(scratch.glob("devicefix-*")) == []  # the copies are gone


def test_what_ran_and_what_it_says_nothing_about(
    tree: Path, prover: Prover, report: Report
) -> None:
    (tree / "program.pyw").write_text("import sys\nprint('twice', 2 * 21)\n")
    steps: list[str] = []
    found = prover.prove(report, steps.append)
    assert found["passed"], found
    assert "before the change, on cpu" in steps
    assert [one["findings"][0]["path"] for one in found["idle"]] == ["a.py"]
    assert "never ran" in found["idle"][0]["why"]
    steps.clear()
    assert prover.prove(report, steps.append)["passed"]
    assert steps == ["after the change, on cpu"]  # the rest is known


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python cannot be told")
def test_the_child_imports_nothing_from_the_repository_but_the_program_does(
    tree: Path, prover: Prover, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = f"open({str(tree / 'ran')!r}, 'w').close()\n"
    (tree / "multiprocessing.py").write_text(planted)
    (tree / "beside.py").write_text("answer = 42\n")
    (tree / "program.pyw").write_text("from beside import answer\nprint(answer)\n")
    monkeypatch.chdir(tree)
    assert prover.prove(report, lambda step: None)["passed"]
    assert not (tree / "ran").exists()


def test_one_that_runs_is_ended(tree: Path, prover: Prover, report: Report) -> None:
    marker = tree / "begun"
    (tree / "program.pyw").write_text(
        f"import time\nopen({str(marker)!r}, 'w').close()\ntime.sleep(600)\n"
    )
    failures: list[str] = []

    def prove() -> None:
        try:
            prover.prove(report, lambda step: None)
        except LaunchError as error:
            failures.append(str(error))

    thread = threading.Thread(target=prove)
    thread.start()
    deadline = time.monotonic() + PATIENCE
    while not marker.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert marker.exists()
    prover.stop()
    thread.join(PATIENCE)
    assert failures == ["it was stopped"]


def test_what_cannot_be_run_says_why(tree: Path, prover: Prover, report: Report) -> None:
    with pytest.raises(LaunchError, match=r"program\.pyw"):
        prover.prove(report, lambda step: None)
