"""Counts arithmetic by line, module and device, and what crosses between devices."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import torch

from devicefix.observe.begun import Begun
from devicefix.observe.explanation import place
from devicefix.observe.largest import Largest
from devicefix.observe.modules import Modules
from devicefix.observe.standing import Spot, Standing, called, standing
from devicefix.observe.work import work_of
from devicefix.simulator.provenance import stamp
from devicefix.simulator.rounding import ROUND_OTHERWISE

Tensor = torch.Tensor

_NOWHERE: Final[Spot] = ("", 0, "")
"""Work of which no line of the program is known."""

LINES: Final = 2000
"""How many lines and transfers a record holds: those with most work, and most bytes."""

_OFTEN: Final = 256
"""Countings between two looks at the time."""

_HALF: Final = {torch.float16: "float16", torch.bfloat16: "bfloat16"}
"""Dtypes in which each device goes its own way."""

_READINGS: Final = {"_local_scalar_dense": ".item"}


class Recorder:
    """A `devicefix.simulator.watching.Watcher` that counts.

    Told from several threads at once, it may lose a count now and then: no lock is worth that.
    """

    def __init__(self, provenance: bool) -> None:
        self.provenance = provenance
        self._lines: Counter[tuple[Spot, torch.device]] = Counter()
        self._transfers: Counter[tuple[Spot, str, str, str]] = Counter()
        self._bytes: Counter[tuple[Spot, str, str, str]] = Counter()
        self.missed: dict[str, str] = {}
        """Operators that could not be counted, each with the first reason."""
        self.precisions: set[torch.dtype] = set()
        """The dtypes that arithmetic had."""
        self.rounding: Callable[[str], None] | None = None
        """Is told the first time that an operator rounds otherwise than on the CPU, or that the
        arithmetic has less precision than float32: its name, or that of the dtype."""
        self._rounded: set[str] = set()
        self.pulse: Callable[[], None] | None = None
        """Is called now and then while there is something to count."""
        self._counted = 0
        self.modules = Modules(seeks=provenance)
        self.largest = Largest()
        self.begun = Begun()

    def ran(
        self,
        op: torch._ops.OpOverload[..., Any],
        arguments: Sequence[Any],
        keywords: Mapping[str, Any],
        results: Any,
        device: torch.device,
    ) -> None:
        """Count one kernel of the accelerator."""
        try:
            stands = standing(sys._getframe(1))
            work = work_of(op, arguments, keywords, results)
            if work:
                self.count(work, device, stands)
                if isinstance(results, Tensor):
                    self.precisions.add(results.dtype)
                    self._rounds(_HALF.get(results.dtype))
            name = op._schema.name
            if name in ROUND_OTHERWISE:
                self._rounds(name.removeprefix("aten::"))
            if self.provenance and not stands.returns and isinstance(results, Tensor):
                self._stamp(op, results, stands)
            self.largest.see(results, stands.spot)
        except Exception as error:
            self.miss(op, error)

    def _rounds(self, name: str | None) -> None:
        if name is not None and name not in self._rounded:
            self._rounded.add(name)
            if self.rounding is not None:
                self.rounding(name)

    def miss(self, op: torch._ops.OpOverload[..., Any], error: Exception) -> None:
        """Note that ``op`` could not be counted: nothing in here may end the program."""
        self.missed.setdefault(op._schema.name, f"{type(error).__name__}: {error}")

    @staticmethod
    def _stamp(op: torch._ops.OpOverload[..., Any], tensor: Tensor, stands: Standing) -> None:
        """Stamp a gradient, or what a compiled graph makes: no call returns it."""
        if stands.frame is not None and stands.spot is not None:
            stamp(tensor, op, (stands.frame.f_code, stands.spot[1], stands.via))

    def count(self, work: int, device: torch.device, stands: Standing) -> None:
        """Add work that ran on ``device``."""
        self._lines[stands.spot or _NOWHERE, device] += work
        if stands.root is not None and stands.module is not None:
            self.modules.count(stands.root, stands.module, device, work)
        self._counted += 1
        if self.pulse is not None and self._counted % _OFTEN == 0:
            self.pulse()

    def crossed(self, source: Tensor, destination: Tensor) -> None:
        """Count one copy between two devices."""
        frame = sys._getframe(1)
        stands = standing(frame)
        how = called(frame, stands) or ".copy_"
        size = source.numel() * source.element_size()
        self._transfer(stands, source.device, destination.device, how, size)
        self.largest.see(destination, stands.spot)
        if stands.root is not None:
            self.modules.note(stands.root)

    def read(self, tensor: Tensor, how: str) -> None:
        """Count one reading of values by the host."""
        stands = standing(sys._getframe(1))
        how = _READINGS.get(how, how)
        size = tensor.numel() * tensor.element_size()
        self._transfer(stands, tensor.device, torch.device("cpu"), how, size)

    def _transfer(
        self, stands: Standing, source: torch.device, target: torch.device, how: str, size: int
    ) -> None:
        key = (stands.spot or _NOWHERE, str(source), str(target), how)
        self._transfers[key] += 1
        self._bytes[key] += size

    def entries(self) -> dict[str, Any]:
        """What the record has of places and amounts, by its keys."""
        return {
            "begun": self.begun.entries(),
            "transfers": self._transfer_entries(),
            "lines": self._line_entries(),
            "modules": self.modules.entries(),
            "roots": self.modules.roots(),
            "tensors": self.largest.entries(),
            "work": self._total(),
        }

    def _transfer_entries(self) -> list[dict[str, Any]]:
        largest = self._bytes.most_common(LINES)
        return [
            {
                "at": _entry(spot),
                "source": source,
                "target": target,
                "how": how,
                "count": self._transfers[spot, source, target, how],
                "bytes": size,
            }
            for (spot, source, target, how), size in largest
        ]

    def _line_entries(self) -> list[dict[str, Any]]:
        by_line: dict[Spot, Counter[str]] = {}
        for (spot, device), work in list(self._lines.items()):
            by_line.setdefault(spot, Counter())[str(device)] += work
        most = sorted(by_line.items(), key=lambda item: -item[1].total())[:LINES]
        return [{"at": _entry(spot), "work": dict(work)} for spot, work in most]

    def _total(self) -> dict[str, int]:
        total: Counter[str] = Counter()
        for (_, device), work in list(self._lines.items()):
            total[str(device)] += work
        return dict(total)


def _entry(spot: Spot) -> dict[str, Any] | None:
    return None if spot == _NOWHERE else vars(place(*spot)).copy()
