"""What a verification found, in the words that its reports for people share."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterable, Iterator, Sequence
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from devicefix.records import How, LineWork, ModuleWork, Placement
from devicefix.records.placement import HOST
from devicefix.reporting.places import amount, bytes_of, percent, short_where
from devicefix.reporting.terminal import printable
from devicefix.verification.result import (
    Comparison,
    Difference,
    Role,
    RunSummary,
    Verdict,
    Verification,
)

ENOUGH: Final = 0.95
"""Of the arithmetic on the accelerator: then nobody needs the lines of the rest."""
_SHOWN: Final = (Role.BEFORE, Role.MODERNISED, Role.AFTER)
SAID: Final = MappingProxyType(
    {
        Verdict.PASS: "pass",
        Verdict.PARTLY_MOVED: "partly moved",
        Verdict.NOT_MOVED: "not moved",
        Verdict.STILL_FAILS: "still fails",
        Verdict.DIVERGED: "diverged",
        Verdict.DIFFERS: "differs",
        Verdict.NO_BASELINE: "no baseline",
        Verdict.FAILED: "could not be verified",
    }
)


class Row(Struct, frozen=True):
    """One run, for a table."""

    run: str
    ended: str
    computed: str
    """The share of its arithmetic that was on the accelerator."""
    copies: str


HEADS: Final = Row("run", "ended", "on the accelerator", "copies")


def verdict_of(verification: Verification) -> str:
    """The verdict in words; of a program that did not come to its end, as far as it got."""
    if verification.is_idle:
        return "nothing to verify"
    said = SAID[verification.verdict]
    is_part = verification.partial and verification.verdict is Verdict.PASS
    return f"{said} so far" if is_part else said


def entry_of(verification: Verification) -> str:
    """The program with its arguments, as one would write it."""
    return printable(shlex.join(verification.entry))


def devices_of(verification: Verification) -> str:
    """Where it was compared."""
    return ", ".join(comparison.device for comparison in verification.comparisons)


def rows_of(verification: Verification, width: int) -> tuple[Row, ...]:
    """The first run of each role and device: before the change, then after it.

    ``width``: columns for the place of an error.
    """
    seen: dict[tuple[Role, str], RunSummary] = {}
    for run in verification.runs:
        seen.setdefault((run.role, run.device), run)
    shown = (run for role in _SHOWN for run in seen.values() if run.role is role)
    return tuple(_row(run, width) for run in shown)


def _row(run: RunSummary, width: int) -> Row:
    placement = run.placement
    return Row(
        run=f"{run.role.value}, on {run.device}",
        ended=ended(run, width),
        computed=_share(placement) if placement is not None else "",
        copies=_copies(placement) if placement is not None else "",
    )


def ended(run: RunSummary, width: int) -> str:
    """How a run ended, and after how long: an exception with its line."""
    failure, ending = run.failure, run.ending
    seconds = f"{ending.seconds:.1f} s"
    match ending.how:
        case How.TIMEOUT:
            return f"stopped after {seconds}"
        case How.MEMORY:
            return f"stopped: it used {ending.megabytes} MB"
        case How.SIGNAL:
            return f"signal {ending.signal}, {seconds}"
    if failure is None:
        return f"exit {ending.status}, {seconds}"
    at = f" at {short_where(failure.at, width)}" if failure.at is not None else ""
    return f"{printable(failure.type)}{at}"


def _share(placement: Placement) -> str:
    total = sum(placement.work.values())
    if not total:
        return "no arithmetic"
    return percent(total - placement.work.get(HOST, 0), total)


def _copies(placement: Placement) -> str:
    count = sum(transfer.count for transfer in placement.transfers)
    if not count:
        return "none"
    return f"{amount(count)}, {bytes_of(sum(transfer.bytes for transfer in placement.transfers))}"


def agreement(comparison: Comparison) -> str:
    """How much was compared, how much was not, and how closely."""
    if comparison.verdict is Verdict.FAILED and not comparison.compared:
        return "nothing was compared"
    masked = f", {comparison.masked} not compared because they vary from run to run" * bool(
        comparison.masked
    )
    values = "1 value" if comparison.compared == 1 else f"{comparison.compared} values"
    return f"{values} compared{masked}: {_closeness(comparison)}"


def _closeness(comparison: Comparison) -> str:
    if comparison.verdict is Verdict.FAILED:
        return "too little to compare"
    if comparison.verdict is Verdict.STILL_FAILS:
        return "it fails as before"
    if comparison.difference is not None:
        return "not all equal"
    if comparison.furthest is None:
        return "all equal"
    return f"equal within {printable(comparison.tolerance)}"


def furthest_off(comparison: Comparison) -> str:
    """The accepted number that differs most: its values, and by how much; empty without one."""
    found = comparison.furthest
    if found is None or comparison.difference is not None:
        return ""
    return (
        f"largest difference: {printable(found.what)}, {found.before:.9g} and {found.after:.9g} "
        f"({found.absolute:.1e} absolute, {found.relative:.1e} relative)"
    )


def differences_of(verification: Verification) -> tuple[tuple[str, Difference], ...]:
    """The first difference on each device; devices with the same one are named together."""
    found: dict[Difference, list[str]] = {}
    for comparison in verification.comparisons:
        if comparison.difference is not None:
            found.setdefault(comparison.difference, []).append(comparison.device)
    return tuple((", ".join(devices), difference) for difference, devices in found.items())


class Shortfall(Struct, frozen=True):
    """What is left on the host after the change, on one device."""

    device: str
    lines: tuple[LineWork, ...]
    total: int
    """All arithmetic."""
    modules: tuple[ModuleWork, ...]


def shortfalls(verification: Verification) -> Iterator[Shortfall]:
    """For each device where too much is computed on the host."""
    for comparison in verification.comparisons:
        run = verification.run(Role.AFTER, comparison.device)
        placement = run.placement if run is not None else None
        if placement is None or placement.share is None or placement.share >= ENOUGH:
            continue
        modules = tuple(module for module in placement.modules if module.device == HOST)
        total = sum(placement.work.values())
        yield Shortfall(comparison.device, placement.host_lines, total, modules)


def notes_of(verification: Verification, more: Sequence[str] = ()) -> tuple[str, ...]:
    """What else there is to know, each thing once."""
    found = itertools.chain(
        more,
        _stand_in(verification),
        ()
        if verification.changed or verification.is_idle
        else ("nothing was changed: the program was compared with itself",),
        *(comparison.notes for comparison in verification.comparisons),
        _run_notes(verification.runs),
    )
    return tuple(note for note in dict.fromkeys(found) if note not in verification.reason)


def _stand_in(verification: Verification) -> Iterator[str]:
    if verification.modernised:
        yield (
            "before the change, it fails on every device; it is compared with the program after "
            f"only {', '.join(verification.modernised)}, which is not verified itself"
        )


def _run_notes(runs: Iterable[RunSummary]) -> Iterator[str]:
    for run in runs:
        if run.role in _SHOWN:
            yield from run.notes
            yield from run.placement.notes if run.placement is not None else ()
