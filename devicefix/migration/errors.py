"""What ends the work on one repository."""

from __future__ import annotations


class MigrationError(Exception):
    """``str()`` says why, in one sentence; it may hold what strangers wrote."""

    transient = False
    """Whether it may be gone the next time."""


class CloneError(MigrationError):
    """There is no clone; nothing of the repository was executed."""


class OutdatedCloneError(CloneError):
    """The commit or the branch that was looked at before is not there any more."""


class EmptyError(CloneError):
    """There is no commit in the repository."""
