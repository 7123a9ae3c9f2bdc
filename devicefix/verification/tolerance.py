"""How far a value may be from the baseline's, and why."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Deviation:
    """How far two numbers are apart."""

    before: float = 0.0
    after: float = 0.0
    share: float = 0.0
    """Of what would have been accepted."""


NO_DEVIATION: Final = Deviation()


@dataclass(frozen=True, slots=True)
class Tolerance:
    """``|a - b| <= absolute + relative * max(|a|, |b|)``; not-a-number equals itself."""

    relative: float = 0.0
    absolute: float = 0.0
    words: str = "exact"

    @property
    def is_exact(self) -> bool:
        """Whether only equal values are accepted."""
        return self.relative == 0 and self.absolute == 0

    def deviation(self, before: float, after: float) -> Deviation | None:
        """How far two numbers that are accepted are apart; None where they are not."""
        if before == after or (math.isnan(before) and math.isnan(after)):
            return NO_DEVIATION
        if self.is_exact or not (math.isfinite(before) and math.isfinite(after)):
            return None
        found = self.distance(before, after)
        return found if found.share <= 1 else None

    def distance(self, before: float, after: float) -> Deviation:
        """How far two numbers are apart, accepted or not."""
        allowed = self.absolute + self.relative * max(abs(before), abs(after))
        share = abs(before - after) / allowed if allowed else math.inf
        return Deviation(before, after, share)


EXACT: Final = Tolerance()

_ROUNDING: Final = 1e-4, 1e-6
"""For what follows from a kernel of the simulated accelerator that rounds otherwise than the CPU's
(`devicefix.simulator.rounding`): a training carries that along.
"""

_BY_DTYPE: Final = {
    "float16": Tolerance(5e-2, 2e-2, "float16 arithmetic (autocast)"),
    "bfloat16": Tolerance(2e-1, 5e-2, "bfloat16 arithmetic (autocast)"),
}
"""Arithmetic in less precision, where each device goes its own way: about fifty units in the last
place (2^-11 and 2^-8), which is what a short training leaves of them.
"""

_REAL: Final = {
    "float64": Tolerance(1e-7, 1e-7, "float64 on a real device"),
    "float32": Tolerance(1e-4, 1e-5, "float32 on a real device"),
}
"""`torch.testing.assert_close` accepts 1.3e-6 for one operation; a program is many of them."""


def tolerances(
    given: float | None,
    is_real: bool,
    precisions: frozenset[str],
    rounded: Sequence[str] = (),
) -> tuple[Tolerance, ...]:
    """What is accepted on another device than the baseline's; the first that fits is taken.

    Args:
        given: What the user said; it holds for every device.
        is_real: Whether the device is there, and not simulated.
        precisions: The floating dtypes that arithmetic had on either device.
        rounded: Operators of a simulated device that round otherwise, which the program has used.
    """
    if given is not None:
        return EXACT, Tolerance(given, given, f"{given:g}, as requested")
    half = tuple(_BY_DTYPE[dtype] for dtype in ("float16", "bfloat16") if dtype in precisions)
    if not is_real:
        return EXACT, *rounding(rounded), *half
    return _REAL["float64" if precisions == {"float64"} else "float32"], *half


def rounding(operators: Sequence[str]) -> tuple[Tolerance, ...]:
    """What is accepted after the first of these ``operators``; nothing where there is none."""
    names = ", ".join(name for name in operators if name not in _BY_DTYPE)
    return (Tolerance(*_ROUNDING, f"the last digits ({names} rounds differently there)"),) * bool(
        names
    )
