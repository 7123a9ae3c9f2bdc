"""Since which torch there is what rewrites write: none may need a newer one than ``min-torch``."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

SINCE: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        # https://github.com/pytorch/pytorch/releases/tag/v1.10.0
        "torch.amp.autocast": (1, 10),
        # https://github.com/pytorch/pytorch/releases/tag/v2.3.0
        "torch.amp.GradScaler": (2, 3),
        # https://github.com/pytorch/pytorch/releases/tag/v2.4.0
        "torch.amp.custom_bwd": (2, 4),
        "torch.amp.custom_fwd": (2, 4),
        # https://docs.pytorch.org/docs/2.6/accelerator.html
        "torch.accelerator.is_available": (2, 6),
        "torch.accelerator.synchronize": (2, 6),
    }
)
"""All else that is written is older than the oldest torch that ``min-torch`` may name, 1.13."""


def is_there(name: str, torch: tuple[int, int]) -> bool:
    """Whether that version of torch has ``name``."""
    return SINCE.get(name, (0, 0)) <= torch
