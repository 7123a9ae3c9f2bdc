"""Runs programs on the CPU and the simulated accelerator, in processes that have torch already."""

from __future__ import annotations

import atexit
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

_STAGE: Final = Path(__file__).with_name("stage.py")
_REMEMBERED: Final = 8
"""Programs whose outcome is known: of one program several texts are run, often the same."""
_DEVICE: Final = re.compile(r", device='\w+(:\d+)?'")


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of one run."""

    printed: str
    error: str
    devices: frozenset[str]
    """Where the parameters of modules were that were called."""

    @property
    def outcome(self) -> tuple[str, str]:
        """What has to be the same on all devices."""
        return _DEVICE.sub("", self.printed), self.error


class Stage:
    """A process that runs one program after the other."""

    def __init__(self, device: str) -> None:
        self._device = device
        self._known: dict[str, Ran] = {}
        self.seconds = 0.0
        """Processor time that programs took."""
        self._process: subprocess.Popen[str] | None = None
        atexit.register(self.close)

    def run(self, main: str, others: Mapping[str, str] | None = None) -> Ran:
        """Run ``main``, which may import ``others``; the same again has the same outcome."""
        question = json.dumps({**(others or {}), "__main__": main}) + "\n"
        if question not in self._known:
            while len(self._known) > _REMEMBERED:
                del self._known[next(iter(self._known))]
            self._known[question] = self._asked(question)
        return self._known[question]

    def _asked(self, question: str) -> Ran:
        process = self.start()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(question)
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            self.close()
            return Ran("", "the process died", frozenset())
        found = json.loads(answer)
        self.seconds += found["seconds"]
        return Ran(found["out"], found["error"], frozenset(found["devices"]))

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.close()
            process.wait()
            process.stdout.close()

    def start(self) -> subprocess.Popen[str]:
        """The process, which may still be importing."""
        if self._process is not None:
            return self._process
        self._process = subprocess.Popen(
            [sys.executable, str(_STAGE), self._device],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        return self._process


@cache
def stage(device: str) -> Stage:
    """The process for ``device``, one for all tests of this one."""
    return Stage(device)


def on_cpu(main: str, others: Mapping[str, str] | None = None) -> Ran:
    """Run on a machine without an accelerator."""
    stage("sim:cuda").start()  # who asks this wants that next: both import torch meanwhile
    return stage("cpu").run(main, others)


def simulated(main: str, others: Mapping[str, str] | None = None) -> Ran:
    """Run on the simulated accelerator."""
    return stage("sim:cuda").run(main, others)


def processor_seconds() -> float:
    """What all runs took so far, without the imports."""
    return stage("cpu").seconds + stage("sim:cuda").seconds
