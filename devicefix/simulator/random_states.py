"""States of the device's generators: 16 bytes, a seed and an offset, as those of CUDA
(aten/src/ATen/cuda/CUDAGeneratorImpl.cpp).

The numbers come from generators of the host, whose state is 5,056 bytes. Those are kept here, and
the offset is a digest of them, by which they are found again.
"""

from __future__ import annotations

from collections import OrderedDict
from hashlib import blake2b
from typing import Final

import torch

_BYTES: Final = 16
_WORD: Final = _BYTES // 2
_KEPT: Final = 4096
"""So many of the states that were asked for can be set again; there are 20 MB of them."""


class States:
    """The states of the host that stand behind those of the device."""

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, torch.Tensor] = OrderedDict()

    def packed(self, seed: int, state: torch.Tensor) -> torch.Tensor:
        """16 bytes that stand for ``state``, a tensor of bytes."""
        offset = blake2b(bytes(state.tolist()), digest_size=_WORD).digest()
        self._kept[offset] = state
        self._kept.move_to_end(offset)
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        word = (seed % (1 << 64)).to_bytes(_WORD, "little")
        return torch.tensor([*word, *offset], dtype=torch.uint8, device="cpu")

    def unpacked(self, packed: torch.Tensor) -> torch.Tensor | None:
        """The host's state; None for one that another process made, or a real device.

        Raises torch's errors for what is no state.
        """
        if packed.device.type != "cpu" or packed.dtype is not torch.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if packed.numel() not in (_WORD, _BYTES):
            raise RuntimeError("RNG state is wrong size")
        return self._kept.get(bytes(packed.tolist()[_WORD:]))

    def seed(self, packed: torch.Tensor) -> int:
        """The seed in a state of the device."""
        return int.from_bytes(bytes(packed.tolist()[:_WORD]), "little")
