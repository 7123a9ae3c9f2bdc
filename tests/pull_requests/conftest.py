"""A repository on a server that speaks GitHub's API, and a checkout of it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import pytest

from devicefix.pull_requests import (
    Author,
    Forge,
    NewContent,
    Outcome,
    Proposal,
    Remote,
    Server,
    publish,
    withdraw,
)
from tests.github_api.repository import Repository
from tests.github_api.server import GitHubServer, running

TOKEN: Final = "ghs_secretSecretSecret"
BRANCH: Final = "devicefix/main"


@dataclass
class Workspace:
    """Somebody's clone, and what was proposed from it."""

    server: GitHubServer
    repository: Repository
    folder: Path
    wait: float = 0.0
    texts: dict[str, str] = field(default_factory=dict)

    def git(self, *arguments: str) -> str:
        return git(self.folder, *arguments)

    def commit(self, name: str, text: str, message: str = "more", author: str = "Jane") -> str:
        """Write a file, commit it and push the branch that is checked out."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        self.git("add", "--", name)
        self.git("-c", f"user.name={author}", "commit", "-q", "-m", message)
        self.git("push", "-q", "origin", "HEAD")
        return self.git("rev-parse", "HEAD")

    def on_branch(self, name: str, text: str, message: str, author: str = "Jane") -> str:
        """The same on the branch of the pull request, as a person would."""
        self.git("fetch", "-q", "origin", BRANCH)
        self.git("checkout", "-q", "-B", BRANCH, "FETCH_HEAD")
        made = self.commit(name, text, message, author)
        self.git("checkout", "-q", "main")
        return made

    @property
    def named(self) -> Server:
        url = f"{self.server.address}/{self.repository.name}.git"
        forge = Forge(self.repository.name, TOKEN, self.server.api, wait=self.wait)
        return Server(Remote(url, TOKEN), forge)

    def publish(
        self, texts: dict[str, str], body: str = "the body", branch: str = BRANCH, date: int = 0
    ) -> Outcome:
        files = tuple(
            NewContent(str(self.folder / name), (self.folder / name).read_bytes(), text.encode())
            for name, text in texts.items()
        )
        author = Author("A Bot", "bot@example.org")
        proposal = Proposal(branch, "main", files, "the title", body, "Fix devices", author)
        return publish(self.folder, self.named, replace(proposal, date=date))

    def withdraw(self) -> Outcome:
        return withdraw(self.folder, self.named, BRANCH, "main", "Nothing is left to fix.")

    def content(self, name: str, branch: str = BRANCH) -> str:
        return self.repository.git("show", f"refs/heads/{branch}:{name}")


def git(folder: Path, *arguments: str) -> str:
    mail = ("-c", "user.email=jane@example.org", "-c", "user.name=Jane")
    done = subprocess.run(
        ["git", "--literal-pathspecs", *mail, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.rstrip("\n")


@pytest.fixture
def server(tmp_path: Path, pattern: Path) -> Iterator[GitHubServer]:
    """Fails the test that asks it anything that GitHub's description does not know."""
    with running(tmp_path / "server", TOKEN) as known:
        yield known
    assert known.complaints == []


@pytest.fixture(scope="session")
def pattern(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bare repository and a clone with two files, to be copied."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    folder = tmp_path_factory.mktemp("pattern")
    git(folder, "init", "-q", "--bare", "--template=", "--initial-branch=main", "bare.git")
    git(folder, "clone", "-q", "--template=", "bare.git", "clone")
    for name, text in (("a.py", "one\ntwo\nthree\n"), ("b.py", "x\n")):
        (folder / "clone" / name).write_text(text)
    git(folder / "clone", "checkout", "-q", "-b", "main")
    git(folder / "clone", "add", ".")
    git(folder / "clone", "commit", "-q", "-m", "first")
    git(folder / "clone", "push", "-q", "origin", "main")
    return folder


@pytest.fixture
def workspace(server: GitHubServer, pattern: Path, tmp_path: Path) -> Workspace:
    """A clone with two files."""
    repository = server.add("acme/model", pattern / "bare.git")
    folder = Path(shutil.copytree(pattern / "clone", tmp_path / "clone"))
    git(folder, "remote", "set-url", "origin", str(repository.folder))
    return Workspace(server, repository, folder)
