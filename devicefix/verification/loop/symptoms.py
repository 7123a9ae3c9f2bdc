"""What a run on the accelerator shows to be wrong, if anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from devicefix.records import (
    Begun,
    Failure,
    LineWork,
    Operand,
    Place,
    Placement,
    Root,
    placement_of,
)
from devicefix.records.placement import HOST
from devicefix.verification.endings import has_raised, last_words, obstacle
from devicefix.verification.execution import Execution
from devicefix.verification.moving import shortage

_MUCH: Final = 0.05
"""The share of the arithmetic on the host from which on it is tried to move it."""
_WITHOUT_FLOAT64: Final = frozenset({"mps"})
_DOUBLE: Final = frozenset({"float64", "complex128"})


@dataclass(frozen=True, slots=True)
class Fault:
    """Tensors are not where an operation needs them."""

    failure: Failure

    @property
    def strays(self) -> tuple[Operand, ...]:
        """The operands to be moved, what is a parameter or buffer first.

        Those on the CPU; where the host reads, those on the accelerator.
        """
        operands = self.failure.operands
        if self.is_read_by_host:
            return tuple(operand for operand in operands if operand.device != HOST)
        if self.is_between_accelerators:
            return tuple(sorted((o for o in operands if not o.registered), key=_is_followed))
        host = [operand for operand in operands if operand.device == HOST]
        return tuple(sorted(host, key=lambda o: (not o.registered, not o.shape)))

    @property
    def anchors(self) -> tuple[Operand, ...]:
        """The operands on the accelerator."""
        return tuple(operand for operand in self.failure.operands if operand.device != HOST)

    @property
    def is_between_accelerators(self) -> bool:
        """Whether the operands are on several accelerators, and none on the CPU."""
        devices = {operand.device for operand in self.failure.operands}
        return len(devices) > 1 and HOST not in devices

    @property
    def is_read_by_host(self) -> bool:
        """Whether an operand has to be on the CPU."""
        return self.failure.about in ("numpy", "lengths")

    def is_changed(self, operand: Operand) -> bool:
        """Whether the operation writes its result into an operand."""
        name = (self.failure.op or "").rpartition("::")[2].partition(".")[0]
        return name.endswith("_") and not name.endswith("__") and operand.name == "self"

    @property
    def needs_float64(self) -> bool:
        """Whether an operand has a precision that the device of the others lacks."""
        there = {anchor.device.partition(":")[0] for anchor in self.anchors}
        return not there.isdisjoint(_WITHOUT_FLOAT64) and any(
            stray.dtype in _DOUBLE for stray in self.strays
        )

    @property
    def is_mixed(self) -> bool:
        """Whether all operands have to be on one device."""
        return self.failure.about in ("mixed", "index") and bool(self.strays and self.anchors)


@dataclass(frozen=True, slots=True)
class Idle:
    """Too little is computed on the accelerator."""

    words: str
    """As the end of a sentence."""
    share: float
    roots: tuple[Root, ...]
    """The modules that were called, and never compute there."""
    lines: tuple[LineWork, ...]
    """What computes on the host, most first."""
    begun: tuple[Begun, ...] = ()
    """What made the tensors that it computes with, those with most work first."""


@dataclass(frozen=True, slots=True)
class Clean:
    """Nothing is."""

    left: Idle | None = None
    """What the host still computes, if that is much: it may belong there."""


@dataclass(frozen=True, slots=True)
class Broken:
    """The program ends for another reason."""

    words: str


Symptom = Clean | Fault | Idle | Broken
There = Callable[[Place], Place]
"""Where a line is in another state of its file."""


def _is_followed(operand: Operand) -> bool:
    """Whether others go to it: numbers that are computed, and not labels, indices or masks."""
    return "float" in operand.dtype


def symptom_of(run: Execution) -> Symptom:
    """What is wrong with a run."""
    failure = run.failure
    if failure is not None and failure.placement:
        return Fault(failure)
    if (why := obstacle(run)) is not None:
        return Broken(why)
    if has_raised(run):
        return Broken(last_words(run))
    now = placement_of(run.records)
    short = shortage(now, None, None)
    if short is not None:
        return _idle(short.words, run, now)
    share = 1.0 if now.share is None else now.share
    words = f"{1 - share:.0%} of the arithmetic is on the CPU"
    return Clean(_idle(words, run, now) if share < 1 - _MUCH else None)


def _idle(words: str, run: Execution, now: Placement) -> Idle:
    begun = (one for record in run.records for one in record.begun)
    most = tuple(sorted(begun, key=lambda one: one.work, reverse=True))
    return Idle(words, now.share or 0.0, _roots(run, now), now.host_lines, most)


def _roots(run: Execution, now: Placement) -> tuple[Root, ...]:
    """Those of whose work nothing is on an accelerator."""
    work: dict[str, set[str]] = {}
    for module in now.modules:
        work.setdefault(module.root, set()).update(module.work)
    known = (root for record in run.records for root in record.roots)
    return tuple(root for root in known if work.get(root.root) == {HOST})


def relocated(symptom: Symptom, there: There) -> Symptom:
    """``symptom`` with its lines as they are in another state of the files."""
    if isinstance(symptom, Idle):
        lines = (replace(x, at=there(x.at) if x.at is not None else None) for x in symptom.lines)
        return replace(symptom, lines=tuple(lines))
    if not isinstance(symptom, Fault):
        return symptom
    failure = symptom.failure
    at = there(failure.at) if failure.at is not None else None
    operands = (
        replace(
            one,
            created=there(one.created) if one.created is not None else None,
            moved=there(one.moved) if one.moved is not None else None,
            ancestors=tuple(replace(x, created=there(x.created)) for x in one.ancestors),
        )
        for one in failure.operands
    )
    return Fault(replace(failure, at=at, operands=tuple(operands)))


def is_progress(before: Symptom, after: Symptom, there: There) -> bool:
    """Whether the program comes further than before a repair."""
    match before, after:
        case _, Clean():
            return True
        case _, Broken():
            return False
        case Fault(), Fault():
            return _identity(relocated(before, there)) != _identity(after)
        case Fault(), Idle():
            return after.share > 0
        case Idle(), Idle():
            return after.share > before.share or len(after.roots) < len(before.roots)
    return True


def is_more(before: Idle, after: Symptom) -> bool:
    """Whether a program that runs computes more on the accelerator than before, by enough."""
    if not isinstance(after, Clean):
        return False
    return after.left is None or after.left.share > before.share + _MUCH / 2


def _identity(fault: Symptom) -> tuple[object, ...]:
    """What tells two faults apart."""
    assert isinstance(fault, Fault)
    strays = (
        (stray.name, stray.variable, stray.how, _line_of(stray.created), *_ancestry(stray))
        for stray in fault.strays
    )
    return fault.failure.op, _line_of(fault.failure.at), *strays


def _ancestry(operand: Operand) -> Iterator[tuple[str, int] | None]:
    return (_line_of(one.created) for one in operand.ancestors)


def _line_of(place: Place | None) -> tuple[str, int] | None:
    return None if place is None else (place.file, place.line)
