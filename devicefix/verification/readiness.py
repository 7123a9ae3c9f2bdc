"""Whether a program can be run on the simulated accelerator, asked before it is started."""

from __future__ import annotations

from contextlib import nullcontext

from devicefix.simulator.selftest import Waiting, verdict
from devicefix.verification.errors import LaunchError


def check_readiness(python: str, device: str, trying: Waiting = nullcontext) -> None:
    """Raises `LaunchError` where the interpreter ``python`` cannot have ``device``.

    For a torch that was not tried before this takes some seconds, spent inside ``trying()``.
    """
    found = verdict(python, device, trying)
    if not found.holds:
        raise LaunchError(found.reason)
