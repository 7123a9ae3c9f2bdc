"""What is to be proposed, and what became of it."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import Final

_AUTHOR: Final = re.compile(r"\s*([^<>\n\r]+?)\s*<\s*([^<>\s]+@[^<>\s]+)\s*>\s*")


@dataclass(frozen=True, slots=True)
class Author:
    """Whose name a commit bears."""

    name: str
    email: str

    @classmethod
    def parse(cls, text: str) -> Author:
        """From ``Name <mail@example.org>``, as git writes it. Raises `ValueError`."""
        match = _AUTHOR.fullmatch(text)
        if match is None:
            raise ValueError(f"not of the form Name <mail@example.org>: {text!r}")
        return cls(match[1], match[2])


@dataclass(frozen=True, slots=True)
class NewContent:
    """What a file of the working tree is to hold."""

    path: str
    """Anywhere in the working tree."""
    before: bytes
    """What the change was made from, as it lies on the disk."""
    after: bytes


@dataclass(frozen=True, slots=True)
class Proposal:
    """One pull request: the branch that it comes from, and all that people see of it."""

    branch: str
    base: str
    """The branch that it is for."""
    files: tuple[NewContent, ...]
    title: str
    """Of a new pull request; people may give it another one later."""
    body: str
    """Markdown. What people write above and below it stays when it is replaced."""
    message: str
    """Of the commit."""
    author: Author
    gist: str = ""
    """What has to change for `body` to be another one; by default a word of it. Times vary."""
    date: int = 0
    """Of the commit, in seconds since 1970, so that the same changes are the same commit; 0: now"""


class Operation(enum.Enum):
    """What became of a proposal."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    """It is there already."""
    CLOSED = "closed"
    """There is nothing to propose any more."""
    NOTHING = "nothing"
    """There is nothing to propose, and was not."""
    KEPT = "kept"
    """Nothing was touched, as somebody else has worked on the branch."""
    DECLINED = "declined"
    """Nothing was touched, as somebody has closed a pull request with the same changes."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was done, and why."""

    operation: Operation
    reason: str
    """One sentence; it may hold what strangers wrote."""
    number: int | None = None
    """Of the pull request that this is about."""
    url: str = ""
    commit: str = ""
    """The head of the branch, where it is ours."""
