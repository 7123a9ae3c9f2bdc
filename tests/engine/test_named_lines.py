"""Lines that reasons name are those of the files as the user wrote them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from devicefix.engine import rehearsal
from devicefix.engine.origins import renamed
from devicefix.settings import Settings

PROGRAM: Final = """import torch
from torch import nn
import mystery

model = nn.Linear(3, 2)
x = mystery.batch(torch.ones(4, 3))
print(model(x))
z = torch.zeros(3).cuda()
print(z)
"""


def reasons(tree: Path) -> dict[str, str]:
    """Why the model is left, by file."""
    report = rehearsal([tree], Settings(), dry_run=True).report()
    assert any(result.applied for result in report.files), "something has to move the lines"
    return {
        Path(result.path).name: left.reason
        for result in report.files
        for left in result.left
        if left.finding.code == "DFX101"
    }


def test_fixes_above_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    assert "(line 7: mystery.batch" in reasons(tmp_path)["program.py"]


def test_the_line_of_another_file_bears_its_name(tmp_path: Path) -> None:
    step = "import mystery\n\n\ndef step(model, x):\n    return model(mystery.batch(x))\n"
    (tmp_path / "step.py").write_text(step)
    program = PROGRAM.replace("import mystery", "from step import step")
    program = program.replace("mystery.batch(torch.ones(4, 3))", "torch.ones(4, 3)")
    (tmp_path / "program.py").write_text(program.replace("model(x)", "step(model, x)"))
    found = reasons(tmp_path)["program.py"]
    assert f"({tmp_path / 'step.py'}:5: mystery.batch" in found


@pytest.mark.parametrize(
    ("before", "after"),
    [("line 1, line 11", "line 2, line 11"), ("outline 1", "outline 1"), ("line 2", "line 1")],
)
def test_names_change_all_at_once(before: str, after: str) -> None:
    assert renamed(before, {"line 1": "line 2", "line 2": "line 1"}) == after
