"""``apply --verify`` as a user runs it, on examples and with a rule that somebody else wrote."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from devicefix.verification import verifying
from tests.cli.conftest import Devicefix
from tests.forking import Borrowed

EXAMPLE: Final = Path(__file__).parents[2] / "examples" / "spirals"
GUIDE: Final = Path(__file__).parents[2] / "docs" / "apply-verify.md"
COMMAND: Final = ("--verify", "python train.py --epochs 1")
Apply = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = pytest.mark.slow

BAD_RULE: Final = '''
"""A rate of learning is written as a decimal number.

## What it does
Halves it.
"""
import ast

from devicefix.codemod import Codemod
from devicefix.findings import Applicability, Edit, Fix


class Halved(Codemod):
    code = "BAD101"
    name = "halved-rate"

    def check(self, context):
        for node in ast.walk(context.source.tree):
            if isinstance(node, ast.keyword) and ast.unparse(node) == "lr=0.01":
                span = context.source.span(node.value)
                edit = Edit(span.start, span.end, 0, "0.005")
                fix = Fix((edit,), Applicability.SAFE, f"halved-{span.start}")
                yield context.finding(self, node.value, "the rate is too high", fix)
'''
UPGRADES: Final = """\
import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
points = torch.randn(8, 4)
print(model(points).sum().item())
torch.save(model.state_dict(), "model.pt")


def read(path):
    return torch.load(path)


def read_again(path):
    return torch.load(path)


print(globals()["read"]("model.pt")["bias"].tolist())
"""
"""`read` is reached by a way that no analysis sees, `read_again` never; both fixes are unsafe."""


@pytest.fixture
def foreign_rule(tmp_path: Path) -> Path:
    """A folder in which a distribution with a bad rule is installed."""
    files = {
        "bad_rules/__init__.py": "",
        "bad_rules/halved.py": BAD_RULE,
        "bad_rules-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: bad-rules\nVersion: 1\n",
        "bad_rules-1.dist-info/RECORD": "bad_rules/__init__.py,,\nbad_rules/halved.py,,\n",
        "bad_rules-1.dist-info/entry_points.txt": "[devicefix.codemods]\nbad = bad_rules\n",
    }
    for name, content in files.items():
        path = tmp_path / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return tmp_path / "site"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the example of three files."""
    folder = shutil.copytree(
        EXAMPLE, tmp_path / "spirals", ignore=shutil.ignore_patterns("__pycache__")
    )
    return Path(folder)


@pytest.fixture
def apply(answer: Devicefix, own_state: Path, monkeypatch: pytest.MonkeyPatch) -> Apply:
    """The command in our own process; programs are forked off a Python that has torch."""
    monkeypatch.setenv("DEVICEFIX_STATE_DIR", str(own_state))
    monkeypatch.setattr(verifying, "ForkServer", Borrowed)

    def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(arguments, *answer(folder, *arguments))

    return run


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*.*")}


def without_times(text: str) -> str:
    return re.sub(r" +", " ", re.sub(r"\d+\.\d s", "", text)).replace(" \n", "\n")


def test_the_example_of_three_files_is_accepted(apply: Apply, project: Path) -> None:
    before = contents(project)
    done = apply(project, "apply", *COMMAND)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("pass: train.py --epochs 1 on cpu, sim:cuda\n")
    (shown,) = re.findall(r"^```text\n(pass.*?)^```$", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    assert without_times(done.stdout).startswith(without_times(shown))
    assert "Passed with 1 group of fixes (1 verification)." in done.stdout
    after = contents(project)
    assert sorted(after) == sorted(before)  # the program ran elsewhere
    assert {name for name in after if after[name] != before[name]} == {"model.py", "train.py"}
    assert apply(project, "undo").returncode == 0
    assert contents(project) == before


def test_a_bad_rule_is_named_and_the_rest_is_offered(
    apply: Apply, project: Path, foreign_rule: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(project)
    monkeypatch.syspath_prepend(foreign_rule)
    done = apply(project, "apply", *COMMAND, "--device", "cpu", ".")
    assert done.returncode == 3, done.stderr
    assert contents(project) == before
    assert "first difference on cpu: the loss" in done.stdout
    assert "  BAD101 train.py:17\n" in done.stdout
    assert "\n+optimizer = torch.optim.Adam(model.parameters(), lr=0.005)\n" in done.stdout
    assert "Nothing was written.\nIt passes with the other group of fixes" in done.stdout
    assert f"devicefix apply --verify '{COMMAND[1]}' --keep-passing ." in done.stdout


def test_unsafe_fixes_that_ran_are_kept_and_others_are_not(apply: Apply, tmp_path: Path) -> None:
    folder = tmp_path / "upgrades"
    folder.mkdir()
    (folder / "p.py").write_text(UPGRADES)
    command = ("--verify", "python p.py", "--device", "cpu")
    done = apply(folder, "apply", *command, "--output-format", "json", ".")
    assert done.returncode == 0, done.stderr
    acceptance: dict[str, Any] = json.loads(done.stdout)["acceptance"]
    assert [f["line"] for one in acceptance["proven"] for f in one["findings"]] == [13]
    (unproven,) = acceptance["unproven"]
    assert [f["line"] for f in unproven["findings"]] == [17]
    assert unproven["why"] == "its line 17 (after the fix) never ran"
    assert (folder / "p.py").read_text() == UPGRADES.replace(
        "randn(8, 4)", "randn(8, 4, device=device)"
    ).replace("torch.load(path)", "torch.load(path, map_location=device)", 1)
