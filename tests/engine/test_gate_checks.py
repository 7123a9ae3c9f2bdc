"""The gate of the benchmarks (benchmarks/gate.py) sees what it is there to see."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from benchmarks.gate_checks import Faults, faults
from devicefix.engine import apply
from devicefix.engine.report import Outcome
from devicefix.settings import Settings

PROGRAM = """\
import torch
from torch import nn

net = nn.Linear(3, 3).cuda()  # here
rest = "ä"
print(net(torch.ones(3)))
"""
SOUND = Faults((), (), ())


@pytest.fixture
def outcome(tmp_path: Path) -> Outcome:
    (tmp_path / "script.py").write_text(PROGRAM, "utf-8")
    report = apply([tmp_path], Settings(), dry_run=True)
    assert report.changes
    return Outcome(report.files, report.errors, report.groups)


def with_bytes(outcome: Outcome, old: bytes, new: bytes) -> Faults:
    """What is found where fixes had put ``new`` for ``old``."""
    (result,) = outcome.results
    assert result.change is not None
    assert result.change.after.count(old) == 1
    change = replace(result.change, after=result.change.after.replace(old, new))
    return faults(replace(outcome, results=(replace(result, change=change),)))


def test_a_fix_as_it_should_be(outcome: Outcome) -> None:
    assert faults(outcome) == SOUND


def test_what_is_not(outcome: Outcome) -> None:
    path = outcome.results[0].path
    broken = with_bytes(outcome, b"rest = ", b"rest = (")
    assert broken.unparsed == (path,)
    unknown = with_bytes(outcome, b"rest = ", b"rest = nobody or ")
    assert unknown.undefined == (f"{path}: nobody",)
    moved = with_bytes(outcome, b"rest = ", b"rest  = ")
    assert moved.outside[0] == f"{path}: text between its edits has changed"
    told = with_bytes(outcome, b"net = nn.Linear(3, 3)", b"net = nn.Linear(3, 4)")
    assert len(told.outside) == 2
    silent = with_bytes(outcome, b"  # here", b"")
    assert f"{path}: lost comments: # here" in silent.outside
