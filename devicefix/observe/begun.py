"""Where the tensors were made that the host computes with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any, Final

import torch

from devicefix.observe.explanation import Place
from devicefix.observe.origins import origin_of

KEPT: Final = 20
"""How many places a record holds: those with which most is computed."""


class Begun:
    """Adds up the arithmetic of the host by the lines that made what its operands come from."""

    def __init__(self) -> None:
        self._work: Counter[tuple[Place, str]] = Counter()

    def see(self, operands: Iterable[Any], work: int) -> None:
        """Something was computed with ``operands``; what was moved, or is no tensor, is ignored."""
        for tensor in _tensors(operands):
            origin = origin_of(tensor)
            if origin.created is not None and origin.moved is None:
                made = [(one.created, one.how) for one in origin.ancestors]
                for place, how in made or [(origin.created, origin.how or "")]:
                    self._work[place, how] += work

    def entries(self) -> list[dict[str, Any]]:
        """The record's ``begun``, what is computed with most first."""
        return [
            {"at": asdict(at), "how": how, "work": work}
            for (at, how), work in self._work.most_common(KEPT)
        ]


def _tensors(values: Iterable[Any]) -> Iterator[torch.Tensor]:
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(value)
