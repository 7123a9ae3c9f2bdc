"""SARIF of real runs: held against the official schema, and its fixes applied by another hand."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

import jsonschema
import pytest
from msgspec.structs import replace

from devicefix.engine import (
    AppliedGroup,
    Choice,
    FileError,
    FileResult,
    Left,
    Report,
    apply,
    check,
    rehearsal,
)
from devicefix.findings import Applicability, Edit, Finding, Fix, Span
from devicefix.reporting import rule_pages, sarif, sarif_fixes
from devicefix.reporting.account import Account
from devicefix.reporting.sarif_fixes import merged
from devicefix.settings import Settings
from devicefix.source import Source
from devicefix.verification.acceptance import Acceptance, Decision

HERE: Final = Path(__file__).resolve().parent
SCHEMA: Final = json.loads((HERE / "vendored" / "sarif-2.1.0-rtm.5.json").read_text("utf-8"))
VALIDATOR: Final = jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.FormatChecker())
EMOJI: Final = (
    "import torch\r\n"
    "model = torch.nn.Linear(2, 2).cuda()\r\n"
    "name = '\N{GRINNING FACE}é'; x = torch.ones(3, 2).cuda()\r\n"
    "print(name, model(x))\r\n"
)
LATIN: Final = "# -*- coding: latin-1 -*-\n" + EMOJI.replace("\N{GRINNING FACE}", "").replace(
    "\r\n", "\n"
)
UNSAFE: Final = (
    "import torch, mystery\n"
    "device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
    "model = torch.nn.Linear(2, 2).to(device)\n"
    "x = torch.ones(3, 2)\n"
    "mystery.show(x)\n"
    "print(model(x))\n"
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a program of three files, several encodings, and a notebook."""
    root = tmp_path_factory.mktemp("project")
    (root / ".git").mkdir()
    examples = HERE.parents[1] / "examples"
    shutil.copytree(examples / "spirals", root / "spirals")
    shutil.copy(examples / "fuel.ipynb", root)
    (root / "emoji # 1.py").write_bytes(b"\xef\xbb\xbf" + EMOJI.encode())
    (root / "latin.py").write_bytes(LATIN.encode("latin-1"))
    (root / "unsafe.py").write_text(UNSAFE)
    (root / "broken.py").write_text("import torch\nx = (\n")
    return root


@pytest.fixture(autouse=True)
def _inside(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)


@pytest.fixture(scope="module")
def found(project: Path) -> Report:
    here = Path.cwd()
    os.chdir(project)
    try:
        return check([Path()], Settings())
    finally:
        os.chdir(here)


def valid(text: str) -> dict[str, Any]:
    """The one run of a log that keeps to the schema, and to what GitHub takes."""
    log: dict[str, Any] = json.loads(text)
    VALIDATOR.validate(log)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len(run["results"]) <= 25_000
    for result in run["results"]:
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    for rule in rules:
        assert len(rule["fullDescription"]["text"]) <= 1024
        assert len(rule["name"]) <= 255
        assert len(rule["properties"]["tags"]) <= 20
    return dict(run)


def results(run: Mapping[str, Any], uri: str) -> list[dict[str, Any]]:
    return [r for r in run["results"] if physical(r)["artifactLocation"]["uri"] == uri]


def physical(result: Mapping[str, Any]) -> dict[str, Any]:
    place: dict[str, Any] = result["locations"][0]["physicalLocation"]
    return place


def test_the_schema_is_one() -> None:
    jsonschema.Draft4Validator.check_schema(SCHEMA)
    assert list(VALIDATOR.iter_errors({"version": "2.1.0", "runs": [{"results": []}]}))


def test_a_place_is_a_line_and_columns_in_utf16(found: Report) -> None:
    run = valid(sarif.render(Account(found, "check")))
    first, second = results(run, "emoji%20%23%201.py")
    assert run["columnKind"] == "utf16CodeUnits"
    assert physical(first) == {
        "artifactLocation": {"uri": "emoji%20%23%201.py", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 2, "startColumn": 9, "endLine": 2, "endColumn": 37},
    }
    line = EMOJI.split("\r\n")[2].encode("utf-16-le")
    region = physical(second)["region"]
    assert region["startLine"] == 3
    at = slice(2 * region["startColumn"] - 2, 2 * region["endColumn"] - 2)
    assert line[at].decode("utf-16-le") == "torch.ones(3, 2).cuda()"


