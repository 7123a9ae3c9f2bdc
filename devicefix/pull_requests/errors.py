"""What keeps a pull request from being made."""

from __future__ import annotations


class PullRequestError(Exception):
    """Something that a person has to put right first; ``str()`` is for them, without secrets.

    Not so where it is ``transient``: a network, a limit, somebody who was faster.
    """

    transient: bool = False


class GitError(PullRequestError):
    """git refused; `reason` is what it said."""

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(f"{what}: {reason}")
        self.reason = reason


class OutdatedError(PullRequestError):
    """What was looked at is not in the base any more: it is to be looked at again."""


class UnauthorizedError(PullRequestError):
    """The server does not know the token: nothing else will succeed with it."""


class MovedError(PullRequestError):
    """A branch is not where it was a moment ago; nothing was changed."""

    transient = True
