"""One target fuzzed in a process of its own, with progress, until its minutes are over."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from fuzz.session import DONE

_STATUS: Final = re.compile(r"^#(\d+)\t.*?cov: (\d+) ft: (\d+) corp: (\d+)/")
_EVERY_S: Final = 60.0
_MOST_STARTS: Final = 20
"""Of one run: libFuzzer ends with its process where the memory is over."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What came of a target."""

    name: str
    inputs: int = 0
    edges: int = 0
    """Those of the instrumented bytecode that some input went over."""
    features: int = 0
    """Edges, and how often; libFuzzer's measure of what is new."""
    corpus: int = 0
    """Inputs that found something new."""
    cpu: float = 0.0
    """Seconds."""
    slowest: float = 0.0
    """Seconds of one input."""
    findings: int = 0

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.inputs:,} inputs, {self.edges:,} edges, "
            f"{self.features:,} features, {self.corpus:,} in the corpus, "
            f"{self.cpu / 60:.1f} min, slowest {self.slowest:.1f} s, {self.findings} findings"
        )


def fuzz(name: str, folder: Path, seconds: float) -> Figures:
    """Fuzz for some seconds of the processor; findings are those in the folder afterwards."""
    total = Figures(name)
    for _ in range(_MOST_STARTS):
        left = seconds - total.cpu
        if left <= 0:
            break
        began = time.monotonic()
        part = _session(name, folder, left)
        total = replace(
            part,
            inputs=total.inputs + part.inputs,
            cpu=total.cpu + (part.cpu or time.monotonic() - began),
            slowest=max(total.slowest, part.slowest),
        )
    return replace(total, findings=count(folder))


def count(folder: Path) -> int:
    """The findings in the folder of a target, those included at which libFuzzer gave up."""
    kept = folder / "findings"
    ends = ("crash-", "timeout-", "oom-", "leak-")
    return sum(p.suffix == ".input" or p.name.startswith(ends) for p in kept.iterdir())


def _session(name: str, folder: Path, seconds: float) -> Figures:
    command = [sys.executable, "-m", "fuzz.session", name, str(folder), str(seconds)]
    figures, last = Figures(name), time.monotonic()
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, errors="replace"
    ) as process:
        assert process.stderr is not None
        with (folder / "log").open("a", encoding="utf-8") as log:
            for line in process.stderr:
                log.write(line)
                figures = read(line, figures)
                if line.startswith("finding: ") or time.monotonic() - last > _EVERY_S:
                    last = time.monotonic()
                    _show(line if line.startswith("finding: ") else f"{figures}", name)
    return figures


def _show(line: str, name: str) -> None:
    print(f"{name}: {line.strip()}" if not line.startswith(name) else line, file=sys.stderr)


def read(line: str, figures: Figures) -> Figures:
    """``figures`` with what a line of libFuzzer's, or the last one of ours, says."""
    if line.startswith(DONE):
        return replace(figures, **json.loads(line.removeprefix(DONE)))
    status = _STATUS.match(line)
    if status is None:
        return figures
    inputs, edges, features, corpus = map(int, status.groups())
    return replace(figures, inputs=inputs, edges=edges, features=features, corpus=corpus)
