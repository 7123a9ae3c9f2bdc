"""The commit that carries the changes, and how it is known again."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from devicefix.pull_requests.errors import PullRequestError
from devicefix.pull_requests.git import Git
from devicefix.pull_requests.proposal import Author, NewContent
from devicefix.pull_requests.scratch import Checkout

_MARK: Final = "Devicefix-Commit"
_MARKED: Final = re.compile(rf"\n{_MARK}: ([0-9a-f]{{64}})\n*\Z")
_ENDS_IN_TRAILERS: Final = re.compile(r"\n\n(?:[A-Za-z][A-Za-z-]*-by: .+\n?)+\Z")
"""One paragraph has them all (git-interpret-trailers(1))."""
_FILES: Final = frozenset({"100644", "100755"})


@dataclass(frozen=True, slots=True)
class Commit:
    """What matters of a commit."""

    tree: str
    parents: tuple[str, ...]
    author: str
    """His name."""
    message: str

    @property
    def is_ours(self) -> bool:
        """Whether devicefix made exactly this: another parent, file or word, and it did not."""
        found = _MARKED.search(self.message)
        if found is None or len(self.parents) != 1:
            return False
        text = self.message[: found.start()].rstrip("\n")
        return found[1] == _digest(self.tree, self.parents[0], text)


def read_commit(git: Git, name: str) -> Commit:
    """The commit ``name``. Raises `GitError` where there is none."""
    headers, _, message = (
        git.run("cat-file", "commit", name).decode(errors="replace").partition("\n\n")
    )
    lines = [line.partition(" ") for line in headers.split("\n")]
    (tree,) = (value for key, _, value in lines if key == "tree")
    (author,) = (value for key, _, value in lines if key == "author")
    parents = tuple(value for key, _, value in lines if key == "parent")
    return Commit(tree, parents, author.partition(" <")[0], message)


def make_commit(
    git: Git,
    source: Checkout,
    files: Iterable[NewContent],
    message: str,
    author: Author,
    date: int = 0,
) -> str:
    """A commit on top of ``source`` in which ``files`` are as they are to be.

    With a ``date``, in seconds since 1970, the same arguments make the same commit.
    Raises `PullRequestError` where one of them is not what was committed.
    """
    index = {"GIT_INDEX_FILE": str(git.folder / "devicefix-index")}
    git.run("read-tree", source.head, also=index)
    entries = b"".join(_entry(git, source, file) for file in files)
    git.run("update-index", "-z", "--index-info", given=entries, also=index)
    tree = git.text("write-tree", "--missing-ok", also=index)  # of what a partial clone lacks
    text = message.strip("\n")
    gap = "\n" if _ENDS_IN_TRAILERS.search(text) else "\n\n"
    signed = f"{text}{gap}{_MARK}: {_digest(tree, source.head, text)}\n"
    return git.text("commit-tree", tree, "-p", source.head, given=signed, also=_names(author, date))


def patch_id(git: Git, commit: str) -> str:
    """What a commit changes, wherever in its files: the same after the lines have moved."""
    plain = ("--no-ext-diff", "--no-textconv", "--no-renames", "--unified=0")
    patch = git.run("diff-tree", "-p", *plain, f"{commit}^", commit)
    return git.text("patch-id", "--stable", given=patch.decode(errors="replace")).partition(" ")[0]


def _digest(tree: str, parent: str, message: str) -> str:
    return hashlib.sha256(f"{tree}\n{parent}\n{message}".encode()).hexdigest()


def _names(author: Author, date: int) -> dict[str, str]:
    said = {"NAME": author.name, "EMAIL": author.email}
    if date:
        said["DATE"] = f"@{date} +0000"
    return {
        f"GIT_{role}_{key}": value
        for role in ("AUTHOR", "COMMITTER")
        for key, value in said.items()
    }


def _entry(git: Git, source: Checkout, file: NewContent) -> bytes:
    """One file, for ``update-index --index-info``."""
    path = _relative(source.top, file.path)
    listed = git.run("ls-tree", "-z", source.head, "--", os.fsdecode(path))
    mode, kind, blob = (*listed.split(b"\t")[0].decode().split(), "", "", "")[:3]
    if kind != "blob" or mode not in _FILES:
        raise PullRequestError(
            f"{file.path} is not in the commit that is checked out; commit it, or leave it out"
        )
    if git.run("hash-object", "-w", "--stdin", given=file.before).decode().strip() == blob:
        after = file.after  # and a partial clone has it now
    else:
        after = _as_committed(file, git.run("cat-file", "blob", blob))
    new = git.run("hash-object", "-w", "--stdin", given=after).decode().strip()
    return f"{mode} {new}\t".encode() + path + b"\0"


def _relative(top: Path, path: str) -> bytes:
    """Where the file is in the tree, links followed. Raises `PullRequestError`."""
    real = Path(os.path.realpath(path))
    try:
        inside = real.relative_to(top)
    except ValueError:
        raise PullRequestError(f"{path} is outside the repository {top}") from None
    if ".git" in (part.lower() for part in inside.parts):
        raise PullRequestError(f"{path} belongs to git itself")
    return os.fsencode(inside.as_posix())


def _as_committed(file: NewContent, committed: bytes) -> bytes:
    """``file`` as git keeps it: its line ends may be others than those on the disk."""
    if committed == file.before:
        return file.after
    if committed == file.before.replace(b"\r\n", b"\n"):
        return file.after.replace(b"\r\n", b"\n")
    raise PullRequestError(
        f"{file.path} differs from the commit: it has been changed, or a filter such as Git LFS "
        "changes it"
    )
