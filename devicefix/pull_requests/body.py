"""The part of a pull request's body that is ours; what people write around it stays."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Final

from devicefix.pull_requests.errors import PullRequestError

LONGEST: Final = 65_536
"""Characters that GitHub takes ("body is too long (maximum is 65536 characters)")."""
_BEGIN: Final = "<!-- devicefix: begin -->"
_END: Final = "<!-- devicefix: end -->"
_OURS: Final = re.compile(f"{re.escape(_BEGIN)}.*{re.escape(_END)}", re.DOTALL)
_MARK: Final = re.compile(
    rf"{re.escape(_BEGIN)}\s*<!-- devicefix: patch ([0-9a-f]+) gist ([0-9a-f]+) -->"
)


@dataclass(frozen=True, slots=True)
class Mark:
    """What is remembered in a body, and not shown."""

    patch: str
    """The changes that are proposed, as `patch_id` names them."""
    gist: str
    """Of all that is said, as `gist_of` names it."""


def gist_of(text: str) -> str:
    """A short name of ``text``."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def new_body(text: str, mark: Mark | None = None) -> str:
    """``text`` with what is needed to find it again, and to know what it proposed."""
    line = f"<!-- devicefix: patch {mark.patch} gist {mark.gist} -->\n" if mark is not None else ""
    return f"{_BEGIN}\n{line}\n{text.strip()}\n\n{_END}"


def put_into(old: str, new: str) -> str:
    """``old`` with ``new`` in the place of what was ours; at its top, where nothing is.

    From the first mark to the last one: a mark in between is somebody's source text.
    Raises `PullRequestError` where it is too long.
    """
    old = old.replace("\r\n", "\n")  # the forms of a browser
    if _OURS.search(old):
        text = _OURS.sub(lambda _: new, old, count=1)
    else:
        text = f"{new}\n\n{old}".rstrip()
    if len(text) > LONGEST:
        raise PullRequestError(f"the body has {len(text)} characters; GitHub allows {LONGEST}")
    return text


def mark_of(body: str) -> Mark | None:
    """What `new_body` was told; None if nobody knows."""
    found = _MARK.search(body.replace("\r\n", "\n"))
    return Mark(found[1], found[2]) if found is not None else None
