"""`action.yml`, its steps run for real: against git, and a server that speaks GitHub's API."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from unittest.mock import ANY

import pytest

from tests.action.conftest import DECIDE, LAST, TOKEN, TRAIN, Project
from tests.pull_requests.conftest import git

BRANCH = "devicefix/main"


def test_from_hard_coded_cuda_to_an_open_pull_request_and_on(project: Project) -> None:
    """The second run changes nothing, the third updates, the fourth closes it, then all is done."""
    job = project.use(mode="fix")
    assert not job.failed
    (pull,) = project.repository.pulls
    assert (pull.state, pull.head, pull.base) == ("open", BRANCH, "main")
    assert pull.title == "Run on any device"
    assert "| DFX201 | cuda-method | 2 | 2 |" in pull.body
    assert "#### Needs your decision" in pull.body
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
        "proposal": "",
        "commit": project.repository.head_of(BRANCH),
    }
    assert f"[#1]({url})" in job.summary
    assert (project.folder / "train.py").read_text() == TRAIN
    assert [step.name for step in job.steps if TOKEN in str(step.environment)] == [LAST]
    author, message = project.repository.git("log", "-1", "--format=%an%n%B", BRANCH).split("\n", 1)
    assert author == "github-actions[bot]"
    assert message.startswith("Run on any device\n\n- DFX201 cuda-method: 2\n")
    again = project.use(mode="fix")
    assert again.outputs == {**job.outputs, "operation": "unchanged", "sarif-file": ANY}
    project.commit(test_py=TRAIN)
    third = project.use(mode="fix")
    assert third.outputs["operation"] == "updated"
    assert third.outputs["pull-request-number"] == "1"
    assert project.repository.pulls == [pull]
    assert "fixed 4 findings in 2 files" in pull.body
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
    project.commit(train_py="import torch\ndef\n")
    job = project.use(mode="fix")
    assert (job.step("Look").status, job.steps[-1].name) == (2, "Look")


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


def test_only_what_has_changed_since_is_reported(project: Project) -> None:
    project.commit(new_py=TRAIN)
    job = project.use("pull_request", since="HEAD~1")
    assert (job.step("Look").status, job.outputs["findings"]) == (1, "2")
    assert "file=new.py" in job.log
    assert "file=train.py" not in job.log


def test_a_pull_request_is_asked_about_its_own_lines(project: Project, tmp_path: Path) -> None:
    base = git(project.folder, "rev-parse", "HEAD")
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"pull_request": {"base": {"sha": base}}}))
    project.action.environment["GITHUB_EVENT_PATH"] = str(event)
    git(project.folder, "checkout", "-q", "-b", "topic")
    (project.folder / "more.py").write_text("import torch\n\nprint(torch.ones(2).cuda())\n")
    git(project.folder, "add", ".")
    git(project.folder, "commit", "-q", "-m", "more")
    job = project.use("pull_request")
    assert job.outputs["findings"] == "1"
    assert "file=more.py" in job.log
    assert "file=train.py" not in job.log
    assert int(project.use("pull_request", since="all").outputs["findings"]) > 1
    assert int(project.use("push").outputs["findings"]) > 1
    event.write_text(json.dumps({"pull_request": {"base": {"sha": "0" * 40}}}))
    job = project.use("pull_request")
    assert int(job.outputs["findings"]) > 1
    assert "does not have the base of the pull request" in job.log
    git(project.folder, "checkout", "-q", "main")  # what GitHub checks out: the merge
    git(project.folder, "merge", "-q", "--no-ff", "topic")
    assert project.use("pull_request").outputs["findings"] == "1"


def test_nothing_is_proposed_for_what_may_be_a_stranger_s(project: Project) -> None:
    job = project.use("pull_request_target", mode="fix")
    assert (job.step("Look").status, job.steps[-1].name) == (2, "Look")
    assert "::error title=devicefix::input mode: fix works for push" in job.log
    assert project.server.asked == []


def test_a_person_s_commit_is_kept_and_said(project: Project) -> None:
    """Whose message would be a command to the runner, and markup."""
    evil = "<img src=x> @all ##[error]x \x1b[31m%0A::error::y"
    git(project.folder, "checkout", "-q", "-b", "theirs")
    git(project.folder, "commit", "-q", "--allow-empty", "-m", evil, "-m", "::set-output name=x::y")
    git(project.folder, "push", "-q", str(project.repository.folder), f"HEAD:{BRANCH}")
    git(project.folder, "checkout", "-q", "main")
    theirs = project.repository.head_of(BRANCH)
    job = project.use(mode="fix")
    assert (job.failed, job.outputs["operation"]) == (False, "kept")
    assert project.repository.head_of(BRANCH) == theirs
    (line,) = [line for line in job.step(LAST).log.splitlines() if "kept" in line]
    assert line.startswith("::warning title=devicefix::kept: someone else")
    assert "\x1b" not in line
    assert "%250A" in line
    assert "##[" not in line
    assert r"\<img src=x\> @&#8203;all" in job.summary


def test_a_refusal_of_the_server_fails_the_step_without_the_token(project: Project) -> None:
    project.repository.protect(BRANCH)
    job = project.use(mode="fix")
    assert job.step(LAST).status == 2
    assert "::error title=devicefix::git push: the branch is protected" in job.log
    assert TOKEN not in job.log + job.summary


PROVEN = """\
import os
import pathlib

