"""What is wrong with a change that does not pass, as far as others are looked for that do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from devicefix.verification.result import Comparison, Role, Verdict, Verification

_CPU: Final = "cpu"


@dataclass(frozen=True, slots=True)
class Failing:
    """Where a change fails first."""

    devices: tuple[str, ...]
    """What has to be run besides the CPU to see it."""
    bare: bool
    """Whether the program before the change does not fail there."""
    in_vain: bool
    """Whether nothing is wrong but that too little was moved."""

    def is_gone(self, verification: Verification) -> bool:
        """Whether a part of the change does not fail like that."""
        if verification.verdict is Verdict.PASS:
            return True
        return verification.verdict.lacks_moving and not self.in_vain


def failing(verification: Verification) -> Failing:
    """The first fault of a verification that did not pass."""
    first = next(c for c in _in_order(verification) if c.verdict is not Verdict.PASS)
    if first.device == _CPU:
        on_cpu = verification.baseline == _CPU
        return Failing(() if on_cpu else _also(verification), on_cpu, False)
    in_vain = first.verdict.lacks_moving
    ran = verification.run(Role.BEFORE, first.device)
    sound = ran is None or (ran.failure is None and ran.ending.status == 0)
    return Failing((first.device,), sound and not in_vain, in_vain)


def _in_order(verification: Verification) -> Iterable[Comparison]:
    """What differs comes before what only is not moved."""
    return sorted(verification.comparisons, key=lambda c: c.verdict.lacks_moving)


def _also(verification: Verification) -> tuple[str, ...]:
    """The device that the baseline is of, without which there would be none."""
    return (verification.baseline,) if verification.baseline is not None else ()
