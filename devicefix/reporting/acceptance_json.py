"""`apply --verify` for programs: the report of `apply`, with what the verification said.

Under ``acceptance``, version 1 as all of it::

    {
      "decision": "nothing" | "accepted" | "rejected" | "unknown",
      "reason": str,
      "written": bool,
      "verification": {…} | null,      of what the report holds, as `devicefix verify` writes it
      "refusal": {…} | null,           of all fixes together, where they were not accepted
      "groups": [group],               of the report: what was, or would be, written
      "guilty": [{…group, "diffs": [{"path": str, "diff": str}]}],
      "proven": [group],               unsafe, and kept
      "unproven": [{…group, "why": str}],      unsafe, and left
      "idle": [{…group, "why": str}],  of the report; some line of theirs never ran
      "verifications": int,
      "exhausted": bool                whether there would have been more to try
    }

A group is ``{"codes": [str], "applicability": str, "reason": str, "findings": [{"path": str,
"line": int, "code": str}], "lines": {path: [int]}}``: places in the files as they were, lines in
the new ones. Of a notebook a finding has its ``"cell"``, and lines are those of all its cells of
Python one after the other, each below a line that begins it and above an empty one.
"""

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
