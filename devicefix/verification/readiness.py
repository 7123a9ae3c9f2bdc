"""Whether a program can be run on the simulated accelerator, asked before it is started."""

from __future__ import annotations

import platform
import subprocess
import sys
from typing import Final

from devicefix.verification.errors import LaunchError

_PROBE: Final = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"
_PATIENCE: Final = 60.0
"""Seconds for an interpreter to start."""


def check_readiness(python: str) -> None:
    """Raises `LaunchError` where ``python`` cannot have the simulated accelerator."""
    system = f"{platform.system()} {platform.machine()}"
    if sys.platform != "linux" or platform.machine() != "x86_64":
        raise LaunchError(f"the simulated accelerator needs Linux on x86-64; this is {system}")
    _check_torch(python)


def _check_torch(python: str) -> None:
    try:
        done = subprocess.run(
            [python, "-c", _PROBE], capture_output=True, stdin=subprocess.DEVNULL, timeout=_PATIENCE
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LaunchError(f"{python} does not run as a Python interpreter: {error}") from None
    if done.returncode == 0:
        return
    if done.stderr or done.returncode != 1:
        last = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise LaunchError(f"{python} does not run as a Python interpreter: {last}".rstrip(": "))
    raise LaunchError(
        f"{python} has no torch; name an interpreter that has it with --python, or install it there"
    )
