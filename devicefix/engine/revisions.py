"""Which commit a revision means, in a repository and in those that lie in it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from devicefix.engine import git
from devicefix.engine.errors import GitError

_COMMIT: Final = re.compile(rb"[0-9a-f]{40,64}")
_FORK: Final = "..."
"""Behind a revision: where HEAD and it went different ways."""
_SUBMODULE: Final = b"160000 "


class Revision:
    """A revision as somebody wrote it, for the repositories of some paths.

    A repository that lies in one of these, such as a submodule, has names of its own; there it is
    the commit that the outer one had then.
    """

    def __init__(self, name: str, paths: Iterable[Path]) -> None:
        """Raises `GitError` where one of ``paths`` lies in no repository that knows it."""
        self._name = name
        self._commits: dict[str, str | None] = {}
        for root, (one, *_) in git.repositories(str(path / "x") for path in paths).items():
            if not root:
                raise GitError(
                    f"--since needs git, and {Path(one).parent} is not in a git repository"
                )
            self._commits[root] = _resolved(root, name)
        self.is_last = all(c == _resolved(root, "HEAD") for root, c in self._commits.items())
        """Whether nothing but uncommitted changes is newer."""

    def commit(self, root: str) -> str | None:
        """The full name of a commit in the repository at ``root``; None where it was not there."""
        if root not in self._commits:
            self._commits[root] = self._within_another(root)
        return self._commits[root]

    def _within_another(self, root: str) -> str | None:
        (outer,) = git.repositories([root])
        known = self.commit(outer) if outer else None
        if known is None:
            return None
        path = Path(root).relative_to(outer).as_posix()
        answer = git.ask(outer, "ls-tree", "-z", known, "--", path)
        if not answer.startswith(_SUBMODULE):
            return None
        return _resolved(root, answer.split()[2].decode("ascii"))


def _resolved(root: str, revision: str) -> str:
    """The full name of a commit, which can be mistaken for no option and no path."""
    name = revision.removesuffix(_FORK)
    if not name or name.startswith("-") or not name.isprintable():
        raise GitError(f"--since: {revision!r} is not a revision")
    try:
        commit = git.ask(root, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").strip()
        if revision.endswith(_FORK):
            commit = git.ask(root, "merge-base", commit.decode("ascii"), "HEAD").strip()
    except git.NoRepositoryError:
        raise
    except GitError as error:
        raise GitError(
            f"--since: git does not know {revision!r} in {root}; a shallow clone may lack it"
        ) from error
    if not _COMMIT.fullmatch(commit):
        raise GitError(f"--since: {revision!r} is not a revision")
    return commit.decode("ascii")
