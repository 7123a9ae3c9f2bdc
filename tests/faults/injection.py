"""Runs of devicefix in which a call of the system fails, or the process is killed."""

from __future__ import annotations

import enum
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Final, NamedTuple

_HERE: Final = Path(__file__).parent


class Action(enum.IntEnum):
    """What is done at the call; as in shim.c."""

    NOTHING = 0
    FAIL = 1
    KILL_BEFORE = 2
    KILL_AFTER = 3
    SHORT = 4
    """Half is written, and then the disk is full."""
    CALL = 5
    """Somebody else does something just before it."""
    INTERRUPT = 6
    """As with Ctrl-C."""


class Kinds(enum.IntFlag):
    """Which calls count."""

    OPENS = 1
    SPACE = 2
    """Those that need room on the disk."""
    OTHERS = 4
    READS = 8


WRITES: Final = Kinds.OPENS | Kinds.SPACE | Kinds.OTHERS


@dataclass(frozen=True)
class Fault:
    """What happens at the ``nth`` call of some kinds; with 0 nothing does, and calls are noted."""

    nth: int = 0
    action: Action = Action.NOTHING
    error: int = 0
    """An `errno`."""
    kinds: Kinds = WRITES
    lasting: bool = False
    """Whether it happens to all calls after it, too."""
    meanwhile: str = ""
    """A program that changes something; of `Action.CALL`."""


class Call(NamedTuple):
    """One call that changed something, or would have."""

    name: str
    path: str
    other: str


@dataclass(frozen=True)
class Ended:
    """What came of a run."""

    status: int
    """Negative for a signal."""
    out: str
    err: str
    calls: Sequence[Call] = field(repr=False)


def build(folder: Path) -> Path | str:
    """The shim, or why there is none."""
    if sys.platform != "linux":
        return "needs Linux: LD_PRELOAD and /proc"
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return "needs a C compiler (cc) for the library that makes calls fail"
    shim = folder / "shim.so"
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(shim), str(_HERE / "shim.c"), "-ldl"]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    return shim if made.returncode == 0 else f"{compiler}: {made.stderr.strip()[-300:]}"


class Injector:
    """A warm devicefix from which runs with faults are forked; a context manager."""

    def __init__(self, shim: Path, folder: Path) -> None:
        self._folder = folder
        environment = {**os.environ, "LD_PRELOAD": str(shim), "PYTHONDONTWRITEBYTECODE": "1"}
        warm = folder / "warm"
        warm.mkdir()
        command = [sys.executable, str(_HERE / "warm.py"), str(shim), str(warm)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment)

    def __enter__(self) -> Injector:
        return self

    def __exit__(self, *_: object) -> None:
        for end in (self._process.stdin, self._process.stdout):
            assert end is not None
            end.close()
        self._process.wait()

    def run(
        self,
        top: Path,
        *arguments: str,
        fault: Fault | None = None,
        program: str = "",
        clock: float = 0.0,
        stdout: Path | None = None,
        prepare: bool = False,
        prepared: bool = False,
    ) -> Ended:
        """``devicefix ARGUMENTS``, or ``program``, in ``top/tree``; state and cache lie beside it.

        Calls count that are about something below ``top``. To ``prepare`` is to keep what `apply`
        finds there as it is now; runs that are ``prepared`` find just that, and at once.
        """
        output = self._folder / "output"
        order = {
            "arguments": arguments,
            "program": program,
            "folder": str(top / "tree"),
            "prepare": prepare,
            "prepared": prepared,
            "root": str(top),
            "environment": {
                "DEVICEFIX_STATE_DIR": str(top / "state"),
                "DEVICEFIX_CACHE_DIR": str(top / "cache"),
                "TMPDIR": str(top / "tmp"),
            },
            "output": str(output),
            "stdout": str(stdout or f"{output}.out"),
            "log": f"{output}.log",
            "clock": clock,
            "fault": asdict(fault or Fault()),
        }
        into, out = self._process.stdin, self._process.stdout
        assert into is not None
        assert out is not None
        into.write(json.dumps(order).encode() + b"\n")
        into.flush()
        status = int(_line(out))
        said = [_read(Path(f"{output}.{end}")) for end in ("out", "err")]
        return Ended(status, said[0], said[1], _calls(Path(f"{output}.log")))


def _line(out: IO[bytes]) -> bytes:
    line = out.readline()
    if not line:
        raise RuntimeError("the warm process has ended")
    return line


def _read(file: Path) -> str:
    return file.read_text(errors="replace") if file.exists() else ""


def _calls(log: Path) -> Sequence[Call]:
    return [Call(*line.split("\t")) for line in _read(log).splitlines()]
