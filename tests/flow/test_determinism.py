"""The same program gives the same facts in every run, whatever the interpreter's hash seed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

PROGRAM = """
import sys
from pathlib import Path
from devicefix.flow import analyse
from devicefix.source import Source

for path in sorted(Path(sys.argv[1]).glob("*.py")):
    found = analyse(Source.read(path))
    for t in found.transfers:
        print(path.name, t.offence.name, t.tree.lineno, t.name, t.device and t.device.text, t.group)
    for c in found.calls.values():
        print(path.name, c.call.lineno, c.kind.name, c.device and c.device.text)
"""


def facts(folder: Path, seed: str) -> str:
    """What a fresh interpreter with this hash seed says about the programs of ``folder``."""
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", PROGRAM, str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def test_two_runs_with_different_hash_seeds_say_the_same() -> None:
    first = facts(ROOT / "examples", "1")
    assert first.count("\n") > 15
    assert first == facts(ROOT / "examples", "2")


def test_objects_that_are_one_of_several_are_walked_in_one_order(tmp_path: Path) -> None:
    layers = "\n".join(f"    {i}: nn.Linear({i + 1}, 1)," for i in range(12))
    program = (
        "import torch\nfrom torch import nn\n"
        f"nets = {{\n{layers}\n}}\n"
        "for i in range(12):\n    print(nets[i](torch.zeros(1, i + 1)).sum().item())\n"
    )
    (tmp_path / "several.py").write_text(program)
    seen = {facts(tmp_path, seed) for seed in ("1", "2", "3")}
    assert len(seen) == 1
    assert "MODULE" in seen.pop()
