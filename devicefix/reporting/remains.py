"""What is left of CUDA: one line that counts it, and one for each use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, TextIO

from devicefix.engine import Remaining, Remains, Report
from devicefix.findings import Reason
from devicefix.reporting.terminal import console, print_lines, printable

_HINT: Final = "; `devicefix check --remaining` lists them"
_WORKS: Final = frozenset({Reason.ASKED, Reason.HARMLESS, Reason.GUARDED})
"""What runs where there is no CUDA."""


def summary(remains: Remains, hint: str = _HINT, verb: str = "remain") -> str:
    """How much is left, and what of it works without CUDA; empty where nothing is left."""
    uses, failed = remains.uses, remains.uncounted
    unknown = f"{_count(len(failed), 'file')} could not be counted" if failed else ""
    if not uses:
        return unknown + "." * bool(failed)
    what = "1 use of CUDA remains" if len(uses) == 1 else f"{len(uses)} uses of CUDA remain"
    if verb != "remain":
        what = f"{_count(len(uses), 'use')} of CUDA {verb}"
    files = _count(len({use.path for use in uses}), "file")
    new = sum(use.new for use in uses)
    added = f", {new} of them written by the fixes" * bool(new)
    return f"{what} in {files}{added}: {_by_reason(remains)}{'; ' * bool(failed)}{unknown}{hint}"


def _by_reason(remains: Remains) -> str:
    """``2 work without CUDA (1 query only, 1 guarded), 1 reported``."""
    found = counts(remains)
    fine = [(reason, number) for reason, number in found if reason in _WORKS]
    rest = [(reason, number) for reason, number in found if reason not in _WORKS]
    numbers = ", ".join(f"{number} {reason.value}" for reason, number in fine)
    total = sum(number for _, number in fine)
    parts = [f"{_works(total, everything=not rest)} without CUDA ({numbers})"] if fine else []
    return ", ".join([*parts, *(_stopped(reason, number) for reason, number in rest)])


def _works(number: int, *, everything: bool) -> str:
    if everything:
        return "it works" if number == 1 else "all work"
    return f"{number} {'works' if number == 1 else 'work'}"


def _stopped(reason: Reason, number: int) -> str:
    """Those that may not work without CUDA, with the reason why."""
    if reason is Reason.NEEDED:
        return f"{number} {'needs' if number == 1 else 'need'} CUDA"
    return f"{number} {reason.value}"


def counts(remains: Remains) -> list[tuple[Reason, int]]:
    """How often each reason is given that is, in the order of `Reason`."""
    found = Counter(use.reason for use in remains.uses)
    return [(reason, found[reason]) for reason in Reason if found[reason]]


def said_of(use: Remaining) -> str:
    """Why it is left."""
    return f"{use.reason.value}: {use.detail}" if use.detail else use.reason.value


def is_none(remains: Remains | None) -> bool:
    """Whether surely nothing is left."""
    return remains is not None and not remains.uses and not remains.uncounted


def show_remains(report: Report, out: TextIO, *, listing: bool, verb: str = "remain") -> None:
    """What is left, and with ``listing`` where and why."""
    if report.remains is None or not report.checked:
        return
    if listing:
        print_lines(console(out), ((((line), ""),) for line in _lines(report.remains)))
    line = summary(report.remains, "" if listing else _HINT, verb)
    if line or listing:
        print(line or "0 uses of CUDA remain.", file=out)


def _lines(remains: Remains) -> Iterator[str]:
    if remains.uses:
        yield "Uses of CUDA:"
    for use in remains.uses:
        yield f"  {printable(use.where)} {printable(use.text)} [{printable(said_of(use))}]"
    if remains.uncounted:
        yield "Not counted:"
    for path in remains.uncounted:
        yield f"  {printable(path)}"


def as_json(remains: Remains) -> dict[str, Any]:
    """The same for programs."""
    return {
        "uses": [_use(use) for use in remains.uses],
        "counts": {reason.value: number for reason, number in counts(remains)},
        "uncounted": list(remains.uncounted),
    }


def _use(use: Remaining) -> dict[str, Any]:
    cell = {} if use.place.cell is None else {"cell": use.place.cell}
    return {
        "path": use.path,
        "line": use.place.line,
        "column": use.place.column,
        **cell,
        **({"new": True} if use.new else {}),
        "text": use.text,
        "reason": use.reason.value,
        "detail": use.detail,
    }


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + "s" * (number != 1)
