"""Modes propose and publish, from the checkout to the pull request."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.action.conftest import LAST, TOKEN, Project
from tests.action.steps import Job

BRANCH = "devicefix/main"


@pytest.fixture
def bundle(project: Project) -> Path:
    """Where the artifact lies between the jobs."""
    return project.action.artifacts / "devicefix-proposal"


def proposed(project: Project, **inputs: str) -> Job:
    """The first job, whose token may write nothing."""
    project.action.token = "ghs_mayOnlyRead"
    job = project.use(mode="propose", **inputs)
    project.action.token = TOKEN
    return job


def test_two_jobs_do_what_one_does(project: Project, bundle: Path) -> None:
    first = proposed(project)
    assert (first.failed, first.outputs["proposal"]) == (False, "devicefix-proposal")
    assert project.server.asked == []
    assert "ghs_mayOnlyRead" not in str([step.environment for step in first.steps])
    assert (bundle / "fixes.patch").read_text().startswith("--- a/train.py\n+++ b/train.py\n")
    second = project.use(mode="publish")
    assert (second.failed, second.outputs["operation"]) == (False, "created")
    assert [step.name for step in second.steps if TOKEN in str(step.environment)] == [LAST]
    (pull,) = project.repository.pulls
    assert (bundle / "body.md").read_text().strip() in pull.body
    written = project.repository.git("show", f"{BRANCH}:train.py")
    assert "model = nn.Linear(4, 2).to(device)" in written
    assert project.use(mode="fix").outputs["operation"] == "unchanged"
    project.commit(train_py="print('hello')\n")
    proposed(project)
    assert (bundle / "fixes.patch").read_bytes() == b""
    assert project.use(mode="publish").outputs["operation"] == "closed"


@pytest.mark.slow
def test_the_evidence_goes_over_and_the_program_runs_in_the_first_job_only(
    project: Project,
) -> None:
    """It proves an unsafe fix, too."""
    library = project.folder.parent / "library"
    library.mkdir()
    (library / "mylab.py").write_text(
        "import os, pathlib\n\n\ndef report(scores):\n    print(len(scores))\n"
        "    pathlib.Path(__file__).with_name('seen').write_text(chr(10).join(os.environ))\n"
    )
    project.action.environment["PYTHONPATH"] = str(library)
    first = proposed(project, verify="python unseen.py", verify_python=sys.executable)
    assert (first.failed, first.outputs["proposal"]) == (False, "devicefix-proposal")
    assert "GITHUB_OUTPUT" not in (library / "seen").read_text()
    (library / "seen").unlink()
    second = project.use(mode="publish")
    assert (second.failed, second.outputs["operation"]) == (False, "created")
    assert not (library / "seen").exists()
    (pull,) = project.repository.pulls
    assert "### devicefix verify: pass" in pull.body
    assert "| after, on sim:cuda | exit 0" in pull.body
    assert "**Unsafe, verified by the run**:" in pull.body
    assert "nn.Linear(4, 2).to(device)" in project.repository.git("show", f"{BRANCH}:unseen.py")


def test_what_was_changed_in_between_is_not_published(project: Project, bundle: Path) -> None:
    proposed(project)
    (bundle / "body.md").write_text("::set-output name=operation::created\n")
    job = project.use(mode="publish")
    assert (job.step("Look").status, job.steps[-1].name) == (2, "Look")
    assert "the text of the pull request differs" in job.log
    assert (project.server.asked, job.summary) == ([], "")


def test_without_the_first_job_there_is_nothing_to_publish(project: Project) -> None:
    job = project.use(mode="publish")
    assert [step.name for step in job.steps if step.status] == ["Download the proposal"]
