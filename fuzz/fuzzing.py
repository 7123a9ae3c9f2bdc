"""One target fuzzed in a process of its own, with progress, until its minutes are over."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from fuzz.session import DONE

_STATUS: Final = re.compile(r"^#(\d+)\t.*?cov: (\d+) ft: (\d+) corp: (\d+)/")
_EVERY_S: Final = 60.0
_MOST_STARTS: Final = 20
"""Of one run: libFuzzer ends with its process where the memory is over."""


class FuzzingError(Exception):
    """The fuzzer could not do its work; the message is for the user."""


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

    @property
    def progress(self) -> str:
        """What is known while it runs."""
        return (
            f"{self.name}: {self.inputs:,} inputs, {self.edges:,} edges, "
            f"{self.features:,} features, {self.corpus:,} in the corpus"
        )

    def __str__(self) -> str:
        return (
            f"{self.progress}, {self.cpu / 60:.1f} min, slowest {self.slowest:.1f} s, "
            f"{self.findings} findings"
        )


def fuzz(name: str, folder: Path, seconds: float) -> Figures:
    """Fuzz for some seconds of the processor; findings are those in the folder afterwards.

    Raises `FuzzingError`.
    """
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
    with (folder / "log").open("a", encoding="utf-8") as log, _lines(command) as lines:
        for line in lines:
            log.write(line)
            figures = read(line, figures)
            if line.startswith("finding: "):
                print(f"{name}: {line.strip()}", file=sys.stderr)
            elif time.monotonic() - last > _EVERY_S:
                last = time.monotonic()
                print(figures.progress, file=sys.stderr)
    if not figures.inputs:
        raise FuzzingError(f"the fuzzer did not begin; its last words are in {folder / 'log'}")
    return figures


@contextmanager
def _lines(command: Sequence[str]) -> Iterator[Iterable[str]]:
    """What a command says on standard error; its temporary files go with it."""
    with tempfile.TemporaryDirectory(prefix="devicefix-fuzz-") as place:
        environment = {**os.environ, "TMPDIR": place}
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
            text=True,
            errors="replace",
        )
        assert process.stderr is not None
        try:
            yield process.stderr
        finally:
            process.kill()
            process.wait()
            process.stderr.close()


def read(line: str, figures: Figures) -> Figures:
    """``figures`` with what a line of libFuzzer's, or the last one of ours, says."""
    if line.startswith(DONE):
        return replace(figures, **json.loads(line.removeprefix(DONE)))
    status = _STATUS.match(line)
    if status is None:
        return figures
    inputs, edges, features, corpus = map(int, status.groups())
    return replace(figures, inputs=inputs, edges=edges, features=features, corpus=corpus)
