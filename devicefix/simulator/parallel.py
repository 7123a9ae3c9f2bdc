"""Scatter, gather and broadcast between several devices, as `torch.nn.DataParallel` uses them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from devicefix.simulator.accelerator import Accelerator

Tensor = torch.Tensor


def install(accelerator: Accelerator) -> None:
    """Take the place of the C++ functions (torch/csrc/cuda/comm.cpp), which are only built for
    CUDA.
    """
    devices = accelerator.devices
    core: Any = torch._C

    def scatter(
        tensor: Tensor,
        indices: Sequence[int],
        chunk_sizes: Any = None,
        dim: int = 0,
        streams: Any = None,
    ) -> list[Tensor]:
        chunks = (
            torch.split(tensor, chunk_sizes, dim)
            if chunk_sizes
            else tensor.chunk(len(indices), dim)
        )
        return [chunk.to(devices[index]) for chunk, index in zip(chunks, indices, strict=False)]

    def gather(tensors: Sequence[Tensor], dim: int, destination: int | None = None) -> Tensor:
        target = torch.device("cpu") if destination == -1 else devices[destination or 0]
        return torch.cat([tensor.to(target) for tensor in tensors], dim)

    def broadcast(tensor: Tensor, indices: Sequence[int]) -> list[Tensor]:
        return [tensor.to(devices[index]) for index in indices]

    def broadcast_coalesced(
        tensors: Sequence[Tensor], indices: Sequence[int], buffer_size: int = 0
    ) -> list[Any]:
        return [[tensor.to(devices[index]) for tensor in tensors] for index in indices]

    def broadcast_out(tensor: Tensor, outs: Sequence[Tensor]) -> Sequence[Tensor]:
        for out in outs:
            out.copy_(tensor)
        return outs

    core._scatter, core._gather = scatter, gather
    core._broadcast, core._broadcast_out, core._broadcast_coalesced = (
        broadcast,
        broadcast_out,
        broadcast_coalesced,
    )
