"""Mode publish believes of a bundle only what devicefix makes again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from devicefix.action.bundle import Bundle, BundleError
from devicefix.action.handover import Handover
from devicefix.action.inputs import Inputs, read_inputs
from devicefix.action.looking import look
from devicefix.action.runner import Runner
from devicefix.engine import Choice, Rehearsal, Report
from devicefix.records import Ending, Failure, Place
from devicefix.records.run import How
from devicefix.verification.acceptance import Acceptance, Decision
from devicefix.verification.result import (
    Comparison,
    Difference,
    Furthest,
    Role,
    RunSummary,
    Verdict,
    Verification,
)
from tests.action.conftest import TRAIN
from tests.action.steps import outputs_of
from tests.action.test_inputs import GIVEN
from tests.pull_requests.conftest import git

NAMES = ("acme/model", "https://github.example", "https://api.github.example")


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of these tests is not a verified program's."""
    monkeypatch.setattr("devicefix.action.looking.withhold", lambda: None)


@pytest.fixture
def runner(made: Path, tmp_path: Path) -> Runner:
    """Of a job that has the repository checked out."""
    folder = Path(shutil.copytree(made / "clone", tmp_path / "workspace"))
    outputs = tmp_path / "outputs"
    outputs.touch()
    return Runner(folder, *NAMES, "push", "main", "branch", outputs, tmp_path / "summary", tmp_path)


def propose(runner: Runner, **inputs: str) -> Path:
    """The first job; the bundle."""
    given = {**GIVEN, "INPUT_MODE": "propose", **inputs}
    assert look(read_inputs(given, runner.workspace), runner) == 0
    return Path(outputs_of(runner.outputs.read_text())["bundle"])


def publish(bundle: Path, runner: Runner, **inputs: str) -> Handover:
    """The second one, up to what needs the token."""
    given = {**GIVEN, "INPUT_MODE": "publish", "INPUT_BUNDLE": str(bundle), **inputs}
    own = replace(runner, outputs=runner.temporary / "own outputs")
    look(read_inputs(given, runner.workspace), own)
    return Handover.read(Path(outputs_of(own.outputs.read_text())["proposal"]))


def having(**changed: Any) -> Callable[[Path], None]:
    """Gives the content other values."""

    def edit(bundle: Path) -> None:
        file = bundle / "proposal.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), **changed}))

    return edit


def holding(name: str, data: bytes) -> Callable[[Path], None]:
    """Puts another file in the place of one."""

    def edit(bundle: Path) -> None:
        (bundle / name).write_bytes(data)

    return edit


def without_body(bundle: Path) -> None:
    (bundle / "body.md").unlink()


def leading_out(bundle: Path) -> None:
    without_body(bundle)
    (bundle / "body.md").symlink_to("/etc/passwd")


def acceptance(decision: str, **more: Any) -> dict[str, Any]:
    report = {"files": [], "errors": [], "checked": 0, "seconds": 0.0}
    return {"decision": decision, "reason": "", "report": report, "verification": None, **more}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (having(files={"train.py": "0" * 64}), "the fixes of train.py differs"),
        (having(files={"unseen.py": "0" * 64}), "the fixes of train.py, unseen.py differs"),
        (having(files={"../../x.py": "0" * 64}), "the fixes of ../../x.py, train.py differs"),
        (having(files={}), "the fixes of train.py differs"),
        (having(files={}, acceptance=acceptance("nothing")), "the fixes of train.py differs"),
        (
            having(files={}, acceptance=acceptance("accepted", choice={"only": []})),
            "the fixes of train.py differs",
        ),
        (having(acceptance=acceptance("rejected")), "the proposal has fixes that did not pass"),
        (having(acceptance=acceptance("yes")), "cannot be read"),
        (having(commit="0" * 40), "is checked out: both jobs have to check out the same commit"),
        (having(version="9.9"), "made by devicefix 9.9, this is"),
        (having(form=2), "has format 2, not 1: both jobs have to use the same version"),
        (having(files=["train.py"]), "cannot be read: Expected `object`, got `array`"),
        (holding("fixes.patch", b"--- a/x\n+++ b/x\n"), "its patch differs"),
        (holding("body.md", b"Fixes #1\n"), "the text of the pull request differs"),
        (holding("proposal.json", b"[" * 100_000), "cannot be read"),
        (holding("proposal.json", b'"form"'), "cannot be read"),
        (holding("proposal.json", b"\xff"), "cannot be read"),
        (without_body, "there is no proposal in"),
        (leading_out, "body.md is not a file, or is too large"),
    ],
)
def test_what_devicefix_does_not_make_itself_is_refused(
    runner: Runner, change: Callable[[Path], None], said: str
) -> None:
    bundle = propose(runner)
    assert publish(bundle, runner).proposal.files
    change(bundle)
    with pytest.raises(BundleError) as refused:
        publish(bundle, runner)
    assert said in str(refused.value)


