"""The matrix of torches: that a few programs go through it, and what it calls a mistake."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
sys.path.append(str(BENCHMARKS))

import matrix  # noqa: E402
from harm_programs import Program, Run  # noqa: E402
from harm_running import CPU, Stage  # noqa: E402

from devicefix.cli import main  # noqa: E402

pytest.importorskip("torch", reason="the programs run with torch")
pytestmark = pytest.mark.slow
CHOSEN = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'


class Shared(Stage):
    """A process for all tests, which only its fixture ends."""

    def close(self) -> None:
        """Nothing: the next test goes on."""


@pytest.fixture(scope="module")
def stage() -> Iterator[Shared]:
    shared = Shared(CPU, (), {})
    yield shared
    Stage.close(shared)


@pytest.fixture(autouse=True)
def torch_is_imported_once(stage: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix, "_JOBS", 1)  # for a few programs
    monkeypatch.setattr(matrix, "Stage", lambda *_: stage)
    monkeypatch.setattr(matrix, "_devicefix", devicefix)


def devicefix(*arguments: str) -> str:
    """What the command says, in our own process."""
    with redirect_stdout(io.StringIO()) as said:
        assert main(arguments) in (0, 1)
    return said.getvalue()


def program(name: str, *lines: str) -> Program:
    """One of a file."""
    text = "\n".join(("import torch", "", *lines, ""))
    return Program("test", name, (Run("program.py"),), {"program.py": text.encode()})


def test_programs_of_the_cases_run_and_what_is_left_in_them_has_a_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = tmp_path / "rows.json"
    some = ("--only", "hardcoded/cuda_only.py: what has no generic form")
    assert matrix.main([sys.executable, *some, "--output", str(told)]) == 0
    (row,) = json.loads(told.read_text())
    assert (row["programs"], row["changed"], row["ran_before"], row["run_after"]) == (1, 1, 1, 1)
    assert row["said"]["`torch.cuda.synchronize` is banned"] == 1
    assert not row["harmed"]
    assert not row["unsaid"]
    assert f"| {row['torch']} | {row['build']} | 1 | 1 |" in capsys.readouterr().out


def test_a_name_without_a_reason_is_a_mistake_unless_it_may_stay() -> None:
    kept = program("kept", f"{CHOSEN}  # devicefix: ignore[DFX213]", "print(device)")
    named = program("named", "from torch.cuda.amp import custom_fwd", "print(custom_fwd)")
    changed = program("changed", CHOSEN, "print(torch.ones(3, device=device).sum().item())")
    row = matrix.measured(sys.executable, [kept, named, changed], 60)
    assert row.unsaid == ["kept: `torch.cuda.is_available` is banned"]
    assert (row.programs, row.changed, row.run_after) == (3, 1, 1)