def test_each_rule_is_described(found: Report) -> None:
    run = valid(sarif.render(Account(found, "check")))
    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    assert set(rules) == {result["ruleId"] for result in run["results"]}
    rule = rules["DFX201"]
    assert rule["name"] == "cuda-method"
    assert rule["help"]["markdown"].startswith("# DFX201: cuda-method")
    assert "## Fix safety" in rule["help"]["markdown"]
    assert rule["defaultConfiguration"] == {"level": "warning"}
    assert rule["properties"]["tags"] == ["pytorch", "hardcoded"]
    assert rules["DFX101"]["defaultConfiguration"] == {"level": "error"}


def test_rules_have_pages_where_their_distribution_names_a_site(
    found: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rule_pages, "_sites", lambda: {"codemods": "https://example.org/docs"})
    run = valid(sarif.render(Account(found, "check")))
    pages = {rule["helpUri"] for rule in run["tool"]["driver"]["rules"]}
    assert "https://example.org/docs/rules/DFX201/" in pages


def test_a_notebook_has_the_line_of_its_json_and_the_cell(found: Report, project: Path) -> None:
    run = valid(sarif.render(Account(found, "check")))
    lines = (project / "fuel.ipynb").read_text("utf-8").split("\n")
    shown = results(run, "fuel.ipynb")
    assert len(shown) == 7
    for result in shown:
        assert "fixes" not in result
        (cell,) = result["locations"][0]["logicalLocations"]
        assert re.fullmatch(r"cell \d+, line \d+", cell["fullyQualifiedName"])
        assert cell["fullyQualifiedName"] in result["message"]["text"]
    cuda = [lines[physical(r)["region"]["startLine"] - 1] for r in shown if r["ruleId"] == "DFX201"]
    assert len(cuda) == 2
    assert all(".cuda()" in line for line in cuda)