def test_unsafe_fixes_cannot_pass_for_others(runner: Runner) -> None:
    """Whoever writes the bundle chooses among devicefix's fixes, and cannot hide which they are."""
    bundle = propose(runner, INPUT_UNSAFE_FIXES="true")
    assert "+++ b/unseen.py" in (bundle / "fixes.patch").read_text()
    assert len(publish(bundle, runner, INPUT_UNSAFE_FIXES="true").proposal.files) == 2
    having(acceptance=acceptance("accepted", choice={"trusts_all": True}))(bundle)
    with pytest.raises(BundleError, match="the text of the pull request differs"):
        publish(bundle, runner)


def test_what_did_not_pass_stays_out(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second job makes the choice of the first one, which left a group out."""

    def prove(trial: Rehearsal, inputs: Inputs) -> Acceptance:
        groups = trial.report().groups
        choice = Choice(without=frozenset({groups[0].identity}))
        rest, verdict = (
            trial.report(choice),
            Verification(("train.py",), Verdict.PASS, "why", "cpu", (), (), {}, (), 1.0),
        )
        assert 0 < len(rest.groups) < len(groups)
        return Acceptance(Decision.REJECTED, "why", rest, verdict, verdict, choice=choice)

    monkeypatch.setattr("devicefix.action.proving.prove", prove)
    (runner.workspace / "more.py").write_text(TRAIN)
    bundle = propose(runner, INPUT_VERIFY="python train.py")
    proposal = publish(bundle, runner).proposal
    assert "It does not pass with all fixes. The rest was written." in proposal.body
    names = json.loads((bundle / "proposal.json").read_text())["files"]
    assert [Path(file.path).name for file in proposal.files] == sorted(names)


def test_other_inputs_make_other_fixes(runner: Runner) -> None:
    (runner.workspace / "more.py").write_text(TRAIN)
    bundle = propose(runner)
    with pytest.raises(
        BundleError, match=r"fixes of more\.py differs\. Give both jobs the same in"
    ):
        publish(bundle, runner, INPUT_PATHS="train.py")


def test_nothing_in_the_folder_of_the_workflows_is_changed(runner: Runner) -> None:
    (runner.workspace / ".github").mkdir()
    (runner.workspace / ".github" / "train.py").write_text(TRAIN)
    bundle = propose(runner)
    with pytest.raises(
        BundleError, match=r"mode publish changes nothing in \.github; leave it out"
    ):
        publish(bundle, runner)


def test_the_second_job_checks_out_the_same_commit(runner: Runner) -> None:
    bundle = propose(runner)
    git(runner.workspace, "commit", "-q", "--allow-empty", "-m", "more")
    with pytest.raises(BundleError, match="both jobs have to check out the same commit"):
        publish(bundle, runner)


def test_a_bundle_is_read_as_it_was_written(tmp_path: Path) -> None:
    """Numbers that are none, and text that is no Unicode, included."""
    at = Place("train.py", 3, "main", "print(\udcff)")
    failure = Failure("Error", "\udcff", True, "add", at, (), (), "")
    run = RunSummary(Role.AFTER, "cpu", Ending(How.EXITED, 1, 0.5), failure, None, "\ud800")
    off = Furthest("loss", float("nan"), float("inf"), at)
    difference = Difference(None, "x", "1", "2", at, None)
    comparison = Comparison("cpu", Verdict.PASS, 5, 0, difference, off)
    executed = {"train.py": frozenset({1, 2})}
    entry = ("train.py", "--lr")
    verification = Verification(
        entry, Verdict.PASS, "why", None, (comparison,), (run,), executed, ("train.py",), 1.0
    )
    choice = Choice(without=frozenset({frozenset({("train.py", "DFX201", 4)})}))
    report = Report((), (), 0, 0.0)
    acceptance = Acceptance(Decision.ACCEPTED, "why", report, verification, choice=choice)
    bundle = Bundle("1.0", "c" * 40, {"train.py": "0" * 64}, acceptance, b"\xff", b"")
    assert repr(Bundle.read(bundle.write(tmp_path))) == repr(bundle)
