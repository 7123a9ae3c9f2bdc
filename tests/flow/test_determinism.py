"""The same program gives the same facts in every run, whatever the interpreter's hash seed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from devicefix.flow.values import ListRecord

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


def walked(serials: range) -> list[int]:
    """The order in which a set of fresh records is walked."""
    return [record.serial for record in frozenset(map(ListRecord, serials))]


def test_sets_of_records_are_walked_in_one_order_wherever_they_lie_in_memory() -> None:
    serials = range(0, 9000, 37)
    held = [walked(serials) for _ in range(3)]
    assert held[0] == held[1] == held[2]
