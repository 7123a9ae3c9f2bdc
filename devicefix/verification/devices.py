"""Names of devices as they are asked for: the CPU, a simulated accelerator, one that is there."""

from __future__ import annotations

from typing import Final

CPU: Final = "cpu"
_SIMULATED: Final = "sim:"


def is_simulated(device: str) -> bool:
    """Whether it is an accelerator that is only played: ``sim:cuda``, ``sim:mps:2``."""
    return device.startswith(_SIMULATED)


def is_real(device: str) -> bool:
    """Whether it is an accelerator that has to be there: ``cuda``."""
    return device != CPU and not is_simulated(device)
