"""A repository of our own that borrows the objects of a checkout.

So commits are made and branches fetched without the checkout's configuration, index, hooks or
filters, and nothing of it changes: not even how deep its history is.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from devicefix.pull_requests.errors import GitError, PullRequestError
from devicefix.pull_requests.git import NOBODY, Access, Git


@dataclass(frozen=True, slots=True)
class Checkout:
    """A working tree, and the commit that it was made from."""

    top: Path
    """Its first folder, no link."""
    head: str
    objects: Path
    shallow: Path
    """Lists the commits behind which it has nothing; there may be no such file."""
    form: str
    """Of the names of objects: ``sha1`` or ``sha256``."""


def checkout(folder: Path) -> Checkout:
    """The working tree that ``folder`` is in. Raises `PullRequestError`."""
    git = Git(_top(folder))
    paths = ("--git-path", "objects", "--git-path", "shallow")
    try:
        answers = git.text("rev-parse", "--show-object-format", *paths, "HEAD^{commit}")
    except GitError as error:
        raise PullRequestError(f"{folder} has no commit to build on: {error}") from None
    form, objects, shallow, head = answers.split("\n")
    return Checkout(git.folder, head, git.folder / objects, git.folder / shallow, form)


def _top(folder: Path) -> Path:
    real = Path(os.path.realpath(folder))
    for candidate in (real, *real.parents):  # git itself wants to be told whom to trust
        if (candidate / ".git").exists():
            return candidate
    raise PullRequestError(f"{folder} is not a checkout of a git repository")


@contextmanager
def scratch(
    source: Checkout,
    url: str,
    access: Access = NOBODY,
    place: Path | None = None,
    most: int | None = None,
) -> Iterator[Git]:
    """A bare repository with all that ``source`` has; it is gone afterwards.

    It lies in ``place``, or where temporary files do, and no file of it holds more than ``most``.

    What a partial clone lacks is fetched from ``url`` when it is needed.
    """
    with tempfile.TemporaryDirectory(prefix="devicefix-git-", dir=place) as name:
        folder = Path(os.path.realpath(name))
        git = Git(folder, access, most)
        git.run("init", "--quiet", "--bare", "--template=", f"--object-format={source.form}")
        alternates = folder / "objects" / "info" / "alternates"
        alternates.parent.mkdir(exist_ok=True)
        alternates.write_text(f"{source.objects}\n", encoding="utf-8")
        if source.shallow.is_file():
            shutil.copyfile(source.shallow, folder / "shallow")
        if any((source.objects / "pack").glob("*.promisor")):
            git.run("config", "remote.origin.url", url)
            git.run("config", "remote.origin.promisor", "true")
        yield git
