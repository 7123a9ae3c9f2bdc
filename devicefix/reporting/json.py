"""`check` and `apply` for programs: one JSON object, version 1 (docs/report.schema.json).

New keys may be added under the same version.
"""

from __future__ import annotations

import json
from typing import Any, Final

from devicefix.engine import BaselineUse, FileError, Left, Remains, Report
from devicefix.findings import Edit, Finding
from devicefix.reporting.account import Account
from devicefix.reporting.diff import unified_text
from devicefix.reporting.left_text import applicability
from devicefix.reporting.remains import as_json
from devicefix.reporting.rule_pages import page_of_code
from devicefix.source import NOTEBOOK

VERSION: Final = 1


def render(account: Account) -> str:
    """The report as one JSON object."""
    report, fixed = account.report, "fixable" if account.proposes else "fixed"
    content = {
        "version": VERSION,
        "command": account.command,
        "dry_run": account.rehearsed,
        "findings": [_finding(finding, left, fixed) for finding, left in account.outcomes()],
        "files": [
            {"path": result.path, "diff": unified_text(result.path, change)}
            for result, change in report.changes
        ],
        "errors": [_error(error) for error in report.errors],
        "complete": not report.errors,
        "summary": _summary(report),
        **_remaining(report.remains),
        **_baseline(report.baseline),
        **_acceptance(account),
        **_mended(account),
    }
    return json.dumps(content, indent=2) + "\n"


def _remaining(remains: Remains | None) -> dict[str, Any]:
    return {} if remains is None else {"remaining": as_json(remains)}


def _baseline(use: BaselineUse | None) -> dict[str, Any]:
    if use is None:
        return {}
    stale = [{"path": one.path, "code": one.code, "line": one.line} for one in use.stale]
    return {"baseline": {"path": use.location, "hidden": use.hidden, "stale": stale}}


def _acceptance(account: Account) -> dict[str, Any]:
    if account.acceptance is None:
        return {}
    from devicefix.reporting import acceptance_json

    return {"acceptance": acceptance_json.content_of(account.acceptance, account.written)}


def _mended(account: Account) -> dict[str, Any]:
    if account.mended is None:
        return {}
    from devicefix.reporting import loop_json

    return {"run": loop_json.content_of(account.mended)}


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
        **_page(finding.code),
        "message": finding.message,
        "advice": finding.advice,
        **({"seen": True} if finding.seen else {}),
        "applicability": applicability(finding).name.lower(),
        "group": finding.fix.group if finding.fix is not None else None,
        **shared,
        "edits": [_edit(edit, finding.path) for edit in edits if _is_placed(edit, finding)],
        "status": fixed if left is None else "left",
        "reason": None if left is None else left.reason,
    }


def _page(code: str) -> dict[str, str]:
    page = page_of_code(code)
    return {} if page is None else {"url": page}


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
    program = {"program": list(error.program)} if error.program else {}
    return {**place, "reason": error.reason, **program}


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
