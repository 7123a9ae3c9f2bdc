"""What is handed over for the pull request, by what a verification said."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from devicefix.action.handover import Handover
from devicefix.action.inputs import InputError, Inputs, read_inputs
from devicefix.action.looking import look
from devicefix.action.runner import Runner, withhold
from devicefix.engine import Rehearsal
from devicefix.verification.acceptance import Acceptance, Decision
from devicefix.verification.result import Comparison, Verdict, Verification
from tests.action.conftest import TRAIN
from tests.action.steps import outputs_of
from tests.action.test_inputs import GIVEN


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "train.py").write_text(TRAIN)
    outputs, summary = tmp_path / "outputs", tmp_path / "summary"
    outputs.touch()
    names = ("acme/model", "https://github.example", "https://api.github.example")
    return Runner(workspace, *names, "push", "main", "branch", outputs, summary, tmp_path)


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of these tests is not a verified program's."""
    monkeypatch.setattr("devicefix.action.looking.withhold", lambda: None)


def inputs_for(runner: Runner, **more: str) -> Inputs:
    return read_inputs({**GIVEN, "INPUT_VERIFY": "python train.py", **more}, runner.workspace)


def handed_over(runner: Runner) -> Handover | None:
    file = outputs_of(runner.outputs.read_text()).get("proposal")
    return Handover.read(Path(file)) if file else None


def decide(
    monkeypatch: pytest.MonkeyPatch, decision: Decision, passing: Verification | None = None
) -> None:
    """Let the verification say so; ``passing``: of the fixes that are left."""

    def prove(trial: Rehearsal, inputs: Inputs) -> Acceptance:
        refusal = None if decision is Decision.ACCEPTED else verification(Verdict.DIFFERS)
        return Acceptance(decision, "it computes 5, not 4", trial.report(), passing, refusal)

    monkeypatch.setattr("devicefix.action.proving.prove", prove)


def verification(verdict: Verdict) -> Verification:
    comparison = Comparison("cpu", verdict, 5, 0, None)
    return Verification(("train.py",), verdict, "why", "cpu", (comparison,), (), {}, (), 1.0)


def test_what_passes_is_handed_over(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    decide(monkeypatch, Decision.ACCEPTED, verification(Verdict.PASS))
    assert look(inputs_for(runner), runner) == 0
    handover = handed_over(runner)
    assert handover is not None
    proposal = handover.proposal
    (file,) = proposal.files
    assert file.path == str(runner.workspace / "train.py")
    assert (file.before.decode(), "to(device)" in file.after.decode()) == (TRAIN, True)
    assert (proposal.branch, proposal.base) == ("devicefix/main", "main")
    assert "devicefix verify: pass" in proposal.body
    assert (runner.workspace / "train.py").read_text() == TRAIN


def test_so_is_the_rest_where_not_all_does(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    decide(monkeypatch, Decision.REJECTED, verification(Verdict.PASS))
    assert look(inputs_for(runner), runner) == 0
    handover = handed_over(runner)
    assert handover is not None
    assert handover.proposal.files


def test_what_does_not_pass_is_not_and_the_pull_request_stays(
    runner: Runner, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    decide(monkeypatch, Decision.REJECTED)
    assert look(inputs_for(runner), runner) == 1
    assert handed_over(runner) is None
    assert "::error title=devicefix::the program does not pass" in capfd.readouterr().out
    assert "would fix 2 findings" in runner.summary.read_text()


def test_nor_what_could_not_be_verified(
    runner: Runner, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    decide(monkeypatch, Decision.UNKNOWN)
    assert look(inputs_for(runner), runner) == 2
    assert handed_over(runner) is None
    assert "::error title=devicefix::the program could not be verified" in capfd.readouterr().out


def test_code_scanning_hears_of_what_is_checked_out(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide(monkeypatch, Decision.ACCEPTED, verification(Verdict.PASS))
    look(inputs_for(runner), runner)
    outputs = outputs_of(runner.outputs.read_text())
    (run,) = json.loads(Path(outputs["sarif-file"]).read_text())["runs"]
    lines = [r["locations"][0]["physicalLocation"]["region"]["startLine"] for r in run["results"]]
    assert sorted(lines) == [5, 6]


@pytest.mark.parametrize(
    ("ref", "kind", "more", "base"),
    [
        ("main", "branch", {}, "main"),
        ("v1", "tag", {"INPUT_BASE": "main"}, "main"),
        ("feature/x", "branch", {}, "feature/x"),
        ("devicefix/main", "branch", {}, None),
        ("devicefix/main", "branch", {"INPUT_BRANCH": "again"}, "devicefix/main"),
    ],
)
def test_the_base_is_the_branch_that_the_workflow_runs_on(
    runner: Runner, ref: str, kind: str, more: dict[str, str], base: str | None
) -> None:
    runner = replace(runner, ref_name=ref, ref_type=kind)
    look(inputs_for(runner, INPUT_VERIFY="", **more), runner)
    handover = handed_over(runner)
    assert (handover.proposal.base if handover is not None else None) == base


def test_without_a_branch_the_base_has_to_be_given(runner: Runner) -> None:
    with pytest.raises(InputError, match="v1 is not a branch"):
        look(inputs_for(runner, INPUT_VERIFY=""), replace(runner, ref_name="v1", ref_type="tag"))


def test_what_steps_are_told_is_not_told_to_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("GITHUB_TOKEN", "GITHUB_OUTPUT", "ACTIONS_RUNTIME_TOKEN", "INPUT_TOKEN", "GH_TOKEN")
    monkeypatch.setattr(os, "environ", {**dict.fromkeys(names, "secret"), "HOME": "/root"})
    withhold()
    assert os.environ == {"HOME": "/root"}


def test_a_revision_that_git_does_not_know_is_named(runner: Runner) -> None:
    with pytest.raises(
        InputError, match="input since: git knows no commit 'v9'; with `fetch-depth"
    ):
        look(inputs_for(runner, INPUT_VERIFY="", INPUT_SINCE="v9"), runner)
