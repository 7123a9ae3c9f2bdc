"""What the style of a program does across its files, as the command line applies it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from devicefix.engine import Choice, FileResult, apply, rehearsal
from devicefix.settings import Settings
from tests.codemods.test_cases import CODEMODS, left

CONFIG = """\
import torch

use_cuda = torch.cuda.is_available()
device = torch.device("cuda" if use_cuda else "cpu")
"""
MAIN = """\
import torch

import config

x = torch.ones(3, device=config.device)
if config.use_cuda:
    {statement}
print(x.sum().item())
"""


def applied(folder: Path, statement: str, unsafe: bool = False) -> dict[str, FileResult]:
    (folder / "config.py").write_text(CONFIG)
    (folder / "main.py").write_text(MAIN.format(statement=statement))
    settings = Settings(style="accelerator", min_torch="2.9", unsafe_fixes=unsafe)
    report = apply([folder], settings, dry_run=True, codemods=CODEMODS)
    assert not report.errors, report.errors
    return {Path(result.path).name: result for result in report.files}


def test_files_that_import_each_other_are_rewritten(tmp_path: Path) -> None:
    results = applied(tmp_path, "torch.cuda.synchronize()")
    config, main = (results[name].change for name in ("config.py", "main.py"))
    assert config is not None
    assert b"torch.cuda" not in config.after
    assert main is not None
    assert b"    torch.accelerator.synchronize()" in main.after


def test_what_stays_in_one_file_may_rest_on_a_check_of_another(tmp_path: Path) -> None:
    statement = "total = torch.cuda.get_device_properties(0).total_memory"
    results = applied(tmp_path, statement)
    assert results["config.py"].change is None
    reasons = {item.reason for item in results["config.py"].left}
    assert all("main.py:7 is for CUDA only" in reason for reason in reasons)
    assert left(results["main.py"]) == {"DFX213"}
    unsafe = applied(tmp_path, statement, unsafe=True)["config.py"].change
    assert unsafe is not None
    assert b"torch.accelerator.is_available()" in unsafe.after


def test_a_flag_that_another_file_takes_for_cuda_stays_one(tmp_path: Path) -> None:
    (tmp_path / "data.py").write_text(
        """\
import torch


def batches(use_cuda):
    for x in torch.ones(4, 3).split(2):
        if use_cuda:
            x = x.cuda()
        yield x
"""
    )
    (tmp_path / "main.py").write_text(
        """\
import argparse

import torch

from data import batches

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
use_cuda = not parser.parse_args().no_cuda and torch.cuda.is_available()
net = torch.nn.Linear(3, 1)
if use_cuda:
    net.cuda()
for x in batches(use_cuda):
    print(net(x).sum().item())
"""
    )
    settings = Settings(style="accelerator", min_torch="2.9")
    results = apply([tmp_path], settings, dry_run=True, codemods=CODEMODS).files
    changes = {Path(r.path).name: r.change.after for r in results if r.change is not None}
    assert b'torch.device("cuda" if use_cuda else "cpu")' in changes["data.py"]
    assert b"torch.accelerator" not in changes["main.py"]
    (main,) = (r for r in results if Path(r.path).name == "main.py")
    assert any("data.py:5" in item.reason for item in main.left)


def test_the_expression_of_the_user_is_for_new_devices_alone(tmp_path: Path) -> None:
    program = """\
import torch

chosen = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(torch.ones(3).to(chosen))
"""
    (tmp_path / "program.py").write_text(program)
    settings = Settings(style="accelerator", device_expression='torch.device("xpu")')
    (result,) = apply([tmp_path], settings, dry_run=True, codemods=CODEMODS).files
    assert result.change is not None
    assert b'torch.device("xpu")' not in result.change.after
    assert b"current_accelerator(check_available=True) or" in result.change.after


LEFT_BEHIND = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 2).to(device)
x = torch.ones(4, 3){comment}
print(model(x).shape)
"""


@pytest.mark.parametrize(
    ("comment", "wanted"),
    [
        ("  # devicefix: ignore", {}),
        ("", {"ignore": ("DFX103",)}),
        ("", {"select": ("DFX213",)}),
    ],
)
def test_no_accelerator_is_added_to_a_program_that_stops_on_it(
    tmp_path: Path, comment: str, wanted: dict[str, Any]
) -> None:
    (tmp_path / "program.py").write_text(LEFT_BEHIND.format(comment=comment))
    settings = Settings(style="accelerator", min_torch="2.9", **wanted)
    (result,) = apply([tmp_path], settings, dry_run=True, codemods=CODEMODS).files
    assert result.change is None
    (reason,) = {item.reason for item in result.left if item.finding.code == "DFX213"}
    assert "may already fail on the device" in reason
    assert "program.py:5" in reason
    unsafe = replace(settings, unsafe_fixes=True)
    (result,) = apply([tmp_path], unsafe, dry_run=True, codemods=CODEMODS).files
    assert result.change is not None
    assert b"torch.accelerator" in result.change.after


def test_no_accelerator_is_added_where_the_user_leaves_out_what_it_takes(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(LEFT_BEHIND.format(comment=""))
    settings = Settings(style="accelerator", min_torch="2.9")
    trial = rehearsal([tmp_path], settings, codemods=CODEMODS)
    groups = trial.report(Choice()).groups
    (placement,) = (group.identity for group in groups if "DFX103" in group.codes)
    assert any("DFX213" in group.codes for group in groups)
    without = trial.report(Choice(without=frozenset({placement})))
    assert not without.changes


def test_a_new_device_is_for_cuda_where_the_program_stops_on_others(tmp_path: Path) -> None:
    program = """\
import torch

model = torch.nn.Linear(3, 2)
if torch.cuda.is_available():
    model.cuda()
x = torch.ones(4, 3)  # devicefix: ignore
print(model(x).shape)
"""
    (tmp_path / "program.py").write_text(program)
    settings = Settings(style="accelerator", min_torch="2.9")
    (result,) = apply([tmp_path], settings, dry_run=True, codemods=CODEMODS).files
    assert result.change is None or b"torch.accelerator" not in result.change.after
