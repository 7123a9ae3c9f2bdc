"""Runs programs, and `devicefix apply`, in processes that are forked off a Python that waits."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from devicefix.verification.environment import entered, simulated

CPU: Final = "cpu"
SIMULATED: Final = "sim:cuda"
WORLDS: Final = (CPU, SIMULATED)
CARD: Final = "cuda"
"""A real one, with the CPU's random numbers and arithmetic of float32."""
PORTED: Final = ("sim:mps", "sim:xpu", "sim:npu")
"""Worlds in which a program that knows CUDA alone takes the CPU."""
OTHERS: Final = (*PORTED, CARD)
"""Worlds for programs that choose any accelerator, and for machines that have one."""
DEVICEFIX: Final = "devicefix"
_STAGE: Final = Path(__file__).with_name("harm_stage.py")
_TRACEBACK: Final = "Traceback (most recent call last)"
_KEPT: Final = 10000
"""Characters of what a program says at last on stderr."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of one run."""

    status: int
    printed: str
    said: str
    """The end of stderr."""
    timed_out: bool = False

    @property
    def well(self) -> bool:
        """Whether it came to its end, and what it had started did."""
        return self.status == 0 and _TRACEBACK not in self.said

    @property
    def error(self) -> str:
        """In a line, why it did not."""
        if self.timed_out:
            return "not done in time"
        lines = [line for line in self.said.splitlines() if line.strip()]
        return lines[-1].strip() if lines else f"exit status {self.status}"


class Stage:
    """A process that runs one command after the other."""

    def __init__(
        self,
        kind: str,
        path: tuple[str, ...],
        variables: Mapping[str, str],
        python: str = sys.executable,
    ) -> None:
        self._process = subprocess.Popen(
            [python, str(_STAGE), *([kind] if kind == DEVICEFIX else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=_environment(kind, path, variables),
        )
        atexit.register(self.close)

    def run(self, folder: Path, entry: str, arguments: Sequence[str], seconds: float) -> Ran:
        """Run ``entry`` in ``folder``."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with tempfile.TemporaryDirectory() as place:
            out, err = Path(place, "out"), Path(place, "err")
            job = {"folder": str(folder), "entry": entry, "arguments": list(arguments)}
            job |= {"out": str(out), "err": str(err), "seconds": seconds}
            self._process.stdin.write(json.dumps(job) + "\n")
            self._process.stdin.flush()
            found = json.loads(self._process.stdout.readline())
            printed, said = (_text(file) for file in (out, err))
        return Ran(found["status"], printed, said[-_KEPT:], found["timed_out"])

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def _text(file: Path) -> str:
    return file.read_text(errors="replace") if file.exists() else ""


def _environment(kind: str, path: tuple[str, ...], own: Mapping[str, str]) -> dict[str, str]:
    base = entered(os.environ)
    if kind.startswith("sim:"):
        base = simulated(os.environ, kind, None, provenance=False)
    elif kind == CPU:
        base.pop("PYTHONPATH", None)
    told = os.pathsep.join(filter(None, (base.get("PYTHONPATH", ""), *path)))
    few = {"OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
    few |= {"DEVICEFIX_HOST_DRAWS": "1"} if kind == CARD else {"CUDA_VISIBLE_DEVICES": ""}
    return {**base, **few, "PYTHONPATH": told, "PYTHONHASHSEED": "0", **own}


@cache
def stage(kind: str, path: tuple[str, ...] = (), own: tuple[tuple[str, str], ...] = ()) -> Stage:
    """The process of this one for a world, or for devicefix."""
    return Stage(kind, path, dict(own))
