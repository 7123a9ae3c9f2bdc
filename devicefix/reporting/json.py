"""Reports for programs. The schema, version 1::

    {
      "version": 1,
      "command": "check" | "apply",
      "dry_run": bool,                 apply wrote nothing
      "findings": [{
        "path": str,                   as it was given, or found below what was given
        "line": int, "column": int,    1-based; columns count characters
        "cell": int,                   in notebooks only: its number among all cells, from 1;
                                       line and column count in it
        "code": "DFX103", "rule": str, "message": str,
        "advice": str,                 what a person has to decide; may be empty
        "applicability": "safe" | "unsafe" | "display",   of the whole group
        "group": str | null,           findings of one file and group are fixed together
        "shared": true,                those of other files, too; missing otherwise
        "edits": [{"start": int, "end": int, "text": str, "path": str}],   path: if another file's
        "status": "fixable" | "fixed" | "left",           fixable: by `devicefix apply`
        "reason": str | null           why it is left
      }],
      "files": [{"path": str, "diff": str}],   those that were, or would be, rewritten; there need
                                               be no findings in them
      "errors": [{"path": str, "line": int | null, "cell": int, "reason": str}],
      "summary": {
        "files_checked": int, "files_changed": int, "findings": int, "fixed": int, "left": int,
        "by_rule": {"DFX103": {"rule": str, "findings": int, "fixed": int, "left": int}},
        "seconds": float
      },
      "acceptance": {…}                only with --verify: see acceptance_json
    }

Positions and edits (indices into the decoded text) count in the file as it was read; those of what
`apply` left in a file that it rewrote, in the file as it now is. ``edits`` is empty for a fix that
was found only after others had been applied, and in notebooks. In ``summary``, ``fixed`` counts
"fixable" after a check. New keys may be added under the same version.
"""

from __future__ import annotations

import json
from typing import Any

from devicefix.engine import FileError, Left, Report
from devicefix.findings import Edit, Finding
from devicefix.reporting.account import Account
from devicefix.reporting.diff import unified_text
from devicefix.reporting.text import applicability
from devicefix.source import NOTEBOOK


def render(account: Account) -> str:
    """The report as one JSON object."""
    report, fixed = account.report, "fixable" if account.proposes else "fixed"
    content = {
        "version": 1,
        "command": account.command,
        "dry_run": account.rehearsed,
        "findings": [_finding(finding, left, fixed) for finding, left in account.outcomes()],
        "files": [
            {"path": result.path, "diff": unified_text(result.path, change)}
            for result, change in report.changes
        ],
        "errors": [_error(error) for error in report.errors],
        "summary": _summary(report),
        **_acceptance(account),
    }
    return json.dumps(content, indent=2) + "\n"


def _acceptance(account: Account) -> dict[str, Any]:
    if account.acceptance is None:
        return {}
    from devicefix.reporting import acceptance_json

    return {"acceptance": acceptance_json.content_of(account.acceptance, account.written)}


def _finding(finding: Finding, left: Left | None, fixed: str) -> dict[str, Any]:
    edits = finding.fix.edits if finding.fix is not None else ()
    shared = {"shared": True} if finding.fix is not None and finding.fix.shared else {}
    return {
        "path": finding.path,
        "line": finding.line,
        "column": finding.column,
        **cell_of(finding.cell),
        "code": finding.code,
        "rule": finding.rule,
        "message": finding.message,
        "advice": finding.advice,
        "applicability": applicability(finding).name.lower(),
        "group": finding.fix.group if finding.fix is not None else None,
        **shared,
        "edits": [_edit(edit, finding.path) for edit in edits if _is_placed(edit, finding)],
        "status": fixed if left is None else "left",
        "reason": None if left is None else left.reason,
    }


def cell_of(cell: int | None) -> dict[str, int]:
    """The key for a cell, where there is one."""
    return {} if cell is None else {"cell": cell}


def _is_placed(edit: Edit, finding: Finding) -> bool:
    """Whether its offsets count in a text that others can see."""
    return not (edit.path or finding.path).endswith(NOTEBOOK)


def _edit(edit: Edit, path: str) -> dict[str, Any]:
    content: dict[str, Any] = {"start": edit.start, "end": edit.end, "text": edit.text}
    return content if edit.path in ("", path) else {**content, "path": edit.path}


def _error(error: FileError) -> dict[str, Any]:
    place = {"path": error.path, "line": error.line, **cell_of(error.cell)}
    return {**place, "reason": error.reason}


def _summary(report: Report) -> dict[str, Any]:
    by_rule: dict[str, dict[str, Any]] = {}
    for result in report.files:
        left = {x.finding for x in result.left}
        for finding in result.findings:
            new = {"rule": finding.rule, "findings": 0, "fixed": 0, "left": 0}
            row = by_rule.setdefault(finding.code, new)
            row["findings"] += 1
            row["left" if finding in left else "fixed"] += 1
    return {
        "files_checked": report.checked,
        "files_changed": len(report.changes),
        **{key: sum(row[key] for row in by_rule.values()) for key in ("findings", "fixed", "left")},
        "by_rule": dict(sorted(by_rule.items())),
        "seconds": round(report.seconds, 3),
    }
