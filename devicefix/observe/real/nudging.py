"""Results of arithmetic, off by at most one unit in the last place: what rounding alone may do."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import torch

from devicefix.observe import loading
from devicefix.observe.aside import Aside, is_plain
from devicefix.observe.work import work_of

Tensor = torch.Tensor

_EXACT: Final = frozenset(
    {
        "abs",
        "amax",
        "amin",
        "argmax",
        "argmin",
        "ceil",
        "clamp",
        "clamp_max",
        "clamp_min",
        "constant_pad_nd",
        "cummax",
        "cummin",
        "embedding",
        "flip",
        "floor",
        "gather",
        "hardtanh",
        "index",
        "index_put",
        "index_select",
        "kthvalue",
        "masked_fill",
        "masked_scatter",
        "masked_select",
        "max",
        "max_pool2d_with_indices",
        "max_pool3d_with_indices",
        "maximum",
        "median",
        "min",
        "minimum",
        "neg",
        "one_hot",
        "relu",
        "repeat",
        "roll",
        "round",
        "scatter",
        "select_scatter",
        "sgn",
        "sign",
        "slice_scatter",
        "sort",
        "take",
        "threshold",
        "threshold_backward",
        "topk",
        "tril",
        "triu",
        "trunc",
        "where",
    }
)
"""Operators that choose among values and round nothing, in place or not."""


class Nudges(Aside):
    """Nudges floating results at random, from a generator of its own."""

    def __init__(self, seed: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._generator = torch.Generator().manual_seed(seed)
        self._pid = os.getpid()

    def ran(
        self,
        func: Any,
        run: Callable[..., Any],
        args: Sequence[Any],
        keywords: Mapping[str, Any],
    ) -> Any:
        results = run(*args, **keywords)
        if self._applies() and rounds(func) and _counts(func, args, keywords, results):
            self._nudge(results if results is not None else args[0])
        return results

    def _applies(self) -> bool:
        """Data is as it is: loaders and their workers are left alone."""
        return os.getpid() == self._pid and not loading.under_way()

    def _nudge(self, value: Any) -> None:
        if is_plain(value):
            if value.is_floating_point() and _has_numbers(value):
                self._nudge_tensor(value)
        elif isinstance(value, (list, tuple)):
            for one in value:
                self._nudge(one)

    def _nudge_tensor(self, tensor: Tensor) -> None:
        """Half a unit of the number itself is between half and one of its last place."""
        signs = torch.randint(-1, 2, tensor.shape, generator=self._generator, dtype=torch.int8)
        half = torch.finfo(tensor.dtype).eps / 2
        step = tensor * signs.to(tensor.device, tensor.dtype).mul_(half)
        tensor.add_(step.nan_to_num_(0.0, 0.0, 0.0))


def _has_numbers(tensor: Tensor) -> bool:
    return tensor.layout is torch.strided and not tensor.is_meta


_ROUNDS: Final[dict[int, tuple[Any, bool]]] = {}


def rounds(func: Any) -> bool:
    """Whether the results of an operator may be rounded."""
    known = _ROUNDS.get(id(func))
    if known is None:
        name = func._schema.name.partition("::")[2].rstrip("_")
        known = _ROUNDS.setdefault(id(func), (func, name not in _EXACT))
    return known[1]


def _counts(func: Any, args: Sequence[Any], keywords: Mapping[str, Any], results: Any) -> bool:
    try:
        return work_of(func, args, keywords, results) > 0
    except Exception:  # an operator that nobody knows how to count is no arithmetic of interest
        return False
