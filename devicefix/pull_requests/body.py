"""The part of a pull request's body that is ours; what people write around it stays."""

from __future__ import annotations

import re
from typing import Final

from devicefix.pull_requests.errors import PullRequestError

LONGEST: Final = 65_536
"""Characters that GitHub takes ("body is too long (maximum is 65536 characters)")."""
_BEGIN: Final = "<!-- devicefix: begin -->"
_END: Final = "<!-- devicefix: end -->"
_OURS: Final = re.compile(f"{re.escape(_BEGIN)}.*{re.escape(_END)}", re.DOTALL)
_PATCH: Final = re.compile(rf"{re.escape(_BEGIN)}\s*<!-- devicefix: patch ([0-9a-f]+) -->")


def new_body(text: str, patch: str) -> str:
    """``text`` with what is needed to find it again, and to know what it proposed."""
    mark = f"<!-- devicefix: patch {patch} -->\n" if patch else ""
    return f"{_BEGIN}\n{mark}\n{text.strip()}\n\n{_END}"


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
        raise PullRequestError(f"the body has {len(text)} characters; GitHub takes {LONGEST}")
    return text


def patch_of(body: str) -> str:
    """What the pull request proposed, as `new_body` was told; the empty string if nobody knows."""
    found = _PATCH.search(body.replace("\r\n", "\n"))
    return found[1] if found is not None else ""
