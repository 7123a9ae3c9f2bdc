"""Runs a program on the CPU and, by `devicefix run`, on a simulated accelerator."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

SECONDS: Final = 120
"""After which a program is ended."""
_IGNORED: Final = shutil.ignore_patterns("__pycache__", ".git", ".devicefix*")
_ERROR: Final = re.compile(r"(?:E\s+)?([\w.]*(?:Error|Exception|Interrupt)\b.*)")
"""The last line of a traceback, also as pytest prints it."""
_KEPT: Final = 20000
"""Characters of the end of stderr."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of one run."""

    status: int
    printed: str
    said: str
    """The end of stderr."""
    share: float | None = None
    """Of the arithmetic, what ran on the accelerator; None on the CPU, or where there was none."""

    @property
    def well(self) -> bool:
        """Whether it came to its end."""
        return self.status == 0

    @property
    def error(self) -> str:
        """In a line, why it did not."""
        lines = [line for line in self.said.splitlines() if line.strip()]
        found = [_ERROR.match(line) for line in (*self.printed.splitlines(), *lines)]
        errors = [match[1] for match in found if match]
        return (errors or lines or [f"exit status {self.status}"])[-1].strip()


@dataclass(frozen=True, slots=True)
class Seen:
    """A tree of a program as it is, in both worlds."""

    cpu: Ran
    accelerator: Ran


class Runner:
    """Runs trees, and remembers what came of those that it knows."""

    def __init__(self, memory: Path | None = None) -> None:
        self._memory = memory
        if memory is not None:
            memory.mkdir(parents=True, exist_ok=True)

    def seen(self, tree: Path, run: Sequence[str], device: str) -> Seen:
        """What the program in ``tree`` does on the CPU and on ``device``."""
        known = self._memory and self._memory / f"{_digest(tree, run, device)}.json"
        if known and known.exists():
            told = json.loads(known.read_text("utf-8"))
            return Seen(Ran(**told["cpu"]), Ran(**told["accelerator"]))
        found = Seen(ran(tree, run, None), ran(tree, run, device))
        if known:
            part = known.with_suffix(f".{os.getpid()}")
            part.write_text(json.dumps(asdict(found)), "utf-8")
            part.replace(known)
        return found


def ran(tree: Path, run: Sequence[str], device: str | None) -> Ran:
    """What the program in ``tree`` does on ``device``, None for the CPU.

    It runs in a copy: it may write files, and each run starts from the same ones.
    """
    with tempfile.TemporaryDirectory(prefix="device-bugs-") as room:
        folder = Path(room, "program")
        shutil.copytree(tree, folder, ignore=_IGNORED)
        if device is None:
            return _called([sys.executable, *run], folder)
        report = Path(room, "report.json")
        options = ["--device", device, "--python", sys.executable, "--timeout", str(SECONDS)]
        options += ["--no-provenance", "--no-try", "--no-summary", "--output-file", str(report)]
        module = ["-m", run[1]] if run[0] == "-m" else [run[0]]
        rest = run[2:] if run[0] == "-m" else run[1:]
        command = [sys.executable, "-m", "devicefix", "run", *options, *module, *rest]
        done = _called(command, folder)
        share = json.loads(report.read_text("utf-8"))["share"] if report.exists() else None
        return Ran(done.status, done.printed, done.said, share)


def _called(command: Sequence[str], folder: Path) -> Ran:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=_environment(),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS + 30,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return Ran(124, "", "not done in time")
    return Ran(done.returncode, done.stdout, done.stderr[-_KEPT:])


def _environment() -> dict[str, str]:
    """One thread and no real accelerator: the same numbers in each run."""
    own = {"CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    return {**os.environ, **own, "PYTHONDONTWRITEBYTECODE": "1"}


def _digest(tree: Path, run: Sequence[str], device: str) -> str:
    """Of all that decides what a run does."""
    digest = hashlib.sha256(repr((tuple(run), device, *_versions())).encode())
    for path in sorted(path for path in tree.rglob("*.*") if path.is_file()):
        digest.update(str(path.relative_to(tree)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:24]


@cache
def _versions() -> tuple[str, str, str]:
    return sys.version, version("torch"), version("devicefix")
