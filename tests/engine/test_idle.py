"""Comments that suppress nothing, with the real rules."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from devicefix.codemod import Codemod
from devicefix.engine import Report, apply, check
from devicefix.engine.analysis import Analyse
from devicefix.engine.idle import afterthoughts
from devicefix.engine.registry import load_codemods
from devicefix.findings import Applicability, Edit, Finding, Fix, Span
from devicefix.flow import analyse_program
from devicefix.flow.facts import FileFacts
from devicefix.settings import Settings
from devicefix.source import Program, Source

UNUSED = "import torch\nx = torch.ones(2)  # devicefix: ignore[DFX201]\nprint(x)\n"
CUDA = "print(torch.ones(2).cuda().sum().item())"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def codes(report: Report) -> list[tuple[str, int]]:
    return [(f.code, f.line) for result in report.files for f in result.findings]


def checked(text: str, **settings: Any) -> list[tuple[str, int]]:
    Path("a.py").write_text(text)
    return codes(check([Path()], Settings(**settings)))


def test_it_is_a_finding_with_a_safe_fix() -> None:
    assert checked(UNUSED) == [("DFX701", 2)]
    report = apply([Path()], Settings(), dry_run=True)
    ((_, change),) = report.changes
    assert change.after == b"import torch\nx = torch.ones(2)\nprint(x)\n"
    (group,) = report.groups
    assert group.lines == {"a.py": {2}}


def test_only_of_rules_that_are_selected() -> None:
    assert checked(UNUSED, select=("DFX1", "DFX7")) == []
    assert checked(UNUSED, select=("DFX2", "DFX7")) == [("DFX701", 2)]
    assert checked(UNUSED, ignore=("DFX701",)) == []
    assert checked(UNUSED.replace("[DFX201]", "[DFX503]"), select=("DFX5", "DFX7")) == [
        ("DFX701", 2)
    ]


def test_a_rule_that_is_not_selected_still_needs_its_comment() -> None:
    text = f"import torch\n{CUDA}  # devicefix: ignore\n"
    assert checked(text, select=("DFX1", "DFX7")) == []


def test_not_in_files_that_are_left_alone() -> None:
    assert checked("# devicefix: skip-file\n" + UNUSED) == []


def test_not_where_the_analysis_was_cut_short() -> None:
    def cut_short(program: Any) -> Any:
        return {p: replace(facts, complete=False) for p, facts in analyse_program(program).items()}

    def nothing(program: Any) -> Any:
        return {}

    Path("a.py").write_text(UNUSED)
    for analyse in (cut_short, nothing):
        found: Analyse = analyse
        assert codes(check([Path()], Settings(), analyse=found)) == []


def test_a_comment_that_keeps_an_edit_away_is_needed() -> None:
    """The fix of one file would change a line of another one, where nothing is found."""
    text = "import torch\ny = 1  # devicefix: ignore[DFX103]\n"
    sources = {name: Source.from_text(text, name) for name in ("a.py", "b.py")}
    program = replace(Program.alone(sources["a.py"]), sources=sources)
    at = text.index("y")
    fix = Fix((Edit(at, at, 0, "x", "b.py"),), Applicability.SAFE, "g", shared=True)
    found = Finding("DFX103", "factory", "m", "a.py", Span(0, 1), 1, 1, fix)

    def said(*findings: Finding) -> list[str]:
        rules = load_codemods()
        codes = {rule.code for rule in rules}
        return [f.path for f in afterthoughts(program, findings, sources, rules, codes)]

    assert said() == ["a.py", "b.py"]
    assert said(found) == ["a.py"]
    assert said(replace(found, code="DFX104")) == ["a.py", "b.py"]


def test_nothing_is_said_before_old_idioms_are_gone() -> None:
    """Where tensors live is seen better without `Variable`, and what a comment is for."""
    text = (
        "import torch\nfrom torch.autograd import Variable\n"
        "x = Variable(torch.ones(2))  # devicefix: ignore[DFX201]\nprint(x.sum().item())\n"
    )
    found = dict(checked(text))
    assert "DFX601" in found
    assert "DFX701" not in found
    report = apply([Path()], Settings(), dry_run=True)
    ((_, change),) = report.changes
    assert change.after == b"import torch\nx = torch.ones(2)\nprint(x.sum().item())\n"
    assert dict(codes(report)) == {"DFX601": 3, "DFX701": 3}


def test_it_is_looked_at_again_behind_other_fixes() -> None:
    """The guard goes, and with it what the comment was for: a second run finds nothing."""
    Path("a.py").write_text(
        "import torch\nfrom torch import nn\n\nnet = nn.Linear(2, 1)\nx = torch.ones(1, 2)\n"
        "if torch.cuda.is_available():\n    net.cuda()\n    x = x.cuda()\n"
        "print(net(x).sum().item())  # devicefix: ignore[DFX105]\n"
    )
    report = apply([Path()], Settings(), dry_run=True)
    ((_, change),) = report.changes
    Path("a.py").write_bytes(change.after)
    assert b"ignore" not in change.after
    assert apply([Path()], Settings(), dry_run=True).changes == ()


def test_a_comment_that_other_fixes_make_necessary_stays(
    swap: Callable[..., type[Codemod]],
) -> None:
    rules = [swap("TST101", "old", "new"), swap("TST201", "new", "newest"), unused_suppression()]
    text = "import torch\ndef f(old, new):\n    return old  # devicefix: ignore[TST201]\n"
    Path("a.py").write_text(text)

    def no_facts(program: Program) -> dict[str, FileFacts]:
        return dict.fromkeys(program.sources, FileFacts())

    report = apply([Path()], Settings(), dry_run=True, codemods=rules, analyse=no_facts)
    ((_, change),) = report.changes
    assert change.after.decode() == text.replace("return old", "return new")


def unused_suppression() -> type[Codemod]:
    return next(rule for rule in load_codemods() if rule.name == "unused-suppression")


def test_in_a_notebook() -> None:
    cell: dict[str, Any] = {
        "cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None,
    }  # fmt: skip
    sources = ["import torch\n", "%time x = 1  # devicefix: ignore\n", *UNUSED.splitlines(True)[1:]]
    content = {
        "cells": [{**cell, "source": sources}], "metadata": {}, "nbformat": 4, "nbformat_minor": 4,
    }  # fmt: skip
    Path("a.ipynb").write_text(json.dumps(content, indent=1))
    report = apply([Path()], Settings(), dry_run=True)
    assert codes(report) == [("DFX701", 3)]
    ((_, change),) = report.changes
    (after,) = json.loads(change.after)["cells"]
    assert after["source"] == [*sources[:2], "x = torch.ones(2)\n", "print(x)\n"]


def test_a_baseline_knows_it() -> None:
    from devicefix.cli import main

    Path("a.py").write_text(UNUSED)
    assert main(["baseline", ".", "--baseline", "known.json"]) == 0
    assert main(["check", ".", "--baseline", "known.json"]) == 0
    assert main(["apply", ".", "--baseline", "known.json", "--check"]) == 0
    assert main(["apply", ".", "--check"]) == 1
