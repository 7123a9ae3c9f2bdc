"""States that optimizers have loaded: are their tensors the optimizer's own from then on?

`torch.optim.Optimizer.load_state_dict` keeps a tensor as it is where it has the device and the
dtype of its parameter; the steps that follow then change what the program has loaded, too. It
copies others, and what was loaded stays as it was. So it depends on the device which of the two
happens.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch.utils.weak import WeakIdKeyDictionary

from devicefix.observe.witness.log import EventLog
from devicefix.observe.witness.numbers import Leaf
from devicefix.observe.witness.tensors import tensor_leaf

_DEPTH: Final = 4
"""Containers within each other in the state of one parameter."""


@dataclass(frozen=True)
class _Loaded:
    """A tensor of a state that was loaded."""

    digest: str
    """Of its values at that time."""
    shared: bool
    """Whether the optimizer has kept it."""


_LOADED: Final = WeakIdKeyDictionary()
"""By tensor, as long as the program has it."""


def note_resumed(log: EventLog) -> None:
    """Note what optimizers load from now on."""
    optimizer: Any = torch.optim.Optimizer
    load = optimizer.load_state_dict

    @functools.wraps(load)
    def load_state_dict(itself: Any, state_dict: Any) -> Any:
        result = load(itself, state_dict)
        if log.ours and isinstance(state_dict, Mapping):
            _note(itself, state_dict.get("state"))
        return result

    optimizer.load_state_dict = load_state_dict


def _note(optimizer: Any, state: Any) -> None:
    own = {id(tensor) for tensor in _tensors(optimizer.state)}
    with torch._C.DisableTorchFunction():
        for tensor in _tensors(state):
            digest = tensor_leaf("", tensor, 1).get("digest", "")
            _LOADED[tensor] = _Loaded(digest, id(tensor) in own)


def _tensors(value: Any, depth: int = _DEPTH) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif depth and isinstance(value, (Mapping, list, tuple)):
        parts = value.values() if isinstance(value, Mapping) else value
        for part in list(parts):
            yield from _tensors(part, depth - 1)


def resumed(tensor: torch.Tensor) -> Leaf:
    """What the leaf of ``tensor`` says besides: its digest when it was loaded, and who has it."""
    found = _LOADED.get(tensor) if _LOADED else None  # type: ignore[no-untyped-call]
    return {} if found is None else {"loaded": found.digest, "shared": found.shared}