def test_what_cannot_be_worked_on_is_a_notification(found: Report) -> None:
    run = valid(sarif.render(Account(found, "check")))
    (invocation,) = run["invocations"]
    assert not invocation["executionSuccessful"]
    (said,) = invocation["toolExecutionNotifications"]
    assert said["level"] == "error"
    place = said["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "broken.py"
    assert place["region"]["startLine"] == 2


# The fixes --------------------------------------------------------------------------------------


def fixes_of(run: Mapping[str, Any]) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for result in run["results"]:
        for fix in result.get("fixes", []):
            found[json.dumps(fix, sort_keys=True)] = fix
    return list(found.values())


def fixed(fix: Mapping[str, Any], root: Path) -> Iterator[tuple[str, str]]:
    """What a viewer would make of the files: SARIF's own rules, no code of ours."""
    for change in fix["artifactChanges"]:
        location = change["artifactLocation"]
        assert location["uriBaseId"] == "%SRCROOT%"
        path = unquote(location["uri"])
        data = (root / path).read_bytes()
        text = data.decode("latin-1" if path.startswith("latin") else "utf-8-sig")
        starts = [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", text))]

        def offset(line: int, column: int, text: str = text, starts: list[int] = starts) -> int:
            units = text[starts[line - 1] :].encode("utf-16-le")[: 2 * column - 2]
            return starts[line - 1] + len(units.decode("utf-16-le"))

        pieces, at = [], 0
        for one in change["replacements"]:
            region = one["deletedRegion"]
            start = offset(region["startLine"], region["startColumn"])
            assert start >= at
            assert not pieces or start > at, "two replacements touch: nobody says which is first"
            pieces += [text[at:start], one.get("insertedContent", {}).get("text", "")]
            at = offset(region["endLine"], region["endColumn"])
        yield path, "".join((*pieces, text[at:]))


def test_each_fix_is_one_decision_in_all_its_files(found: Report, project: Path) -> None:
    trial = rehearsal([Path()], Settings(unsafe_fixes=True), dry_run=True)
    groups = trial.report().groups

    def alone(group: AppliedGroup) -> dict[str, str]:
        others = frozenset(g.identity for g in groups if g is not group)
        changes = trial.report(Choice(without=others)).changes
        return {r.path: Source.from_bytes(c.after, r.path).text for r, c in changes}

    shown = [
        dict(fixed(fix, project)) for fix in fixes_of(valid(sarif.render(Account(found, "check"))))
    ]
    plain = [g for g in groups if not any(path.endswith(".ipynb") for path in g.lines)]
    assert len(shown) == len(plain)
    for group in plain:
        assert alone(group) in shown
    assert max(map(len, shown)) == 2


def test_an_unsafe_fix_says_so(found: Report) -> None:
    run = valid(sarif.render(Account(found, "check")))
    (result,) = results(run, "unsafe.py")
    assert result["properties"] == {"applicability": "unsafe", "status": "left"}
    (fix,) = result["fixes"]
    assert "which is unsafe" in fix["description"]["text"]
    assert "mystery" in fix["description"]["text"]


def test_a_dry_run_says_what_check_says(found: Report) -> None:
    def places(report: Report, command: str) -> list[object]:
        run = valid(sarif.render(Account(report, command, dry_run=command == "apply")))
        return [(r["ruleId"], physical(r)) for r in run["results"]]

    rehearsed = apply([Path()], Settings(), dry_run=True)
    assert places(rehearsed, "apply") == places(found, "check")
    run = valid(sarif.render(Account(rehearsed, "apply", dry_run=True)))
    assert len(fixes_of(run)) == len(fixes_of(valid(sarif.render(Account(found, "check")))))


def test_what_was_fixed_is_no_result(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(project, tmp_path / "copy")
    monkeypatch.setenv("DEVICEFIX_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path / "copy")
    file = Path("unsafe.py")
    file.write_text(UNSAFE.replace("import torch, mystery\n", "import torch, mystery\n\n") + MORE)
    report = apply([file], Settings())
    run = valid(sarif.render(Account(report, "apply", written=True)))
    (result,) = run["results"]
    region = physical(result)["region"]
    line = file.read_text().split("\n")[region["startLine"] - 1]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == "torch.ones(3, 2)"
    again = check([file], Settings())
    assert results(valid(sarif.render(Account(again, "check"))), "unsafe.py") == [
        {**result, "fixes": result["fixes"]}
    ]


def test_what_was_refused_has_its_place_in_the_files_as_they_are(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left counts in the files that were to be written, and were not."""
    monkeypatch.chdir(tmp_path)
    Path("unsafe.py").write_text(NAILED)
    report = rehearsal([Path()], Settings()).report()
    (left,) = report.files[0].left
    assert left.finding.line == 7
    refused = Acceptance(Decision.REJECTED, "no", report.unwritten(), None)
    account = Account(refused.report, "apply", acceptance=refused)
    unsafe = next(r for r in valid(sarif.render(account))["results"] if r["ruleId"] == "DFX103")
    assert physical(unsafe)["region"]["startLine"] == 4
    assert "fixes" not in unsafe  # it was made on the way


NAILED: Final = (
    "import torch, mystery\n"
    "model = torch.nn.Linear(2, 2).to('cuda')\n"
    "\n"
    "x = torch.ones(3, 2)\n"
    "mystery.show(x)\n"
    "print(model(x))\n"
)
MORE: Final = "y = torch.ones(3, 2, device='cuda')\nprint(model(y))\n"


def test_a_file_that_is_another_one_by_now_has_no_fixes(
    found: Report, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(project, tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")
    file = Path("spirals/model.py")
    file.write_text("# new\n" + file.read_text())
    Path("latin.py").unlink()
    run = valid(sarif.render(Account(found, "check")))
    for path in ("spirals/model.py", "spirals/train.py", "latin.py"):
        assert not any("fixes" in result for result in results(run, path)), path
    assert physical(results(run, "latin.py")[0])["region"] == {"startLine": 3}


# Limits, and what is hostile --------------------------------------------------------------------


def finding(path: str, message: str, fix: Fix | None = None, code: str = "DFX103") -> Finding:
    return Finding(code, "factory", message, path, Span(0, 0), 1, 1, fix)


def one(result: FileResult, *errors: FileError) -> Account:
    return Account(Report((result,), errors, 1, 0.1), "check")


def test_hostile_names_and_messages_are_plain() -> None:
    path = "a:b/%2e%2e/\n<x> \x1b[31m\udcff.py"
    message = "see [this](http://evil.example), rows[0](x) and {0}"
    left = finding(path, message)
    account = one(FileResult(path, (left,), (), (Left(left, "{1}"),)), FileError(path, 1, "{2}"))
    run = valid(sarif.render(account))
    (result,) = run["results"]
    uri = physical(result)["artifactLocation"]["uri"]
    assert uri == "a%3Ab/%252e%252e/%0A%3Cx%3E%20%1B%5B31m%FF.py"
    assert result["message"]["text"] == (
        r"see \[this](http://evil.example), rows\[0](x) and {{0}}: {{1}}"
    )


def test_a_file_outside_of_the_repository_is_named_in_full(tmp_path: Path) -> None:
    left = finding(str(tmp_path / "é.py"), "m")
    run = valid(sarif.render(one(FileResult(left.path, (left,), (), (Left(left, "r"),)))))
    (result,) = run["results"]
    assert physical(result)["artifactLocation"] == {"uri": (tmp_path / "é.py").as_uri()}


def test_paths_count_from_the_root_of_the_repository(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "spirals")
    run = valid(sarif.render(Account(check([Path()], Settings()), "check")))
    uris = {physical(result)["artifactLocation"]["uri"] for result in run["results"]}
    assert "spirals/train.py" in uris


def test_too_many_results_lose_the_lightest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MOST", 2)
    codes = ("DFX201", "DFX101", "DFX501", "DFX104")
    shown = tuple(finding("a.py", "m", code=code) for code in codes)
    account = one(FileResult("a.py", shown, (), tuple(Left(f, "r") for f in shown)))
    run = valid(sarif.render(account))
    assert [result["ruleId"] for result in run["results"]] == ["DFX101", "DFX104"]
    (said,) = run["invocations"][0]["toolExecutionNotifications"]
    assert said["message"]["text"].startswith("2 more results")


def test_fixes_that_would_be_too_much_are_left_out(
    found: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sarif_fixes, "MOST", 3)
    run = valid(sarif.render(Account(found, "check")))
    shown = [fix for result in run["results"] for fix in result.get("fixes", [])]
    sizes = [len(c["replacements"]) for fix in shown for c in fix["artifactChanges"]]
    assert 0 < sum(sizes) <= 3
    assert len(run["results"]) == sum(len(result.findings) for result in found.files)


def test_edits_that_touch_are_one_replacement() -> None:
    edits = [Edit(4, 6, 0, "B"), Edit(4, 4, 1, "b"), Edit(4, 4, 0, "a"), Edit(6, 6, 0, "c")]
    source = Source.from_text("0123456789")
    (only,) = merged([*edits, edits[0]])
    assert only == (Span(4, 6), "abBc")
    assert source.apply(edits) == "0123abBc6789"
    assert [span for span, _ in merged([*edits, Edit(8, 9, 0, "")])] == [Span(4, 6), Span(8, 9)]


def test_half_a_fix_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the edits of one member were lost on the way, those of the others are no fix."""
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text("abc")
    fix = Fix((Edit(0, 1, 0, "x"),), Applicability.SAFE, "g")
    whole = finding("a.py", "first", fix)
    lost = finding("a.py", "second", replace(fix, edits=(), placed=False))
    for members, fixes in (((whole,), 1), ((whole, lost), 0)):
        run = valid(sarif.render(one(FileResult("a.py", members, (), ()))))
        assert sum(len(result.get("fixes", [])) for result in run["results"]) == fixes


def test_nothing_found_is_a_run_without_results() -> None:
    run = valid(sarif.render(Account(Report((), (), 3, 0.1), "check")))
    assert (run["results"], run["tool"]["driver"]["rules"]) == ([], [])
    assert run["invocations"][0]["executionSuccessful"]