{train}
names = sorted(os.environ)
pathlib.Path({seen!r}).write_text("\\n".join(f"{{n}}={{os.environ[n]}}" for n in names))
"""


@pytest.mark.slow
def test_the_evidence_of_a_verification_is_in_the_body(project: Project) -> None:
    seen = project.folder.parent / "seen.txt"
    git(project.folder, "rm", "-q", "train.py")
    (project.folder / "sub").mkdir()
    project.commit(**{"sub/train.py": PROVEN.format(train=TRAIN, seen=str(seen))})
    inputs = {"verify": "python train.py", "verify_python": sys.executable}
    job = project.use(mode="fix", working_directory="sub", **inputs)
    assert (job.failed, job.outputs["operation"]) == (False, "created")
    (pull,) = project.repository.pulls
    assert "### devicefix verify: pass" in pull.body
    assert "| after, on sim:cuda | exit 0" in pull.body
    assert "**cpu**: " in pull.body
    given = seen.read_text()
    assert "HOME=" in given
    for name in ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_TOKEN", "INPUT_", "ACTIONS_", TOKEN):
        assert name not in given


@pytest.mark.slow
def test_the_body_says_how_to_repeat_the_verification(project: Project, tmp_path: Path) -> None:
    folder = "sub dir"
    git(project.folder, "rm", "-q", "train.py")
    (project.folder / folder).mkdir()
    program = "import sys\n\nprint(sys.argv[1:])\n" + TRAIN
    style = '[tool.devicefix]\nstyle = "accelerator"\nmin-torch = "2.9"\n'
    project.commit(**{f"{folder}/train.py": program, "pyproject.toml": style})
    devices = "sim:cuda,sim:mps,sim:xpu"
    inputs = {"verify": "python train.py --name 'a b'", "verify_python": sys.executable}
    job = project.use(mode="fix", working_directory=folder, verify_devices=devices, **inputs)
    assert (job.failed, job.outputs["operation"]) == (False, "created")
    (pull,) = project.repository.pulls
    for device in devices.split(","):
        assert f"| after, on {device} | exit 0" in pull.body
        assert f"- **{device}**: " in pull.body
    _, _, rest = pull.body.partition("**Repeat it**")
    commands = rest.partition("```sh\n")[2].partition("\n```")[0]
    assert f"--device {devices} train.py --name 'a b'" in commands
    clone = tmp_path / "somebody" / "clone"
    clone.parent.mkdir()
    git(clone.parent, "clone", "-q", str(project.repository.folder), "clone")
    git(clone, "checkout", "-q", pull.head)
    script = (
        f"set -e\n{commands.replace('devicefix verify', f'{sys.executable} -m devicefix verify')}"
    )
    done = subprocess.run(["bash", "-c", script], cwd=clone, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "pass: train.py" in done.stdout
    assert "sim:xpu" in done.stdout


def test_what_files_are_called_is_no_command_and_no_markup(project: Project) -> None:
    name = "::warning::<img src=x> ##[add-path]x @all.py"
    project.commit(**{name: TRAIN})
    check = project.use("pull_request", fail_on_findings="false")
    assert not check.failed
    fix = project.use(mode="fix")
    body = project.repository.pulls[0].body
    shown = check.summary + fix.summary + body
    assert not re.search(r"(?<![\\`])<img|(?<!`)@all", re.sub(r"`[^`]*`", "", shown))
    for line in commands(check.log + fix.log):
        assert re.match(r"::(group|endgroup|error|warning|notice)\b", line)


def commands(log: str) -> list[str]:
    """The lines that the runner would take for commands."""
    found, mark = [], None
    for line in log.splitlines():
        if mark is not None:
            mark = None if line == f"::{mark}::" else mark
        elif line.startswith("::stop-commands::"):
            mark = line.removeprefix("::stop-commands::")
        elif line.lstrip().startswith("::") or "##[" in line:
            found.append(line)
    return found


def test_inputs_are_words_and_never_scripts(project: Project) -> None:
    evil = '$(touch pwned) `touch pwned`;touch pwned #"'
    job = project.use("pull_request", select=evil, title=evil)
    assert job.step("Look").status == 2
    assert not list(project.folder.parent.rglob("pwned"))
    assert "::error title=devicefix::unknown rule '$(touch'" in job.log


def test_the_working_directory_is_where_paths_begin(project: Project) -> None:
    """And nothing is imported from there, or from the repository."""
    touched = project.folder.parent / "touched"
    (project.folder / "sub dir").mkdir()
    git(project.folder, "mv", "train.py", "sub dir/train.py")
    for name in ("click", "github", "sitecustomize", "usercustomize", "json", "pip", "venv"):
        for folder in ("", "sub dir/"):
            (project.folder / f"{folder}{name}.py").write_text(f"open({str(touched)!r}, 'w')\n")
    shutil.copytree(project.folder / "sub dir", project.folder / "devicefix")
    project.commit()
    job = project.use(mode="fix", working_directory="sub dir", paths='"train.py"')
    assert (job.outputs["findings"], job.outputs["operation"]) == ("2", "created")
    assert "sub dir/train.py" in project.repository.pulls[0].body
    assert "to(device)" in project.repository.git("show", f"{BRANCH}:sub dir/train.py")
    assert not touched.exists()
