"""The trees before and after the last `apply`, from the journal and from the disk."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from devicefix.engine import JournalError
from devicefix.engine.journal import Rewritten, last_entry
from devicefix.engine.writing import digest
from devicefix.verification.errors import LaunchError
from devicefix.verification.trees import Tree

_INSTEAD: Final = "run it first, or compare two folders with --before and --after"


@dataclass(frozen=True, slots=True)
class Applied:
    """What a run of `apply` changed."""

    before: Tree
    after: Tree
    """The disk as it is."""
    notes: tuple[str, ...]
    """Which files have changed since."""


def last_apply(folder: Path) -> Applied:
    """The trees of the last run of `apply` that touched files below ``folder``.

    Their root is ``folder``, or the one above it that holds all files of that run. Raises
    `LaunchError` where there was none, or it has been taken back.
    """
    folder = Path(os.path.realpath(folder))
    try:
        files = last_entry(folder).files
    except JournalError as error:
        raise LaunchError(f"{error}; {_INSTEAD}") from None
    held = {file.path: _digest(file) for file in files}
    written = [file for file in files if held[file.path] != file.before]
    if not written:
        raise LaunchError(f"the last apply in {folder} was reverted; {_INSTEAD}")
    root = Path(os.path.commonpath([folder, *(file.path for file in written)]))
    return Applied(
        before=Tree(root, {_name(file, root): file.original_bytes for file in written}),
        after=Tree(root),
        notes=tuple(
            f"{_name(file, root)} has changed since it was applied"
            for file in written
            if held[file.path] != file.after
        ),
    )


def _digest(file: Rewritten) -> str | None:
    """Of what the file holds now; None where it cannot be read."""
    try:
        return digest(Path(file.path).read_bytes())
    except OSError:
        return None


def _name(file: Rewritten, root: Path) -> str:
    return Path(file.path).relative_to(root).as_posix()
