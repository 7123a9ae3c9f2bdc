"""Whether a batch was split over several devices, as `torch.nn.DataParallel` does."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import torch

from devicefix.observe.witness.log import EventLog
from devicefix.simulator.rounding import SPLIT


def note_splits(log: EventLog) -> None:
    """Note the first split: from then on, sums over a batch may have other last digits."""
    core: Any = torch._C
    if not hasattr(core, "_scatter"):
        return  # a torch for one device
    original, noted = core._scatter, list[str]()

    @functools.wraps(original)
    def scatter(tensor: torch.Tensor, devices: Sequence[int], *args: Any, **kwargs: Any) -> Any:
        if len(devices) > 1 and not noted:
            noted.append(SPLIT)
            log.saw("rounded", SPLIT, None)
        return original(tensor, devices, *args, **kwargs)

    core._scatter = scatter
