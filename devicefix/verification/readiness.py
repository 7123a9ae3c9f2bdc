"""Whether a program can be run on an accelerator, asked before it is started."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from contextlib import nullcontext
from types import MappingProxyType
from typing import Final

from devicefix.simulator.selftest import Waiting, verdict
from devicefix.verification.devices import CPU, is_simulated
from devicefix.verification.errors import LaunchError


def check_readiness(python: str, device: str, trying: Waiting = nullcontext) -> None:
    """Raises `LaunchError` where the interpreter ``python`` cannot have ``device``.

    For a torch that was not tried before this takes some seconds, spent inside ``trying()``.
    """
    found = verdict(python, device, trying)
    if not found.holds:
        raise LaunchError(found.reason)


def check_devices(python: str, devices: Sequence[str]) -> None:
    """Raises `LaunchError` where ``python`` cannot have one of ``devices``."""
    for device in devices:
        if is_simulated(device):
            check_readiness(python, device)
        elif device != CPU:
            check_accelerator(python, device)


_ASKED: Final = MappingProxyType(
    {
        "cuda": "torch.cuda.is_available()",
        "mps": "torch.backends.mps.is_available()",
        "xpu": "hasattr(torch, 'xpu') and torch.xpu.is_available()",
    }
)
REAL: Final = tuple(_ASKED)
"""Accelerators that a machine may have."""
_PATIENCE: Final = 120.0


def check_accelerator(python: str, kind: str) -> None:
    """Raises `LaunchError` unless the torch of ``python`` sees a real accelerator of this kind."""
    code = f"import torch\nprint(bool({_ASKED[kind]}), torch.__version__)"
    try:
        done = subprocess.run(
            [python, "-c", code], capture_output=True, text=True, timeout=_PATIENCE
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LaunchError(f"{python} does not report its torch version:  {error}") from None
    seen, _, version = done.stdout.strip().rpartition("\n")[2].partition(" ")
    if done.returncode != 0 or not version:
        raise LaunchError(f"{python} has no torch that can be imported")
    if seen != "True":
        raise LaunchError(
            f"torch {version} of {python} sees no {kind} device; sim:{kind} simulates one"
        )
