"""A repository on the server: bare, with pull requests that behave as GitHub's do."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.github_api.description import filled

_TIME: Final = "2026-01-02T03:04:05Z"


@dataclass
class Pull:
    """One pull request."""

    number: int
    head: str
    base: str
    title: str
    body: str
    sha: str
    state: str = "open"
    merged: bool = False
    comments: list[str] = field(default_factory=list)


@dataclass
class Repository:
    """``owner/name``, kept in a bare repository."""

    name: str
    folder: Path
    address: str
    """Of the server."""
    pulls: list[Pull] = field(default_factory=list)

    def git(self, *arguments: str, given: str | None = None) -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            input=given,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.rstrip("\n")

    @property
    def owner(self) -> str:
        return self.name.partition("/")[0]

    @property
    def api(self) -> str:
        return f"{self.address}/api/v3/repos/{self.name}"

    def head_of(self, branch: str) -> str | None:
        """The commit that a branch is at; git is not asked: this is asked often."""
        try:
            return (self.folder / "refs" / "heads" / branch).read_text().strip()
        except OSError:
            return None

    def protect(self, branch: str) -> None:
        """Refuse pushes to ``branch`` in GitHub's words."""
        self.hook(
            f"if grep -q 'refs/heads/{branch}$'; then\n"
            f'echo "error: GH006: Protected branch update failed for refs/heads/{branch}." >&2\n'
            "exit 1\nfi\n"
        )

    def hook(self, script: str) -> None:
        """Run a shell ``script`` before a push is taken; it may refuse."""
        file = self.folder / "hooks" / "pre-receive"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{script}")
        file.chmod(0o755)

    def settle(self) -> None:
        """As GitHub does: heads are followed, and a pull request goes with its branch."""
        for pull in self.pulls:
            if pull.state == "open":
                head = self.head_of(pull.head)
                pull.sha, pull.state = (pull.sha, "closed") if head is None else (head, "open")

    def pull(self, number: int) -> Pull:
        self.settle()
        return self.pulls[number - 1]

    def merge(self, number: int) -> None:
        """Merge a pull request into its base, on the server."""
        pull = self.pull(number)
        self.git("update-ref", f"refs/heads/{pull.base}", pull.sha)
        pull.state, pull.merged = "closed", True

    def status_of(self, base: str, head: str) -> tuple[str, int, int]:
        """How two commits stand to each other: word, commits ahead, commits behind."""
        behind, ahead = map(
            int, self.git("rev-list", "--left-right", "--count", f"{base}...{head}").split()
        )
        words = {(False, False): "identical", (True, False): "ahead", (False, True): "behind"}
        return words.get((ahead > 0, behind > 0), "diverged"), ahead, behind

    # ---- as JSON --------------------------------------------------------------------------------

    def shown(self) -> dict[str, Any]:
        known = {"full_name": self.name, "name": self.name.partition("/")[2], "url": self.api}
        head = (self.folder / "HEAD").read_text(encoding="utf-8").strip()
        first = head.removeprefix("ref: refs/heads/")
        return filled("full-repository", {**known, "default_branch": first})

    def shown_pull(self, pull: Pull, schema: str = "pull-request") -> dict[str, Any]:
        url = f"{self.api}/pulls/{pull.number}"
        known = {
            "id": pull.number,
            "number": pull.number,
            "url": url,
            "html_url": f"{self.address}/{self.name}/pull/{pull.number}",
            "issue_url": f"{self.api}/issues/{pull.number}",
            "title": pull.title,
            "body": pull.body or None,
            "state": pull.state,
            "head": self._side(pull.head, pull.sha),
            "base": self._side(pull.base, self.head_of(pull.base) or "0" * 40),
            "merged_at": _TIME if pull.merged else None,
            "closed_at": _TIME if pull.state == "closed" else None,
        }
        return filled(schema, known)

    def _side(self, ref: str, sha: str) -> dict[str, Any]:
        user = filled("simple-user", {"login": self.owner})
        name = {"full_name": self.name, "url": self.api, "owner": user}
        repo = filled("repository", name)
        return {"label": f"{self.owner}:{ref}", "ref": ref, "sha": sha, "repo": repo, "user": user}
