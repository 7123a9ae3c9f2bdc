"""A clone of a stranger's repository: one commit, and nothing of it decides what we do.

git brings the objects; it checks nothing out (`unpacking` writes the files). So no hook, filter,
attribute, submodule or file system monitor has a say.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from devicefix.migration.errors import CloneError, EmptyError, OutdatedCloneError
from devicefix.migration.unpacking import unpack
from devicefix.pull_requests import PullRequestError, Remote
from devicefix.pull_requests.git import Git

_ONLY: Final = {"GIT_ALLOW_PROTOCOL": "file:http:https:ssh"}
_HELPER: Final = re.compile(r"[\w+.-]*::")
"""``ext::sh -c …`` is a command and no address (gitremote-helpers(7))."""
_COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SHALLOW: Final = (
    *("--quiet", "--no-checkout", "--depth=1", "--single-branch", "--no-tags", "--no-local"),
    *("--template=", "--no-recurse-submodules", "--origin=origin"),
)
_NAMES_ONLY: Final = "--filter=blob:none"
"""A server that does not know it sends all."""
_GONE: Final = re.compile(r"not our ref|unadvertised object|[Rr]emote branch .* not found")
"""What git says where a commit or a branch that was there is not there any more."""
_TOO_LARGE: Final = "File too large"
"""As strerror(3) has it of EFBIG; git speaks English to us."""
_PASSING: Final = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE)
"""Of the machine, and not of the repository."""
_GIGABYTE: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be cloned."""

    url: str
    """As git takes it; a path of this machine, too."""
    base: str = ""
    """A branch; empty: the one that the repository calls its first."""
    commit: str = ""
    """Empty: the newest of the branch."""
    token: str = field(default="", repr=False)
    """For servers that are spoken to by http."""
    size: int = 2 << 30
    """Bytes that the clone may take."""
    files: bool = True
    """Whether its files are wanted, or only what they are called (git-clone(1), ``--filter``)."""


@dataclass(frozen=True, slots=True)
class Clone:
    """One commit of a repository."""

    folder: Path
    """A working tree with its ``.git``; real and absolute."""
    commit: str
    base: str
    size: int
    """Bytes: what git brought, and the files."""
    notes: tuple[str, ...] = ()
    """What of the repository is not there."""


def clone(wanted: Wanted, folder: Path) -> Clone:
    """Make ``folder``, which is not there yet. Raises `CloneError`."""
    _check(wanted)
    top = Path(os.path.realpath(folder))
    with _failures(wanted):
        top.parent.mkdir(parents=True, exist_ok=True)
        access = Remote(wanted.url, wanted.token).access
        base = _brought(Git(top.parent, access, wanted.size), wanted, top)
        git = Git(top, access, wanted.size)
        commit = _commit(git, wanted)
        size = _size(top)
        if size > wanted.size:
            raise CloneError(f"it takes more than {_shown(wanted.size)} to clone")
        unpacked = unpack(git, commit, wanted.size - size, wanted.files)
    return Clone(top, commit, base, size + unpacked.size, unpacked.notes)


def _check(wanted: Wanted) -> None:
    """Raises `CloneError` for what is no address, or no name."""
    if _HELPER.match(wanted.url) or not wanted.url.isprintable() or not wanted.url.strip():
        raise CloneError(f"not the address of a repository: {wanted.url!r}")
    if wanted.commit and not _COMMIT.fullmatch(wanted.commit):
        raise CloneError(f"not the name of a commit: {wanted.commit!r}")
    if wanted.base.startswith("-") or not wanted.base.isprintable():
        raise CloneError(f"not a valid branch name: {wanted.base!r}")


@contextmanager
def _failures(wanted: Wanted) -> Iterator[None]:
    try:
        yield
    except PullRequestError as error:
        if _TOO_LARGE in str(error):
            raise CloneError(f"it takes more than {_shown(wanted.size)} to clone") from None
        passing = error.transient or os.strerror(errno.ENOSPC) in str(error)
        gone = wanted.commit and not passing and _GONE.search(str(error))
        failure = OutdatedCloneError(str(error)) if gone else CloneError(str(error))
        failure.transient = passing
        raise failure from None
    except OSError as error:
        failure = CloneError(f"the clone cannot be written: {error.strerror or error}")
        failure.transient = error.errno in _PASSING
        raise failure from None


def _brought(git: Git, wanted: Wanted, top: Path) -> str:
    """Fetch the objects; the branch that they are the head of."""
    branch = ("--branch", wanted.base) if wanted.base else ()
    which = () if wanted.files else (_NAMES_ONLY,)
    remote = Remote(wanted.url, wanted.token)
    remote.ask(git, "clone", *_SHALLOW, *which, *branch, "--", wanted.url, str(top), also=_ONLY)
    inside = Git(top, remote.access, wanted.size)
    base = wanted.base or _head(inside, wanted)
    if not inside.text("for-each-ref", f"refs/remotes/origin/{base}"):
        raise CloneError(f"{base} is not a branch of the repository")
    if wanted.commit and not _has(inside, wanted.commit):
        options = ("--quiet", "--no-tags", "--no-recurse-submodules", "--depth=1", *which)
        remote.ask(inside, "fetch", *options, "--", "origin", wanted.commit, also=_ONLY)
    return base


def _head(git: Git, wanted: Wanted) -> str:
    """The branch that the repository calls its first; raises `CloneError` where there is none."""
    name = git.text("symbolic-ref", "--quiet", "--short", "HEAD")
    if git.text("for-each-ref", f"refs/remotes/origin/{name}"):
        return name
    remote = Remote(wanted.url, wanted.token)
    if remote.ask(git, "ls-remote", "--heads", "--", wanted.url, also=_ONLY):
        raise CloneError("the repository has no default branch: set `base` in the plan")
    raise EmptyError("the repository has no commits")


def _has(git: Git, commit: str) -> bool:
    with git.start("cat-file", "-e", f"{commit}^{{commit}}") as running:
        running.communicate()
    return running.returncode == 0


def _commit(git: Git, wanted: Wanted) -> str:
    """The commit that is asked for; HEAD is put on it."""
    name = git.text("rev-parse", "--verify", f"{wanted.commit or 'HEAD'}^{{commit}}")
    git.run("update-ref", "--no-deref", "HEAD", name)
    return name


def _size(folder: Path) -> int:
    return sum(
        (Path(place) / name).lstat().st_size
        for place, _, names in os.walk(folder)
        for name in names
    )


def _shown(size: int) -> str:
    return f"{size / 1e9:.3g} GB" if size >= _GIGABYTE else f"{size / 1e6:.3g} MB"
