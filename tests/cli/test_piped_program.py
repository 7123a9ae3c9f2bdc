"""Standard input as a part of a program, with the rules that are installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PARTS = "import torch\n\n\ndef batch():\n    return torch.ones(2, 3)\n"
MAIN = """\
import torch
from parts import batch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
print(model(batch()))
"""


def test_neighbours_decide_and_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text(PARTS)
    command = [sys.executable, "-m", "devicefix", "apply", "--stdin-filename", "main.py", "-"]
    done = subprocess.run(command, input=MAIN.encode(), capture_output=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == MAIN.replace("batch()))", "batch().to(device)))")
    assert [path.name for path in tmp_path.iterdir()] == ["parts.py"]
    assert (tmp_path / "parts.py").read_text() == PARTS
