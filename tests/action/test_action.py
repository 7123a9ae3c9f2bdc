"""`action.yml`, its steps run for real: against git, and a server that speaks GitHub's API."""

from __future__ import annotations

import pytest

from tests.action.conftest import DECIDE, TOKEN, TRAIN, Project
from tests.pull_requests.conftest import git

BRANCH = "devicefix/main"


def test_from_hard_coded_cuda_to_an_open_pull_request(project: Project) -> None:
    job = project.use(mode="fix")
    assert not job.failed
    (pull,) = project.repository.pulls
    assert (pull.state, pull.head, pull.base) == ("open", BRANCH, "main")
    assert pull.title == "Run on any device"
    assert "| DFX201 | cuda-method | 2 | 2 | 0 |" in pull.body
    assert "#### For a person to decide" in pull.body
    assert "mylab.report" in pull.body
    written = project.repository.git("show", f"{BRANCH}:train.py")
    assert "model = nn.Linear(4, 2).to(device)" in written
    assert project.repository.git("show", f"{BRANCH}:unseen.py") == DECIDE.rstrip("\n")
    url = f"{project.server.address}/acme/model/pull/1"
    assert job.outputs == {
        "findings": "4",
        "fixable": "2",
        "left": "2",
        "changed": "1",
        "sarif-file": job.outputs["sarif-file"],
        "operation": "created",
        "pull-request-number": "1",
        "pull-request-url": url,
        "branch": BRANCH,
        "commit": project.repository.head_of(BRANCH),
    }
    assert f"[#1]({url})" in job.summary
    assert (project.folder / "train.py").read_text() == TRAIN
    author, message = project.repository.git("log", "-1", "--format=%an%n%B", BRANCH).split("\n", 1)
    assert author == "github-actions[bot]"
    assert message.startswith("Run on any device\n\n- DFX201 cuda-method: 2\n")


def test_the_second_run_updates_and_does_not_duplicate(project: Project) -> None:
    """And the last ones close it, and do nothing."""
    project.use(mode="fix")
    first = project.repository.head_of(BRANCH)
    again = project.use(mode="fix")
    assert (again.outputs["operation"], project.repository.head_of(BRANCH)) == ("unchanged", first)
    project.commit(test_py=TRAIN)
    third = project.use(mode="fix")
    assert third.outputs["operation"] == "updated"
    assert third.outputs["pull-request-number"] == "1"
    (pull,) = project.repository.pulls
    assert "fixed 4 offences in 2 files" in pull.body
    changed = project.repository.git("diff", "--name-only", "main", BRANCH).split()
    assert changed == ["test.py", "train.py"]
    project.commit(train_py="print('hello')\n", test_py="")
    fourth = project.use(mode="fix")
    assert (fourth.failed, fourth.outputs["operation"]) == (False, "closed")
    assert (pull.state, len(pull.comments)) == ("closed", 1)
    assert project.repository.head_of(BRANCH) is None
    last = project.use(mode="fix")
    assert (last.failed, last.outputs["operation"]) == (False, "nothing")
    assert project.repository.pulls == [pull]


def test_what_could_not_be_looked_at_closes_nothing(project: Project) -> None:
    project.use(mode="fix")
    project.commit(train_py="import torch\ndef\n")
    job = project.use(mode="fix")
    assert [step.status for step in job.steps if step.name == "Look"] == [2]
    assert project.repository.pull(1).state == "open"


def test_check_annotates_and_hands_over_sarif(project: Project) -> None:
    job = project.use("pull_request", mode="check", upload_sarif="true")
    assert job.step("Look").status == 1
    assert "::error " in job.log or "::warning " in job.log
    assert "file=train.py,line=5" in job.log
    assert "| DFX201 |" in job.summary
    upload = job.step("Upload to code scanning")
    assert upload.uses.startswith("github/codeql-action/upload-sarif@")
    assert upload.given["sarif_file"] == job.outputs["sarif-file"]
    assert upload.given["checkout_path"] == str(project.folder)
    assert [step.name for step in job.steps][-1] == "Upload to code scanning"
    assert project.server.asked == []


def test_findings_need_not_fail_it(project: Project) -> None:
    assert not project.use("pull_request", fail_on_findings="false").failed


@pytest.mark.parametrize("event", ["pull_request", "pull_request_target", "workflow_run"])
def test_nothing_is_proposed_for_what_may_be_a_stranger_s(project: Project, event: str) -> None:
    job = project.use(event, mode="fix")
    assert (job.step("Look").status, job.steps[-1].name) == (2, "Look")
    assert "::error title=devicefix::input mode: fix is for push" in job.log
    assert project.server.asked == []


def test_a_person_s_commit_is_kept_and_said(project: Project) -> None:
    project.use(mode="fix")
    git(project.folder, "fetch", "-q", str(project.repository.folder), BRANCH)
    git(project.folder, "checkout", "-q", "FETCH_HEAD")
    (project.folder / "note.txt").write_text("mine\n")
    git(project.folder, "add", ".")
    evil = "Mend\n::set-output name=x::y\n"
    git(
        project.folder,
        "commit",
        "-q",
        "-m",
        "<img src=x> @all ##[error]x \x1b[31m%0A::error::y",
        "-m",
        evil,
    )
    git(project.folder, "push", "-q", str(project.repository.folder), f"HEAD:{BRANCH}")
    theirs = project.repository.head_of(BRANCH)
    git(project.folder, "checkout", "-q", "main")
    project.commit(train_py=TRAIN + "print(1)\n")
    job = project.use(mode="fix")
    assert (job.failed, job.outputs["operation"]) == (False, "kept")
    assert project.repository.head_of(BRANCH) == theirs
    (line,) = [line for line in job.step("Propose").log.splitlines() if "kept" in line]
    assert line.startswith("::warning title=devicefix::kept pull request #1: somebody else")
    assert "\x1b" not in line
    assert "%250A" in line
    assert "##[" not in line
    assert r"\<img src=x\> @&#8203;all" in job.summary


def test_the_token_is_in_no_log_and_no_summary(project: Project) -> None:
    project.repository.protect(BRANCH)
    job = project.use(mode="fix")
    assert job.step("Propose").status == 2
    assert "the branch is protected" in job.log
    assert TOKEN not in job.log + job.summary
    assert [step.name for step in job.steps if TOKEN in str(step.environment)] == ["Propose"]
