"""A device that is defined further down than it is needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from devicefix.engine import apply
from devicefix.settings import Settings
from tests.notebooks import notebook, sources

ASKED = 'torch.device("cuda" if torch.cuda.is_available() else "cpu")'
HEAD = "import torch\nfrom torch import nn\n"
EARLY = "net = nn.Linear(3, 2)\nprint(net(torch.ones(1, 3)).sum().item())\n"
LATE = "print(torch.zeros(2, device=device).sum().item())\n"
MOVED = (
    "net = nn.Linear(3, 2).to(device)\nprint(net(torch.ones(1, 3, device=device)).sum().item())\n"
)


def applied(text: str, tmp_path: Path) -> str:
    file = tmp_path / "a.py"
    file.write_text(text)
    changes = apply([file], Settings(), dry_run=True).changes
    return changes[0][1].after.decode() if changes else text


def test_it_moves_up_with_its_comment(tmp_path: Path) -> None:
    text = f"{HEAD}\n{EARLY}# where there is one\ndevice = {ASKED}\n{LATE}"
    new = f"{HEAD}\n# where there is one\ndevice = {ASKED}\n\n{MOVED}{LATE}"
    assert applied(text, tmp_path) == new


def test_of_several_that_are_the_same_the_first_moves(tmp_path: Path) -> None:
    text = f"{HEAD}\n{EARLY}device = {ASKED}\n{LATE}device = {ASKED}\n"
    new = f"{HEAD}\ndevice = {ASKED}\n\n{MOVED}{LATE}device = {ASKED}\n"
    assert applied(text, tmp_path) == new


@pytest.mark.parametrize(
    "late",
    [
        f"device = {ASKED}; print(device)\n",
        f"if net.training:\n    device = {ASKED}\n",
        f"device = {ASKED}\ndevice = 'cuda:1' if torch.cuda.is_available() else 'cpu'\n",
        f"def f():\n    global device\n    device = 'cpu'\n\n\ndevice = {ASKED}\n",
        "name = input()\ndevice = torch.device(name)\n",
        f"device = (\n    {ASKED}\n)\n",
        "device = 'a thermometer'\n",
    ],
)
def test_what_says_something_else_stays(tmp_path: Path, late: str) -> None:
    new = applied(f"{HEAD}\n{EARLY}{late}", tmp_path)
    assert new.endswith(late)
    assert "net = nn.Linear(3, 2).to(device)" not in new


def test_in_a_notebook_it_moves_to_the_cell_of_the_imports(tmp_path: Path) -> None:
    file = tmp_path / "a.ipynb"
    file.write_bytes(notebook(HEAD, EARLY, f"# GPU?\ndevice = {ASKED}", f"print(device)\n{LATE}"))
    apply([file], Settings(), dry_run=False)
    cells = sources(file.read_bytes())
    assert cells[0] == f"{HEAD}\n# GPU?\ndevice = {ASKED}\n"
    assert cells[1:] == [MOVED, "", f"print(device)\n{LATE}"]


def test_what_ends_a_cell_is_displayed_and_not_thrown_away(tmp_path: Path) -> None:
    head = f"{HEAD}device = {ASKED}\nx = torch.ones(3)"
    file = tmp_path / "a.ipynb"
    file.write_bytes(notebook(head, "x.to(device)", "x.to(device);\nprint(x)", "x.to(device);"))
    report = apply([file], Settings(), dry_run=True)
    found = [f for result in report.files for f in result.findings if f.code == "DFX109"]
    assert [(f.cell, f.line) for f in found] == [(3, 1), (4, 1)]
