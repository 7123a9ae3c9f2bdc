"""The branch of a pull request: where it is on the server, whose it is, and moving it."""

from __future__ import annotations

from dataclasses import dataclass

from devicefix.pull_requests.commits import read_commit
from devicefix.pull_requests.errors import GitError, OutdatedError, PullRequestError
from devicefix.pull_requests.forge import Forge
from devicefix.pull_requests.git import Git
from devicefix.pull_requests.ownership import Ownership, changes
from devicefix.pull_requests.proposal import Operation, Outcome
from devicefix.pull_requests.remote import Remote
from devicefix.pull_requests.scratch import Checkout


@dataclass(frozen=True, slots=True)
class Server:
    """Where a repository lives: for git, and for those who talk about it."""

    remote: Remote
    forge: Forge


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a branch that is ours to change."""

    name: str
    base: str
    """The commit of the base below it."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch for changes of one base."""

    git: Git
    server: Server
    source: Checkout
    name: str
    base: str

    def head(self) -> Head | Outcome | None:
        """Where it is on the server; or why it is not ours to change; None where it is not.

        Raises `PullRequestError` where the checkout does not belong to the base.
        """
        self._check_names()
        heads = self.server.remote.heads(self.git, self.name, self.base)
        self._check_checkout(heads.get(self.base))
        if self.name not in heads:
            return None
        name = self.server.remote.fetch(self.git, self.name)
        base = Ownership(self.git, lambda one: self._has(heads[self.base], one)).base_of(name)
        if base is None:
            return self._kept(name)
        if base != self.source.head and self._has(base, self.source.head):
            reason = (
                f"a later run has updated the branch: it starts from a newer commit, {base[:10]}"
            )
            return Outcome(Operation.UNCHANGED, reason, commit=name)
        return Head(name, base)

    def put(self, commit: str, head: Head | None) -> str:
        """Where it is, after a push of ``commit`` if it makes other changes than ``head``.

        Raises `MovedError` where it is not at ``head`` any more.
        """
        if head is not None and self._is_same(head, commit):
            return head.name
        expected = head.name if head is not None else ""
        self.server.remote.push(self.git, self.name, commit, expected)
        return commit

    def delete(self, head: Head) -> None:
        """Take it away. Raises `MovedError` where it is not at ``head`` any more."""
        self.server.remote.delete(self.git, self.name, head.name)

    def _is_same(self, head: Head, commit: str) -> bool:
        """Whether both make of the same files the same."""
        old = changes(self.git, head.base, head.name)
        return old == changes(self.git, self.source.head, commit)

    def _check_names(self) -> None:
        for name in (self.name, self.base):
            try:
                self.git.run("check-ref-format", f"refs/heads/{name}")
            except GitError:
                raise PullRequestError(f"not a valid branch name: {name!r}") from None
        if self.name == self.base:
            raise PullRequestError(f"{self.base} cannot be its own base")

    def _check_checkout(self, base: str | None) -> None:
        if base is None:
            raise OutdatedError(f"there is no branch {self.base} to propose changes for")
        if not self._has(base, self.source.head):
            raise OutdatedError(
                f"the checkout is at {self.source.head[:10]}, which is not a commit of {self.base}"
            )

    def _has(self, whole: str, part: str) -> bool:
        """Whether ``part`` is in the history of ``whole``."""
        return whole == part or self.server.forge.contains(whole, part)

    def _kept(self, name: str) -> Outcome:
        last = read_commit(self.git, name)
        subject = last.message.partition("\n")[0]
        return Outcome(
            Operation.KEPT,
            f"someone else has committed to {self.name}: its last commit {name[:10]} is "
            f'"{subject}" by {last.author}; merge it, or delete the branch',
        )
