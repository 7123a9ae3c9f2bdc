"""Whose work a branch holds.

It is ours to change if nobody else has worked on it:

- its head is a commit that devicefix made, word for word (`Commit.is_ours`), or
- it merges the base into such a commit, and each file is as it was on one of the two sides. That is
  what GitHub's button "Update branch" does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from devicefix.pull_requests.commits import Commit, read_commit
from devicefix.pull_requests.errors import GitError
from devicefix.pull_requests.git import Git


@dataclass(frozen=True, slots=True)
class Ownership:
    """Looks at commits that were fetched."""

    git: Git
    is_on_base: Callable[[str], bool]

    def base_of(self, name: str) -> str | None:
        """The commit of the base below ``name``; None where ``name`` is not ours."""
        try:
            commit = read_commit(self.git, name)
        except GitError:  # behind what was fetched
            return None
        if commit.is_ours:
            return commit.parents[0]
        if len(commit.parents) != 2:
            return None
        ours, merged = commit.parents
        if self.base_of(ours) is None or not self.is_on_base(merged):
            return None
        return merged if self._is_plain(name, commit) else None

    def _is_plain(self, name: str, merge: Commit) -> bool:
        try:
            ours, merged = (set(changes(self.git, parent, name)) for parent in merge.parents)
        except GitError:
            return False
        return not ours & merged


def changes(git: Git, old: str, new: str) -> dict[str, str]:
    """By path what differs between two commits: the modes and contents on both sides."""
    listed = git.run("diff-tree", "-r", "-z", "--no-renames", old, new)
    parts = listed.decode(errors="surrogateescape").split("\0")[:-1]
    return dict(zip(parts[1::2], parts[::2], strict=True))
