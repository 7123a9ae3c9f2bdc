"""Whether the programs of the case files run with many torches, after `devicefix apply` in
accelerator style.

    python benchmarks/matrix.py PYTHON... [--only TEXT] [--seconds N] [--output FILE]

Each PYTHON is an interpreter with a torch and NumPy; it needs no devicefix. The programs are
rewritten with ``style = "accelerator"`` and ``min-torch`` set to that torch. Those that this
changes are run before and after on the CPU, on a machine without an accelerator. A name of
`torch.cuda` that is left has a finding in its program that gives the reason, is in the lists of
what may stay (`ALLOW`, `ON_PURPOSE`), or is there by mistake.
Exit status 1 if a program ran before and does not run after, or a name is there by mistake.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from harm_programs import Program, cases
from harm_running import CPU, Stage

_PASSES: Final = "it does nothing without CUDA, and that of torch.amp wants a type of device"
ALLOW: Final = (
    f"torch.cuda.amp.custom_fwd: {_PASSES}",
    f"torch.cuda.amp.custom_bwd: {_PASSES}",
)
"""Names that may stay, each with the reason, as `allow` in [tool.devicefix] has them."""
_SUPPRESSED: Final = "a comment of the user's keeps it"
ON_PURPOSE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "hardcoded/cuda_amp.py: suppressed": _SUPPRESSED,
        "hardcoded/cuda_amp.py: what an older torch has instead": "only an older torch runs it",
        "hardcoded/cuda_only.py: suppressed": _SUPPRESSED,
        "hardcoded/cuda_only.py: types that are only named": "a type that is named places nothing",
    }
)
"""Programs in which names may stay."""
_REASONS: Final = frozenset({"DFX205", "DFX206", "DFX212", "DFX213"})
"""The rules that say why a name stays; DFX215 finds all."""
_SETTINGS: Final = f"""\
[tool.devicefix]
style = "accelerator"
min-torch = "{{}}"
allow = {json.dumps(ALLOW)}
"""
_FACTS: Final = "import torch; print(torch.__version__, torch.version.cuda)"
_ENTRY: Final = "program.py"
_JOBS: Final = 2


@dataclass
class Row:
    """What came of the programs with one torch."""

    torch: str
    build: str
    programs: int = 0
    changed: int = 0
    ran_before: int = 0
    run_after: int = 0
    repaired: int = 0
    """They run only after the change."""
    harmed: list[str] = field(default_factory=list)
    said: dict[str, int] = field(default_factory=dict)
    """Names of `torch.cuda` that are left in programs, changed or not, where a finding says why."""
    unsaid: list[str] = field(default_factory=list)
    """Those in programs in which none does."""

    def cells(self) -> list[str]:
        """The row of the table."""
        numbers = (self.programs, self.changed, self.ran_before, self.run_after)
        left = (len(self.harmed), self.repaired, sum(self.said.values()), len(self.unsaid))
        return [self.torch, self.build, *map(str, numbers), *map(str, left)]


HEAD: Final = (
    "torch", "build", "programs", "changed", "ran before", "of those run after", "harmed",
    "repaired", "names left and said", "left unsaid",
)  # fmt: skip


def measured(python: str, programs: Sequence[Program], seconds: float) -> Row:
    """All programs with the torch of one interpreter."""
    version, cuda = _output([python, "-c", _FACTS]).split()
    row = Row(version.partition("+")[0], "CPU" if cuda == "None" else f"CUDA {cuda}")
    with tempfile.TemporaryDirectory(prefix="matrix-") as folder:
        before, after = Path(folder, "before"), Path(folder, "after")
        for tree in (before, after):
            _write(tree, programs, ".".join(version.split(".")[:2]))
        _devicefix("apply", str(after))
        left = _left(after)
        stages = [Stage(CPU, (), {}, python) for _ in range(_JOBS)]
        with ThreadPoolExecutor(_JOBS) as pool:
            parts = [range(start, len(programs), _JOBS) for start in range(_JOBS)]
            work = zip(stages, parts, strict=True)
            done = [
                pool.submit(_run, row, programs, before, after, *some, seconds, left)
                for some in work
            ]
            for one in done:
                one.result()
        for stage in stages:
            stage.close()
    return row


def _write(tree: Path, programs: Sequence[Program], oldest: str) -> None:
    tree.mkdir()
    (tree / "pyproject.toml").write_text(_SETTINGS.format(oldest))
    for number, program in enumerate(programs):
        place = tree / f"p{number:04}"
        place.mkdir()
        for name, content in program.files.items():
            (place / name).write_bytes(content)


Left = dict[str, dict[str, list[str]]]


def _left(tree: Path) -> Left:
    """What DFX215 finds, and the rules that say why it stays, by folder and code."""
    rules = ",".join((*sorted(_REASONS), "DFX215"))
    said = _devicefix(
        "check", str(tree), "--select", rules, "--no-cache", "--output-format", "json"
    )
    found: Left = {}
    for finding in json.loads(said)["findings"]:
        codes = found.setdefault(Path(finding["path"]).parent.name, {})
        codes.setdefault(finding["code"], []).append(finding["message"])
    return found


def _run(
    row: Row,
    programs: Sequence[Program],
    before: Path,
    after: Path,
    stage: Stage,
    numbers: range,
    seconds: float,
    left: Left,
) -> None:
    for number in numbers:
        folder = f"p{number:04}"
        one, two = before / folder, after / folder
        row.programs += 1
        _count(row, programs[number], left.get(folder, {}))
        if (one / _ENTRY).read_bytes() == (two / _ENTRY).read_bytes():
            continue
        ran, runs = (stage.run(tree, _ENTRY, (), seconds) for tree in (one, two))
        row.changed += 1
        row.ran_before += ran.well
        row.run_after += ran.well and runs.well
        row.repaired += runs.well and not ran.well
        if ran.well and not runs.well:
            row.harmed.append(f"{programs[number].name}: {runs.error}")


def _count(row: Row, program: Program, found: dict[str, list[str]]) -> None:
    names = found.get("DFX215", [])
    if not _REASONS.isdisjoint(found):
        for name in names:
            row.said[name] = row.said.get(name, 0) + 1
    elif program.name not in ON_PURPOSE:
        row.unsaid += [f"{program.name}: {name}" for name in names]


def _devicefix(*arguments: str) -> str:
    command = [sys.executable, "-m", "devicefix", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode not in (0, 1) and not ended.stdout:
        raise RuntimeError(ended.stderr)
    return ended.stdout


def _output(command: Sequence[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python benchmarks/matrix.py", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("pythons", nargs="+", metavar="PYTHON")
    parser.add_argument("--only", default="", metavar="TEXT", help="programs with it in their name")
    parser.add_argument("--seconds", type=float, default=60, help="of one run")
    parser.add_argument("--output", type=Path, metavar="FILE", help="all rows, as JSON")
    given = parser.parse_args(arguments)
    programs = [program for program in cases() if given.only in program.name]
    rows: list[Row] = []
    print(f"| {' | '.join(HEAD)} |\n|---|---|{'---:|' * (len(HEAD) - 2)}")
    for python in given.pythons:
        rows.append(measured(python, programs, given.seconds))
        print(f"| {' | '.join(rows[-1].cells())} |", flush=True)
        for name in rows[-1].harmed:
            print(f"harmed: {name}", file=sys.stderr)
        for name in rows[-1].unsaid:
            print(f"unsaid: {name}", file=sys.stderr)
    if given.output is not None:
        told: list[dict[str, Any]] = [asdict(row) for row in rows]
        given.output.write_text(json.dumps(told, indent=1) + "\n")
    return 1 if any(row.harmed or row.unsaid for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
