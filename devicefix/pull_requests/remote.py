"""The branch on the server."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from devicefix.pull_requests.errors import GitError, MovedError, PullRequestError
from devicefix.pull_requests.git import NOBODY, Access, Git

_VARIABLE: Final = "DEVICEFIX_GIT_TOKEN"
_HELPER: Final = (
    '!answer() { test "$1" = get && '
    f'printf "username=x-access-token\\npassword=%s\\n" "${_VARIABLE}"; }}; answer'
)
"""gitcredentials(7). Its shell has the token from the environment, and no list shows it."""
_DEPTH: Final = 4
"""Commits that are fetched of a branch: one of ours, and a few merges of its base into it."""
_NONE: Final = ""
_MOVED: Final = re.compile(r"stale info|fetch first|cannot lock ref|reference already exists")
_PASSING: Final = re.compile(
    r"could not resolve|couldn't connect|failed to connect|connection (?:refused|reset|timed out|"
    r"closed)|operation timed out|early EOF|hung up unexpectedly|RPC failed|TLS|took more than|"
    r"returned error: (?:429|5\d\d)|internal server error",
    re.IGNORECASE,
)
"""What git says of a network or a server that may be well again later."""
_REFUSALS: Final = {
    "protected branch": "the branch is protected: use another one, or exempt it from protection",
    "rule violations": "a repository rule rejects the branch or the commit",
    "Permission to": "the token has no write permission: give the job "
    "`permissions: contents: write`",
    "Write access to repository not granted": "the token has no write permission: give the job "
    "`permissions: contents: write`",
    "Authentication failed": "the token was rejected",
    "could not read Username": "the token was rejected",
}
_ALWAYS: Final = re.compile(r"To \S+|error: failed to push some refs to .*")
"""What git says of any push that fails."""


@dataclass(frozen=True, slots=True)
class Remote:
    """A repository on a server."""

    url: str
    token: str = field(default="", repr=False)

    @property
    def access(self) -> Access:
        """The token, for the host of the address and for no other one.

        git asks a helper for each host that wants to know who we are. A header of ours it would
        send to the host that the first one refers it to, too. What a checkout may have left in the
        user's configuration is taken back: two such headers, and the server refuses.
        """
        parts = urlsplit(self.url)
        if not self.token or parts.scheme not in ("http", "https"):
            return NOBODY
        host = f"{parts.scheme}://{parts.netloc}"
        settings = ((f"http.{host}/.extraheader", ""), (f"credential.{host}.helper", _HELPER))
        return Access(settings, ((_VARIABLE, self.token),))

    def heads(self, git: Git, *branches: str) -> dict[str, str]:
        """Where those of ``branches`` are that exist."""
        names = {f"refs/heads/{branch}": branch for branch in branches}
        listed = self.ask(git, "ls-remote", "--quiet", self.url, *names)
        pairs = (line.split("\t") for line in listed.splitlines())
        return {names[name]: commit for commit, name in pairs if name in names}

    def fetch(self, git: Git, branch: str) -> str:
        """Bring the last commits of a branch here; the name of its head."""
        ref = f"refs/devicefix/{branch}"
        where = f"+refs/heads/{branch}:{ref}"
        options = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance")
        self.ask(git, "fetch", *options, f"--depth={_DEPTH}", self.url, where)
        return git.text("rev-parse", ref)

    def push(self, git: Git, branch: str, commit: str, expected: str = _NONE) -> None:
        """Put ``branch`` on ``commit``, if it is still at ``expected``; by default, if it is new.

        Raises `MovedError` where it is not.
        """
        self._push(git, branch, f"{commit}:refs/heads/{branch}", expected)

    def delete(self, git: Git, branch: str, expected: str) -> None:
        """Take the branch away, if it is still at ``expected``. Raises `MovedError`."""
        self._push(git, branch, f":refs/heads/{branch}", expected)

    def _push(self, git: Git, branch: str, what: str, expected: str) -> None:
        lease = f"--force-with-lease=refs/heads/{branch}:{expected}"
        options = ("--quiet", "--no-verify", "--no-follow-tags", "--recurse-submodules=no", lease)
        try:
            self.ask(git, "push", *options, self.url, what)
        except GitError as error:
            if _MOVED.search(error.reason):
                raise MovedError(f"{branch} has moved: {error.reason}") from None
            raise

    def ask(self, git: Git, *arguments: str, also: Mapping[str, str] | None = None) -> str:
        """What git prints of a command that speaks to the server. Raises `GitError`.

        What it says of a failure is explained where we can, and has no token in it.
        """
        try:
            return git.text(*arguments, also=also)
        except GitError as error:
            raise self._explained(error, arguments[0]) from None

    def _explained(self, error: GitError, command: str) -> PullRequestError:
        hints = (hint for word, hint in _REFUSALS.items() if word.lower() in error.reason.lower())
        hint = next(hints, "")
        said = error.reason.replace(self.token, "***") if self.token else error.reason
        reason = _on_one_line(said) or said
        told = GitError(f"git {command}", f"{hint} ({reason})" if hint else reason)
        told.transient = not hint and _PASSING.search(reason) is not None
        return told


def _on_one_line(said: str) -> str:
    """What git and the server say of this failure."""
    lines = (line.strip().removeprefix("remote:").strip() for line in said.splitlines())
    return "; ".join(line for line in lines if line and not _ALWAYS.fullmatch(line))
