"""The screen about an error of placement."""

from __future__ import annotations

import io
from dataclasses import replace as changed
from pathlib import Path

import pytest
from msgspec.structs import replace

from devicefix.engine import ChangedLines, Remedy, remedy
from devicefix.records import Ancestor, Failure, Run
from devicefix.reporting.placement_error import show_placement_error
from devicefix.settings import Settings

MODEL = "model = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 2)).to(device)"


@pytest.fixture
def failure(run: Run, failing: Path, monkeypatch: pytest.MonkeyPatch) -> Failure:
    monkeypatch.chdir(failing.parent)
    assert run.failure is not None
    return run.failure


def screen(failure: Failure, found: Remedy | None) -> str:
    out = io.StringIO()
    show_placement_error(failure, found, "sim:cuda", out)
    return out.getvalue()


def test_it_says_what_was_where_and_how_to_fix_it(failure: Failure) -> None:
    lines = screen(failure, remedy(failure, Settings())).splitlines()
    assert lines[0].startswith("── devicefix: where the tensors were, on sim:cuda ──")
    assert lines[1:] == [
        "addmm got tensors on 2 devices:",
        "  inputs (mat1)    cpu     float32 [64, 8]",
        "    created failing.py:6  inputs = torch.randn(64, 8)",
        "    never moved",
        "  0.weight (mat2)  cuda:0  float32 [8, 4]",
        f"    created failing.py:5  {MODEL[:73]}…",
        "    moved   failing.py:5  by torch.nn.Module.to",
        "  at        failing.py:7  print(model(inputs).sum())",
        "  fix       `devicefix apply failing.py` may fix this (DFX103)",
        "            - inputs = torch.randn(64, 8)",
        "            + inputs = torch.randn(64, 8, device=device)",
    ]


def test_without_a_fix_it_says_what_to_change(failure: Failure) -> None:
    said = screen(failure, None)
    assert "  change    inputs was made on the CPU: make it on the device of 0.weight.\n" in said
    assert "apply" not in said


def test_a_fix_that_a_person_decides_is_no_fix(failure: Failure) -> None:
    said = screen(failure, Remedy(("DFX401",), ("a.py",), "there is no automatic fix", ()))
    assert "  change    inputs" in said
    assert "  found     DFX401: there is no automatic fix\n" in said
    assert "fixes" not in said


def test_it_fits_on_a_screen_whatever_comes(failure: Failure) -> None:
    operand = failure.operands[0]
    assert operand.created is not None
    place = changed(operand.created, file="/x" * 200, text="y = " + "f(" * 300)
    many = [
        changed(operand, name="n" * n, device=f"cuda:{n}", created=place, moved=place)
        for n in range(40)
    ]
    changes = (ChangedLines("a.py", 1, ("x" * 300,) * 30, ("z" * 300,) * 30),)
    found = Remedy(("DFX103",) * 30, ("a.py",) * 30, None, changes)
    many[0] = changed(many[0], device="cpu", moved=None, ancestors=(Ancestor("f", place),))
    worst = changed(failure, operands=tuple(many), advice="word " * 500, at=place, op="o" * 300)
    for remedy_ in (found, None, replace(found, left="reason " * 100)):
        lines = screen(worst, remedy_).splitlines()
        assert len(lines) <= 24
        assert max(map(len, lines)) <= 100


def test_of_each_device_the_operand_that_the_message_names(failure: Failure) -> None:
    host, weight = failure.operands
    lengths = changed(host, name="lengths", variable=None, device="cuda:0", shape=(2,))
    both = changed(failure, operands=(weight, lengths), message="'lengths' should be on the CPU")
    lines = screen(both, None).splitlines()
    assert lines[1] == "addmm got a tensor on cuda:0:"
    assert lines[2].startswith("  lengths  cuda:0")
    assert "  also      0.weight (mat2) on cuda:0" in lines
    unnamed = screen(changed(both, message="no"), None).splitlines()
    assert unnamed[2].startswith("  0.weight (mat2)")


def test_what_an_operand_was_computed_of(failure: Failure) -> None:
    host, _ = failure.operands
    assert host.created is not None
    first = changed(host.created, line=2, text="a = torch.ones(8)")
    ancestors = (Ancestor("torch.ones", first), Ancestor("torch.ones", first))
    derived = changed(host, how=".mul", ancestors=ancestors)
    lines = screen(changed(failure, operands=(derived,)), None).splitlines()
    assert lines[3:6] == [
        "    created failing.py:6  inputs = torch.randn(64, 8)",
        "    from    failing.py:2  a = torch.ones(8)",
        "    never moved",
    ]
    assert "    from" not in screen(changed(failure, operands=(host,)), None)


def test_an_error_without_operands_has_its_line_and_advice(failure: Failure) -> None:
    lines = screen(changed(failure, operands=(), op=None), None).splitlines()
    assert len(lines) == 3
    assert lines[1] == "  at        failing.py:7  print(model(inputs).sum())"


def test_what_nobody_saw_is_said(failure: Failure) -> None:
    operand = changed(failure.operands[0], created=None, moved=None, how="DataLoader")
    said = screen(changed(failure, operands=(operand,), at=None), None)
    assert "    created not recorded  by DataLoader\n" in said
    assert "moved" not in said


def test_nothing_of_the_program_steers_the_terminal(failure: Failure) -> None:
    bad = "\x1b[2J\r"
    at = changed(failure.at, text=bad, file=bad) if failure.at is not None else None
    operand = changed(failure.operands[0], name=bad, variable=bad, dtype="f", created=at)
    said = screen(changed(failure, at=at, operands=(operand,), advice=bad, op=bad), None)
    assert "\x1b" not in said
    assert "\r" not in said
