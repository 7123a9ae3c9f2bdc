"""A repository with hard-coded CUDA on a server, and the Action in a workflow of it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from tests.action.steps import Action, Job, clean_environment
from tests.github_api.repository import Repository
from tests.github_api.server import GitHubServer, running
from tests.pull_requests.conftest import git

ROOT: Final = Path(__file__).parent.parent.parent
TOKEN: Final = "ghs_onlyTheLastStepHasIt"
LAST: Final = "Pull request"
"""The step that has it."""
TRAIN: Final = """\
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 2).cuda()
x = torch.randn(8, 4).cuda()
print(model(x).sum().item())
"""
DECIDE: Final = """\
import torch
from torch import nn

from mylab import report

model = nn.Linear(4, 2)
report(model(torch.randn(8, 4)))
"""
_FAKE: Final = """\
#!/bin/sh
# Stands in for what takes long and needs a network: it makes no environment, and installs nothing.
case "$*" in
  "-I -m venv --clear "*) mkdir -p "$5/bin" && cp "$0" "$5/bin/python" ;;
  "-I -m pip install "*) echo "installing: $*" ;;
  *) exec {python} "$@" ;;
esac
"""


@dataclass
class Project:
    """A checkout of the repository, as a job has it."""

    server: GitHubServer
    repository: Repository
    folder: Path
    action: Action
    runs: Iterator[int] = field(default_factory=count)

    def use(self, event: str = "push", **inputs: str) -> Job:
        """The Action, in a job of a workflow that runs for ``event`` on what is checked out."""
        self.action.environment["GITHUB_EVENT_NAME"] = event
        self.action.environment["GITHUB_SHA"] = git(self.folder, "rev-parse", "HEAD")
        return self.action.run(self.folder.parent / f"run{next(self.runs)}", **inputs)

    def commit(self, message: str = "more", **files: str) -> None:
        """``train_py="…"`` writes train.py; None takes a file away."""
        for name, text in files.items():
            (self.folder / name.replace("_py", ".py")).write_text(text)
        git(self.folder, "add", "--all")
        git(self.folder, "commit", "-q", "-m", message)
        git(self.folder, "push", "-q", str(self.repository.folder), "HEAD:main")


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository, bare and as a clone, to be copied."""
    if shutil.which("git") is None or shutil.which("bash") is None:
        pytest.skip("git or bash is not installed")
    folder = tmp_path_factory.mktemp("made")
    git(folder, "init", "-q", "--bare", "--template=", "--initial-branch=main", "bare.git")
    git(folder, "clone", "-q", "--template=", "bare.git", "clone")
    (folder / "clone" / "train.py").write_text(TRAIN)
    (folder / "clone" / "unseen.py").write_text(DECIDE)
    git(folder / "clone", "checkout", "-q", "-b", "main")
    git(folder / "clone", "add", ".")
    git(folder / "clone", "commit", "-q", "-m", "first")
    git(folder / "clone", "push", "-q", "origin", "main")
    return folder


@pytest.fixture
def project(made: Path, state: Path, tmp_path: Path) -> Iterator[Project]:
    """Ends with a look at what the server had to complain about."""
    with running(tmp_path / "server", TOKEN) as server:
        repository = server.add("acme/model", made / "bare.git")
        folder = Path(shutil.copytree(made / "clone", tmp_path / "workspace"))
        yield Project(server, repository, folder, _action(server, folder, tmp_path, state))
    assert server.complaints == []


def _action(server: GitHubServer, folder: Path, tmp_path: Path, state: Path) -> Action:
    fake = tmp_path / "python"
    fake.write_text(_FAKE.replace("{python}", sys.executable))
    fake.chmod(0o755)
    environment = {
        **clean_environment(),
        "DEVICEFIX_STATE_DIR": str(state),
        "GITHUB_ACTIONS": "true",
        "GITHUB_API_URL": server.api,
        "GITHUB_REF_NAME": "main",
        "GITHUB_REF_TYPE": "branch",
        "GITHUB_REPOSITORY": "acme/model",
        "GITHUB_SERVER_URL": server.address,
        "OMP_NUM_THREADS": "1",
    }
    provided = {"actions/setup-python": {"python-path": str(fake)}}
    return Action(ROOT / "action.yml", folder, environment, TOKEN, provided, tmp_path / "artifacts")
