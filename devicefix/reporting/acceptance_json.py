"""`apply --verify` for programs: what the verification said, as ``acceptance`` in the report."""

from __future__ import annotations

from typing import Any

from devicefix.engine import AppliedGroup
from devicefix.findings import Finding
from devicefix.reporting import json, verify_json
from devicefix.reporting.diff import unified_text
from devicefix.verification.acceptance import Acceptance, Unproven
from devicefix.verification.result import Verification


def content_of(found: Acceptance, written: bool) -> dict[str, Any]:
    """The outcome, for ``acceptance`` in the report."""
    return {
        "decision": found.decision.value,
        "reason": found.reason,
        "written": written,
        "verification": _verification(found.verification),
        "refusal": _verification(found.refusal),
        "groups": [_group(group) for group in found.report.groups],
        "guilty": [
            {
                **_group(one.group),
                "diffs": [{"path": p, "diff": unified_text(p, c)} for p, c in one.changes],
            }
            for one in found.guilty
        ],
        "proven": [_group(group) for group in found.proven],
        "unproven": [_unproven(one) for one in found.unproven],
        "idle": [_unproven(one) for one in found.idle],
        "verifications": found.trials,
        "exhausted": found.exhausted,
    }


def _verification(verification: Verification | None) -> dict[str, Any] | None:
    return verify_json.content_of(verification) if verification is not None else None


def _unproven(one: Unproven) -> dict[str, Any]:
    return {**_group(one.group), "why": one.reason}


def _finding(finding: Finding) -> dict[str, Any]:
    place = {"path": finding.path, "line": finding.line, **json.cell_of(finding.cell)}
    return {**place, "code": finding.code}


def _group(group: AppliedGroup) -> dict[str, Any]:
    return {
        "codes": list(group.codes),
        "applicability": group.applicability.name.lower(),
        "reason": group.reason,
        "findings": [_finding(finding) for finding in group.findings],
        "lines": {path: sorted(lines) for path, lines in group.lines.items()},
    }
