"""Who looks on: one watcher is told of every kernel, copy and reading on the device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import torch


class Watcher(Protocol):
    """Called from the kernels, on whatever thread they run; those of a backward pass have their
    own.

    Tensors are the program's own, on their devices. A watcher must not compute with them on the
    device: it would hear of that, too.
    """

    def ran(
        self,
        op: torch._ops.OpOverload[..., Any],
        arguments: Sequence[Any],
        keywords: Mapping[str, Any],
        results: Any,
        device: torch.device,
    ) -> None:
        """One kernel ran on ``device``."""

    def crossed(self, source: torch.Tensor, destination: torch.Tensor) -> None:
        """``source`` was copied into ``destination``, which lives on another device."""

    def read(self, tensor: torch.Tensor, how: str) -> None:
        """The host read values of ``tensor`` and had to wait for them; ``how`` says by what."""


class _Post:
    """Where the watcher stands. The kernels look here at every call, so it is one attribute and no
    more.
    """

    watcher: Watcher | None = None


POST = _Post()


def watch(watcher: Watcher | None) -> None:
    """Let ``watcher`` be told from now on, instead of the one before; None for nobody."""
    POST.watcher = watcher
