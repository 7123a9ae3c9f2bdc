"""What people do with the pull request of an earlier campaign."""

from __future__ import annotations

from typing import Final

from benchmarks.synthetic import bare
from benchmarks.synthetic.shapes import Item, Synthetic
from tests.github_api.repository import Repository

_BRANCH: Final = "devicefix/main"


def lived(one: Synthetic, repository: Repository) -> None:
    """They leave it, close it, merge it, work on its branch, or on the one that it is for."""
    if one.before == "declined":
        repository.pull(1).state = "closed"
    elif one.before == "merged":
        repository.merge(1)
        repository.git("update-ref", "-d", f"refs/heads/{_BRANCH}")
    elif one.before == "person":
        notes = {"notes.txt": Item(b"I go on from here.\n")}
        bare.commit(repository.folder, _BRANCH, notes, "My own work", upon=_BRANCH)
    elif one.before == "moved-on":
        bare.commit(repository.folder, "main", one.later, "Another program", upon="main")
