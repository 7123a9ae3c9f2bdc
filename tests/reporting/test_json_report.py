from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest
from msgspec.structs import replace
from referencing import Registry, Resource

from devicefix.engine import AppliedGroup, BaselineUse, FileResult, Report, apply, check
from devicefix.engine.report import Stale
from devicefix.findings import Applicability, Edit, Fix
from devicefix.reporting.account import Account
from devicefix.reporting.json import render
from devicefix.settings import Settings
from devicefix.verification.acceptance import Acceptance, Decision, Guilty, Unproven
from devicefix.verification.result import Comparison, Verdict, Verification

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
SCHEMA: Final = json.loads((DOCS / "report.schema.json").read_text("utf-8"))
VERIFY: Final = json.loads((DOCS / "verify.schema.json").read_text("utf-8"))
RUN: Final = json.loads((DOCS / "run.schema.json").read_text("utf-8"))
REGISTRY: Registry[Any] = Registry().with_resources(
    (name, Resource.from_contents(schema))
    for name, schema in (("verify.schema.json", VERIFY), ("run.schema.json", RUN))
)


def valid(text: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(text)
    jsonschema.Draft202012Validator(SCHEMA, registry=REGISTRY).validate(content)
    return content


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_the_whole_report(report: Report) -> None:
    content = valid(render(Account(report, "apply", dry_run=True)))
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
        "complete": False,
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
        content = valid(render(Account(report, command, dry_run)))
        return [finding["status"] for finding in content["findings"]]

    assert statuses("check", False) == ["fixable", "left", "left"]
    assert statuses("apply", False) == ["fixed", "left", "left"]


def test_what_reaches_into_other_files_says_so(report: Report) -> None:
    edits = (Edit(0, 3, 0, "new"), Edit(1, 1, 0, "x", "src/a.py"), Edit(2, 2, 0, "y", "src/b.py"))
    fix = Fix(edits, Applicability.SAFE, "src/a.py:g", shared=True)
    finding = replace(report.files[0].findings[0], fix=fix)
    report = replace(report, files=(FileResult("src/a.py", (finding,), (), ()),))
    (shown,) = valid(render(Account(report, "check")))["findings"]
    assert (shown["group"], shown["shared"]) == ("src/a.py:g", True)
    assert shown["edits"] == [
        {"start": 0, "end": 3, "text": "new"},
        {"start": 1, "end": 1, "text": "x"},
        {"start": 2, "end": 2, "text": "y", "path": "src/b.py"},
    ]


def test_what_a_verification_said_is_in_it(report: Report) -> None:
    comparison = Comparison("cpu", Verdict.PASS, 5, 0, None)
    verification = Verification(
        ("train.py",), Verdict.PASS, "it does the same", "cpu", (comparison,), (), {}, (), 1.0
    )
    found = report.files[0].applied[0]
    group = AppliedGroup(
        frozenset({("src/a.py", "DFX103", 0)}), (replace(found, cell=2),), Applicability.UNSAFE,
        {"src/a.py": frozenset({3, 1})}, "enters helper()",
    )  # fmt: skip
    (change,) = (change for _, change in report.changes)
    acceptance = Acceptance(
        Decision.REJECTED, "no", replace(report, groups=(group,)), verification, verification,
        (Guilty(group, (("src/a.py", change),), verification),), (group,),
        (Unproven(group, "never ran"),), (Unproven(group, "never ran"),), 3,
    )  # fmt: skip
    content = valid(render(Account(acceptance.report, "apply", False, acceptance, True)))
    shown = content["acceptance"]
    assert (content["dry_run"], shown["decision"], shown["written"]) == (False, "rejected", True)
    assert shown["groups"][0]["lines"] == {"src/a.py": [1, 3]}
    assert shown["groups"][0]["findings"][0]["cell"] == 2
    assert shown["guilty"][0]["diffs"][0]["path"] == "src/a.py"
    none = Acceptance(Decision.UNKNOWN, "no", report, None)
    assert valid(render(Account(report, "apply", False, none)))["dry_run"]


def test_a_baseline_is_accounted_for(report: Report) -> None:
    use = BaselineUse("known.json", 12, (Stale("a.py", "DFX103", "x = torch.ones(2)"),))
    content = valid(render(Account(replace(report, baseline=use), "check")))
    assert content["baseline"] == {
        "path": "known.json",
        "hidden": 12,
        "stale": [{"path": "a.py", "code": "DFX103", "line": "x = torch.ones(2)"}],
    }


def test_real_runs_keep_to_the_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DOCS.parent)
    paths = [Path("examples/fuel.ipynb"), Path("examples/spirals")]
    for report, command in (
        (check(paths, Settings()), "check"),
        (apply(paths, Settings(), dry_run=True), "apply"),
    ):
        content = valid(render(Account(report, command, command == "apply")))
        assert content["summary"]["findings"] > 10
        assert {"cell", "shared"} <= set().union(*content["findings"])
