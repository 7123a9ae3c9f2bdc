"""A verification for programs: one JSON object, version 1 (docs/verify.schema.json)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from devicefix.records import Placement
from devicefix.reporting.records_json import (
    ending_of,
    failure_of,
    line_of,
    module_of,
    place_of,
    transfer_of,
)
from devicefix.reporting.verify_words import notes_of
from devicefix.verification.result import Comparison, Difference, Furthest, RunSummary, Verification

VERSION: Final = 1


def render(verification: Verification, notes: Sequence[str] = ()) -> str:
    """All that was found; ``notes`` come before those of the verification."""
    return json.dumps(content_of(verification, notes), indent=2)


def content_of(verification: Verification, notes: Sequence[str] = ()) -> dict[str, Any]:
    """The same before it is written."""
    return {
        "version": VERSION,
        "command": "verify",
        "entry": list(verification.entry),
        "verdict": verification.verdict.value,
        "status": verification.verdict.status,
        "partial": verification.partial,
        "reason": verification.reason,
        "baseline": verification.baseline,
        "modernised": list(verification.modernised),
        "changed": list(verification.changed),
        "comparisons": [_comparison(comparison) for comparison in verification.comparisons],
        "runs": [_run(run) for run in verification.runs],
        "executed": {path: sorted(lines) for path, lines in verification.executed.items()},
        "notes": list(notes_of(verification, notes)),
        "seconds": round(verification.seconds, 3),
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    difference = comparison.difference
    return {
        "device": comparison.device,
        "verdict": comparison.verdict.value,
        "partial": comparison.partial,
        "compared": comparison.compared,
        "masked": comparison.masked,
        "tolerance": comparison.tolerance,
        "deviation": _deviation(comparison.furthest),
        "difference": _difference(difference) if difference is not None else None,
        "notes": list(comparison.notes),
    }


def _deviation(furthest: Furthest | None) -> dict[str, Any] | None:
    if furthest is None:
        return None
    return {
        "what": furthest.what,
        "before": furthest.before,
        "after": furthest.after,
        "absolute": furthest.absolute,
        "relative": furthest.relative,
        "at": place_of(furthest.at),
    }


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "kind": difference.kind.value if difference.kind is not None else None,
        "what": difference.what,
        "before": difference.before,
        "after": difference.after,
        "at_before": place_of(difference.at_before),
        "at_after": place_of(difference.at_after),
        "detail": difference.detail,
    }


def _run(run: RunSummary) -> dict[str, Any]:
    return {
        "role": run.role.value,
        "device": run.device,
        "ending": ending_of(run.ending),
        "error": failure_of(run.failure) if run.failure is not None else None,
        "placement": _placement(run.placement) if run.placement is not None else None,
        "stderr": run.errors,
        "notes": list(run.notes),
    }


def _placement(placement: Placement) -> dict[str, Any]:
    return {
        "work": dict(placement.work),
        "share": placement.share,
        "copies": {
            "count": sum(transfer.count for transfer in placement.transfers),
            "bytes": sum(transfer.bytes for transfer in placement.transfers),
        },
        "modules": [module_of(module) for module in placement.modules],
        "transfers": [transfer_of(transfer) for transfer in placement.transfers],
        "lines": [line_of(line) for line in placement.lines],
        "notes": list(placement.notes),
    }
