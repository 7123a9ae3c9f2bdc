"""What a verification found, as JSON for the page."""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import astuple

from devicefix.records import Place
from devicefix.records.placement import HOST
from devicefix.reporting.places import percent, where
from devicefix.reporting.verify_words import (
    HEADS,
    agreement,
    devices_of,
    differences_of,
    entry_of,
    notes_of,
    rows_of,
    shortfalls,
    verdict_of,
)
from devicefix.verification.result import Difference, Verdict, Verification

_PLACE: Final = 60
_LINES: Final = 20


def evidence_of(verification: Verification) -> dict[str, Any]:
    """The verdict, each run, what was compared, the first difference."""
    return {
        "verdict": verdict_of(verification),
        "passed": verification.verdict is Verdict.PASS,
        "unknown": verification.verdict.is_unknown,
        "entry": entry_of(verification),
        "devices": devices_of(verification),
        "reason": verification.reason,
        "heads": astuple(HEADS),
        "rows": [astuple(row) for row in rows_of(verification, _PLACE)],
        "agreements": [f"{c.device}: {agreement(c)}" for c in verification.comparisons],
        "differences": [_difference(on, one) for on, one in differences_of(verification)],
        "notes": [*_on_the_host(verification), *notes_of(verification)],
        "seconds": round(verification.seconds, 1),
    }


def _difference(devices: str, one: Difference) -> dict[str, Any]:
    return {
        "devices": devices,
        "what": one.what,
        "sides": [
            _side("before", one.before, one.at_before),
            _side("after", one.after, one.at_after),
        ],
        "detail": one.detail,
    }


def _side(name: str, value: str, at: Place | None) -> list[str]:
    return [name, value, where(at) if at is not None else "", at.text if at is not None else ""]


def _on_the_host(verification: Verification) -> list[str]:
    return [
        (
            f"computed on the CPU, on {one.device}: {percent(line.work[HOST], one.total)} at "
            f"{where(line.at)}"
        )
        for one in shortfalls(verification)
        for line in one.lines[:_LINES]
    ]
