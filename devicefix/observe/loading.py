"""When a loader is at work: that is no work of the program, and its batches get a stamp."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final

import torch
from torch.utils.data.dataloader import _BaseDataLoaderIter

from devicefix.simulator.provenance import stamp

_HERE: Final = threading.local()
"""How many loaders are at work on this thread: a dispatch mode has no other way to know."""


def under_way() -> bool:
    """Whether a loader is preparing a batch on this thread."""
    return bool(getattr(_HERE, "depth", 0))


def follow_loaders() -> Callable[[], None]:
    """Notice loaders at work from now on; returns a function that ends it.

    Every loader's iterator, with workers and without, comes by `_BaseDataLoaderIter.__next__`.
    """
    original = _BaseDataLoaderIter.__next__

    def __next__(iterator: Any) -> Any:  # noqa: N807
        _HERE.depth = getattr(_HERE, "depth", 0) + 1
        try:
            batch = original(iterator)
        finally:
            _HERE.depth -= 1
        _stamp(batch)
        return batch

    def end() -> None:
        _BaseDataLoaderIter.__next__ = original  # type: ignore[method-assign]

    _BaseDataLoaderIter.__next__ = __next__  # type: ignore[method-assign,assignment]
    return end


def _stamp(batch: Any) -> None:
    """Stamp the tensors of a batch that nobody has: those that came from another process."""
    if isinstance(batch, torch.Tensor):
        stamp(batch, "DataLoader")
    elif isinstance(batch, dict):
        _stamp(list(batch.values()))
    elif isinstance(batch, (tuple, list)):
        for item in batch:
            _stamp(item)
