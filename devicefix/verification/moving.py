"""How much of a program should be computed on the accelerator, and whether it is.

What should be there is read off the program's own run: the modules that hold parameters, and what
they compute. A program without any should compute most of it there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from devicefix.records import ModuleWork, Placement
from devicefix.records.placement import HOST
from devicefix.verification.result import Verdict

_LESS: Final = 0.05
"""A share of the arithmetic by which two runs may differ though nothing was moved away."""
_LEFT: Final = 0.05
"""Of what the modules compute, that may be computed on the host."""
_MOST: Final = 0.5
"""Of all arithmetic, where no modules compute anything."""
_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class Shortage:
    """Too little is computed on the accelerator."""

    verdict: Verdict
    words: str
    """What is the case there, as the end of a sentence."""


def shortage(now: Placement, then: Placement | None, wanted: float | None) -> Shortage | None:
    """What is missing on the accelerator after a change; None where it is enough.

    Args:
        now: Where the program computes after the change.
        then: And before it; None where it did not run there.
        wanted: The least share, if somebody has said so. Otherwise it is what it was before if
            that was something, and else what the modules of the program compute.
    """
    share, before = now.share, then.share if then is not None else None
    if share is None or (wanted is not None and share >= wanted):
        return None
    if share == 0:
        return _nothing(before)
    if wanted is not None:
        return _partly(f"{_only(share)}; {_percent(wanted)} was required")
    if before:
        return (
            _partly(f"{_only(share)}, {_percent(before)} before")
            if share < before - _LESS
            else None
        )
    return _left_behind(now.modules) or _too_little(now, share)


def _nothing(before: float | None) -> Shortage:
    then = f", {_percent(before)} before" if before else ""
    return Shortage(Verdict.NOT_MOVED, f"nothing is computed on the accelerator{then}")


def _partly(words: str) -> Shortage:
    return Shortage(Verdict.PARTLY_MOVED, words)


def _only(share: float) -> str:
    return f"only {_percent(share)} of the arithmetic is on the accelerator"


def _left_behind(modules: Sequence[ModuleWork]) -> Shortage | None:
    """Modules that never run on the accelerator.

    One that runs there and on the host was brought back, and its program says so.
    """
    computing = [module for module in modules if module.parameters and module.work]
    left = [module for module in computing if set(module.work) == {HOST}]
    total, missing = _work(computing), _work(left)
    if missing <= _LEFT * total:
        return None
    names = [module.name for module in left]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    never = "never computes" if len(names) == 1 else "never compute"
    part = f"{_percent(missing / total)} of what the modules compute"
    return _partly(f"{', '.join(names[:_NAMED])}{more}, {part}, {never} on the accelerator")


def _too_little(now: Placement, share: float) -> Shortage | None:
    """The share of the modules is the least: that of their own forward, without gradients."""
    total = sum(now.work.values())
    modules = _work(module for module in now.modules if module.parameters) / total
    if not modules:
        return _partly(_only(share)) if share < _MOST else None
    if share >= modules * (1 - _LEFT):
        return None
    return _partly(f"{_only(share)}, although the modules alone do {_percent(modules)} of it")


def _work(modules: Iterable[ModuleWork]) -> int:
    return sum(sum(module.work.values()) for module in modules)


def _percent(share: float) -> str:
    return "less than 0.1%" if share < 0.001 else f"{100 * share:.{1 if share < 0.1 else 0}f}%"
