"""What nobody could get back: changes that git does not have yet, in files to be rewritten."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from devicefix.engine import git
from devicefix.engine.errors import GitError, JournalError, UncommittedError
from devicefix.engine.journal import wrote_last
from devicefix.engine.report import Report
from devicefix.engine.since import says_the_same
from devicefix.engine.writing import digest

_AT_ONCE: Final = 200
"""Paths for one command line, which some systems bound by 32,767 characters."""
_NO_FILTER: Final = (b"unspecified", b"unset")
_SHOWN: Final = 10
_WAY_OUT: Final = "commit or stash them, or use --allow-dirty"


def refuse_uncommitted(report: Report) -> None:
    """Raises `UncommittedError` where ``report`` would rewrite what git could not bring back.

    That are files that git tracks and that differ from the last commit, or are staged so, but for
    what devicefix itself wrote last: then the next rule, or the next review, may go on. Files that
    git does not track are rewritten, and `untracked` names them. A run since the last commit is
    about nothing but such changes.
    """
    if report.of_uncommitted:
        return
    changes = {os.path.realpath(result.path): result.path for result, _ in report.changes}
    found = uncommitted(changes)
    if found:
        raise UncommittedError(_complaint([changes[file] for file in found]))


def uncommitted(files: Iterable[str]) -> tuple[str, ...]:
    """Those of ``files`` with changes of somebody's that git does not have, by their real paths.

    Raises `UncommittedError` where git refuses to say.
    """
    found: list[str] = []
    for root, inside in git.repositories(files).items():
        if root:
            found += _modified(root, inside)
    return tuple(sorted(_not_ours(found)))


def untracked(files: Iterable[str]) -> tuple[str, ...]:
    """Those of ``files`` in a repository that does not track them: `git diff` shows no change in
    them. Empty where git does not say."""
    real = {os.path.realpath(file): file for file in files}
    found: list[str] = []
    for root, inside in git.repositories(real).items():
        if root:
            found += (real[file] for file in _unknown(root, inside))
    return tuple(sorted(found))


def _unknown(root: str, files: Sequence[str]) -> Iterator[str]:
    for start in range(0, len(files), _AT_ONCE):
        some = files[start : start + _AT_ONCE]
        paths = [os.path.relpath(file, root) for file in some]
        try:
            answer = git.ask(root, "ls-files", "-z", "--", *paths)
        except GitError:
            return
        known = {str(Path(root, name)) for name in git.names(answer)}
        yield from (file for file in some if file not in known)


def _modified(root: str, files: Sequence[str]) -> Iterator[str]:
    try:
        for start in range(0, len(files), _AT_ONCE):
            yield from _dirty(root, files[start : start + _AT_ONCE])
    except git.NoRepositoryError:
        return  # a copy of a working tree, or no git at all
    except GitError as error:
        raise UncommittedError(
            f"cannot check for uncommitted changes: {error} (--allow-dirty skips this check)"
        ) from error


def _dirty(root: str, files: Sequence[str]) -> Iterator[str]:
    paths = [os.path.relpath(file, root) for file in files]
    answer = git.ask_of_files(
        root,
        "status",
        "--porcelain=v1",
        "-z",
        "--no-renames",
        "--untracked-files=no",
        "--ignore-submodules=all",
        "--",
        *paths,
    )
    there = (str(Path(root, line[3:])) for line in git.names(answer))  # behind "XY "
    changed = frozenset(files).intersection(there)
    filtered = _filtered(root, sorted(changed))
    yield from (f for f in changed if f not in filtered or not _says_the_same(root, f))


def _filtered(root: str, files: Sequence[str]) -> frozenset[str]:
    """Those that git keeps in another form, by a filter that was not run to compare them."""
    if not files:
        return frozenset()
    paths = [os.path.relpath(file, root) for file in files]
    said = git.ask(root, "check-attr", "-z", "filter", "--", *paths).split(b"\0")
    values = said[2::3]
    return frozenset(
        file for file, value in zip(files, values, strict=False) if value not in _NO_FILTER
    )


def _says_the_same(root: str, file: str) -> bool:
    try:
        return says_the_same(root, "HEAD", file)
    except GitError:
        return False


def _not_ours(files: Sequence[str]) -> Iterator[str]:
    last: Mapping[str, str] = {}
    if files:
        with contextlib.suppress(JournalError):  # nobody knows; so they may be somebody's
            last = wrote_last(files)
    for file in files:
        if file not in last or not _holds(file, last[file]):
            yield file


def _holds(file: str, wanted: str) -> bool:
    try:
        return digest(Path(file).read_bytes()) == wanted
    except OSError:
        return False


def _complaint(files: Sequence[str]) -> str:
    shown = ", ".join(itertools.islice(files, _SHOWN))
    more = f" and {len(files) - _SHOWN} more" if len(files) > _SHOWN else ""
    return f"nothing was written: uncommitted changes in {shown}{more}; {_WAY_OUT}"
