"""A repository of our own that borrows the objects of a checkout.

So commits are made and branches fetched without the checkout's configuration, index, hooks or
filters, and nothing of it changes: not even how deep its history is.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from devicefix.pull_requests.errors import GitError, PullRequestError
from devicefix.pull_requests.git import Git


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
    real = Path(os.path.realpath(folder))
    try:
        top = Git(real).text("rev-parse", "--show-toplevel")
    except GitError as error:
        raise PullRequestError(f"{folder} is no checkout of a repository: {error}") from None
    git = Git(Path(top))
    try:
        head = git.text("rev-parse", "--verify", "HEAD^{commit}")
    except GitError:
        raise PullRequestError(f"{folder} has no commit yet") from None
    return Checkout(
        Path(os.path.realpath(top)),
        head,
        _inside(git, "objects"),
        _inside(git, "shallow"),
        git.text("rev-parse", "--show-object-format"),
    )


def _inside(git: Git, name: str) -> Path:
    return git.folder / git.text("rev-parse", "--git-path", name)


@contextmanager
def scratch(source: Checkout, secrets: Sequence[tuple[str, str]] = ()) -> Iterator[Git]:
    """A bare repository with all that ``source`` has; it is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="devicefix-git-") as name:
        folder = Path(os.path.realpath(name))
        git = Git(folder, secrets)
        git.run("init", "--quiet", "--bare", "--template=", f"--object-format={source.form}")
        alternates = folder / "objects" / "info" / "alternates"
        alternates.parent.mkdir(exist_ok=True)
        alternates.write_text(f"{source.objects}\n", encoding="utf-8")
        if source.shallow.is_file():
            shutil.copyfile(source.shallow, folder / "shallow")
        yield git
