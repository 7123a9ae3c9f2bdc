"""What one changed file of a large library costs: `devicefix check` after everything was checked.

    python benchmarks/edited.py [--files N] [--pattern GLOB] [--keep FOLDER]

Copies transformers, checks all of it once (minutes), then changes one file after the other, each
time by one statement that is put into the body of a function drawn by chance, and checks all of it
again. Prints the processor seconds of each, of all processes, and of a run in which nothing has
changed. ``--keep`` is where copy and cache stay for the next time.
"""

from __future__ import annotations

import argparse
import ast
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from corpus import corpus
from measuring import Cost, measured

SEED: Final = 9
_LINE: Final = f"edited_at_{time.time_ns()} = None\n"
"""Another one each time: with ``--keep`` the edits of last time are known."""


def main() -> None:
    """Print what it costs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=15, help="how many are changed")
    parser.add_argument("--pattern", default="models/*/modeling_*.py", help="which they are of")
    parser.add_argument("--keep", type=Path, help="where copy and cache stay")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as working:
        measure(asked.keep or Path(working), asked.pattern, asked.files)


def measure(working: Path, pattern: str, count: int) -> None:
    """Check a copy of transformers below ``working`` after each of ``count`` edits."""
    library = working / "transformers"
    if not library.is_dir():
        shutil.copytree(corpus() / "transformers", library)
    for what in ("everything, or what is not known of it", "files are known", "nothing changed"):
        show(checked(library), what)
    drawn = random.Random(SEED)
    files = sorted(library.glob(pattern))
    costs = []
    for path in drawn.sample(files, min(count, len(files))):
        before = path.read_text(encoding="utf-8")
        path.write_text(edited(before, drawn), encoding="utf-8")
        costs.append(checked(library))
        path.write_text(before, encoding="utf-8")
        show(costs[-1], str(path.relative_to(library)))
    seconds = sorted(cost.cpu for cost in costs)
    middle = statistics.median(seconds)
    print(f"median {middle:.2f} s of CPU ({seconds[0]:.2f} to {seconds[-1]:.2f})")


def checked(library: Path) -> Cost:
    """What one check costs; raises `SystemExit` where it cannot do its work."""
    places: Mapping[str, str] = {"DEVICEFIX_CACHE_DIR": str(library.parent / "cache")}
    command = [sys.executable, "-m", "devicefix", "check", "-j", "1", str(library)]
    cost = measured(command, str(library.parent), places)
    if cost.status not in (0, 1):
        raise SystemExit(f"exit status {cost.status}: {' '.join(command)}")
    return cost


def edited(text: str, drawn: random.Random) -> str:
    """``text`` with one more statement at the end of some function, in front of its last one."""
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    last = drawn.choice([one for one in functions if len(one.body) > 1]).body[-1]
    lines = text.splitlines(keepends=True)
    lines.insert(last.lineno - 1, " " * last.col_offset + _LINE)
    return "".join(lines)


def show(cost: Cost, what: str) -> None:
    """Print one line."""
    print(f"{cost.cpu:7.2f} s  {cost.memory / 1e6:5.0f} MB  {what}", flush=True)


if __name__ == "__main__":
    main()
