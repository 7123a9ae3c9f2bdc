from __future__ import annotations

import json
from dataclasses import replace

from devicefix.engine import FileResult, Report
from devicefix.findings import Applicability, Edit, Fix
from devicefix.reporting.account import Account
from devicefix.reporting.json import render


def test_the_whole_schema(report: Report) -> None:
    content = json.loads(render(Account(report, "apply", dry_run=True)))
    first, second, third = content["findings"]
    assert first == {
        "path": "src/a.py",
        "line": 3,
        "column": 5,
        "code": "DFX103",
        "rule": "rule-dfx103",
        "message": "made on the [red]host[/red]",
        "advice": "",
        "applicability": "safe",
        "group": "g3",
        "edits": [{"start": 0, "end": 3, "text": "new"}],
        "status": "fixable",
        "reason": None,
    }
    assert (second["status"], second["reason"]) == ("left", "the fix is unsafe")
    assert (third["applicability"], third["group"], third["edits"]) == ("display", None, [])
    del content["findings"]
    assert content == {
        "version": 1,
        "command": "apply",
        "dry_run": True,
        "files": [
            {
                "path": "src/a.py",
                "diff": "--- a/src/a.py\n+++ b/src/a.py\n@@ -1,2 +1,2 @@\n"
                "-old = 1\r\n+new = 1\r\n x\n",
            }
        ],
        "errors": [{"path": "src/b.py", "line": 4, "reason": "looks like Python 2\x1b[31m"}],
        "summary": {
            "files_checked": 12,
            "files_changed": 1,
            "findings": 3,
            "fixed": 1,
            "left": 2,
            "by_rule": {
                "DFX103": {"rule": "rule-dfx103", "findings": 2, "fixed": 1, "left": 1},
                "DFX201": {"rule": "rule-dfx201", "findings": 1, "fixed": 0, "left": 1},
            },
            "seconds": 0.25,
        },
    }


def test_the_status_says_what_happened(report: Report) -> None:
    def statuses(command: str, dry_run: bool) -> list[str]:
        content = json.loads(render(Account(report, command, dry_run)))
        return [finding["status"] for finding in content["findings"]]

    assert statuses("check", False) == ["fixable", "left", "left"]
    assert statuses("apply", False) == ["fixed", "left", "left"]


def test_what_reaches_into_other_files_says_so(report: Report) -> None:
    edits = (Edit(0, 3, 0, "new"), Edit(1, 1, 0, "x", "src/a.py"), Edit(2, 2, 0, "y", "src/b.py"))
    fix = Fix(edits, Applicability.SAFE, "src/a.py:g", shared=True)
    finding = replace(report.files[0].findings[0], fix=fix)
    report = replace(report, files=(FileResult("src/a.py", (finding,), (), ()),))
    (shown,) = json.loads(render(Account(report, "check")))["findings"]
    assert (shown["group"], shown["shared"]) == ("src/a.py:g", True)
    assert shown["edits"] == [
        {"start": 0, "end": 3, "text": "new"},
        {"start": 1, "end": 1, "text": "x"},
        {"start": 2, "end": 2, "text": "y", "path": "src/b.py"},
    ]
