"""The largest tensors that were seen, as descriptions: nothing is kept alive."""

from __future__ import annotations

from typing import Any, Final

import torch

from devicefix.observe.explanation import Origin, place
from devicefix.observe.origins import origin_of
from devicefix.observe.standing import Spot

Tensor = torch.Tensor

KEPT: Final = 20
"""How many are remembered."""


class Largest:
    """The `KEPT` largest tensors, the first of each shape, dtype and device."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Any, ...], tuple[int, dict[str, Any]]] = {}
        self._floor = 0

    def see(self, value: Any, spot: Spot | None) -> None:
        """Remember the tensor if it is among the largest; what is no tensor is ignored.

        ``spot`` is where the program stands: it made the tensor, unless a stamp says otherwise.
        """
        if not isinstance(value, Tensor) or value.is_nested:  # nested ones have no shape
            return
        if value.layout is torch.strided:  # the size of sparse ones is that of several others
            size = value.nbytes
            if size > self._floor:
                self._remember(value, size, spot)

    def _remember(self, tensor: Tensor, size: int, spot: Spot | None) -> None:
        key = (tensor.shape, tensor.dtype, tensor.device)
        if key in self._kept:
            return
        self._kept[key] = (size, _entry(tensor, size, spot))
        if len(self._kept) > KEPT:
            smallest = min(self._kept, key=lambda kept: self._kept[kept][0])
            del self._kept[smallest]
            self._floor = min(size for size, _ in self._kept.values())

    def entries(self) -> list[dict[str, Any]]:
        """The record's ``tensors``, largest first."""
        largest = sorted(self._kept.values(), key=lambda kept: -kept[0])
        return [entry for _, entry in largest]


def _entry(tensor: Tensor, size: int, spot: Spot | None) -> dict[str, Any]:
    origin = origin_of(tensor)
    if origin.created is None and spot is not None:
        origin = Origin(created=place(*spot))
    return {
        "shape": list(tensor.shape),
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "bytes": size,
        "device": str(tensor.device),
        "how": origin.how,
        "created": origin.created and vars(origin.created).copy(),
        "moved": origin.moved and vars(origin.moved).copy(),
    }
