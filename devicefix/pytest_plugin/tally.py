"""Counts what a test does with the device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from devicefix.simulator.watching import Watcher


@dataclass
class Counts:
    """What happened on the device, or between it and the host."""

    kernels: int = 0
    transfers: int = 0
    """Copies between devices, and values that the host read."""
    bytes: int = 0
    """Of what crossed."""

    def add(self, other: Counts) -> None:
        """Add ``other`` to this."""
        self.kernels += other.kernels
        self.transfers += other.transfers
        self.bytes += other.bytes


class Tally:
    """A watcher that adds up, beside the one that was there before.

    Told from several threads at once, it may lose a count now and then: no lock is worth that.
    """

    def __init__(self, beside: Watcher | None) -> None:
        self._beside = beside
        self._counts = Counts()

    def take(self) -> Counts:
        """What was counted since the last call."""
        taken, self._counts = self._counts, Counts()
        return taken

    def ran(
        self,
        op: torch._ops.OpOverload[..., Any],
        arguments: Sequence[Any],
        keywords: Mapping[str, Any],
        results: Any,
        device: torch.device,
    ) -> None:
        """Count one kernel."""
        self._counts.kernels += 1
        if self._beside is not None:
            self._beside.ran(op, arguments, keywords, results, device)

    def crossed(self, source: torch.Tensor, destination: torch.Tensor) -> None:
        """Count one copy."""
        self._count(source)
        if self._beside is not None:
            self._beside.crossed(source, destination)

    def read(self, tensor: torch.Tensor, how: str) -> None:
        """Count one reading."""
        self._count(tensor)
        if self._beside is not None:
            self._beside.read(tensor, how)

    def _count(self, tensor: torch.Tensor) -> None:
        self._counts.transfers += 1
        self._counts.bytes += tensor.numel() * tensor.element_size()
