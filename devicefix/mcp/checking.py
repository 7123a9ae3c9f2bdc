"""The tool `check`: what is found, counts first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from devicefix.engine import FileError, Left, check
from devicefix.findings import Finding, place_text
from devicefix.mcp.pages import page
from devicefix.mcp.root import Root
from devicefix.reporting.account import Account
from devicefix.reporting.left_text import applicability
from devicefix.settings import Settings, load_settings


def settings_of(root: Root, rules: Sequence[str]) -> Settings:
    """Those of the project, with these rules only where any are named."""
    settings = load_settings(root.folder, None)
    return replace(settings, select=tuple(rules)) if rules else settings


def found(
    root: Root, paths: Sequence[str], rules: Sequence[str], limit: int, cursor: str | None
) -> dict[str, Any]:
    """What `devicefix check` finds. Raises what `check` raises."""
    settings = settings_of(root, rules)
    report = check(root.paths(paths), settings, cached=settings.cache)
    account = Account(report, "check")
    outcomes = list(account.outcomes())
    shown, following = page([_finding(finding, left) for finding, left in outcomes], limit, cursor)
    fixable = sum(left is None for _, left in outcomes)
    return {
        "counts": {
            "files_checked": report.checked,
            "findings": len(outcomes),
            "fixable": fixable,
            "need_a_decision": len(outcomes) - fixable,
            "by_rule": {f"{t.code} {t.rule}": t.findings for t in account.tallies()},
        },
        "complete": not report.errors,
        "errors": [error_text(error) for error in report.errors],
        "findings": list(shown),
        "next": following,
    }


def _finding(finding: Finding, left: Left | None) -> dict[str, Any]:
    row = {
        "at": place_text(finding.path, finding.line, finding.column, finding.cell),
        "code": finding.code,
        "message": finding.message,
        "safety": applicability(finding).name.lower(),
    }
    return row if left is None else {**row, "left_because": left.reason}


def error_text(error: FileError) -> str:
    """One line of what could not be worked on."""
    return f"{place_text(error.path, error.line, cell=error.cell)}: {error.reason}"
