"""What it costs a program to be watched: pairs of runs that take turns, and their medians."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from devicefix.verification.environment import simulated
from devicefix.verification.execution import Order, execute
from devicefix.verification.request import Request
from devicefix.verification.result import Role
from devicefix.verification.scratch import Scratch
from devicefix.verification.trees import Tree

HERE: Final = Path(__file__).resolve().parent / "observed"
STEPS: Final = {"cnn": 100, "transformer": 100}
KINDS: Final = {"cpu": "plain CPU, and verified", "sim:cuda": "simulated, and verified"}

Run = Callable[[], str]


def measured(rounds: int) -> list[dict[str, Any]]:
    """A row for each program and kind of run."""
    return [
        _row(program, device, rounds, _bare(program, device), _watched(program, device))
        for program in STEPS
        for device in KINDS
    ]


def _row(program: str, device: str, rounds: int, bare: Run, watched: Run) -> dict[str, Any]:
    pairs = [(_times(bare()), _times(watched())) for _ in range(rounds)]
    found = {
        clock: {
            "without_ms": 1e3 * statistics.median(a[clock] for a, _ in pairs) / STEPS[program],
            "with_ms": 1e3 * statistics.median(b[clock] for _, b in pairs) / STEPS[program],
            "ratio": statistics.median(b[clock] / a[clock] for a, b in pairs),
            "ratios": sorted(round(b[clock] / a[clock], 3) for a, b in pairs),
        }
        for clock in ("wall", "cpu")
    }
    print(program, device, *(f"{clock} {found[clock]['ratio']:.2f}" for clock in found))
    return {"program": program, "device": device, "what": KINDS[device], "rounds": rounds, **found}


def _times(output: str) -> Mapping[str, float]:
    """What the program says about itself."""
    words = [line.split() for line in output.splitlines()]
    return {line[0]: float(line[1]) for line in words if line[0] in ("wall", "cpu")}


def _bare(program: str, device: str) -> Run:
    """The program without anybody who watches."""
    base = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    environment = base if device == "cpu" else simulated(base, device, None, provenance=False)
    command = [sys.executable, f"{program}.py", str(STEPS[program])]

    def run() -> str:
        done = subprocess.run(
            command, cwd=HERE, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    return run


def _watched(program: str, device: str) -> Run:
    """The same as a run of a verification."""
    request = Request(f"{program}.py", (str(STEPS[program]),), sys.executable)
    tree = Tree(HERE)

    def run() -> str:
        with Scratch(tree) as scratch:
            scratch.restore(tree)
            done = execute(request, scratch, tree.root, Order(Role.BEFORE, device))
        return done.output.decode()

    return run
