"""Which lines count: in a pull request those that it changes, elsewhere all."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

from devicefix.action.inputs import InputError
from devicefix.action.runner import Runner, annotate
from devicefix.engine import GitError, git

ALL: Final = "all"
"""As the input `since`: every line counts, in a pull request, too."""
_EVENTS: Final = frozenset({"pull_request", "pull_request_target"})
_COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SHALLOW: Final = (
    "all findings are reported: the checkout does not have the base of the pull request. "
    "With `fetch-depth: 2` in actions/checkout only those on changed lines are"
)


def revision(asked: str, runner: Runner, top: Path) -> str:
    """Since which revision lines count; the empty string for all of them."""
    if asked or runner.event not in _EVENTS:
        return "" if asked == ALL else asked
    if _has(top, "HEAD^2"):  # what GitHub checks out is the merge of the base and the branch
        return "HEAD^1"
    base = _base(runner)
    if base and _has(top, base):
        return f"{base}..."
    annotate("notice", _SHALLOW)
    return ""


def check_revision(asked: str, top: Path) -> None:
    """Raises `InputError` where git does not know the revision that the workflow names."""
    if asked not in ("", ALL) and not _has(top, asked.removesuffix("...")):
        raise InputError(
            f"input since: git knows no commit {asked!r}; with `fetch-depth: 0` actions/checkout "
            "fetches all of them"
        )


def _has(top: Path, name: str) -> bool:
    try:
        git.ask(str(top), "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    except GitError:
        return False
    return True


def _base(runner: Runner) -> str:
    """The commit that the pull request is for, as the event says."""
    try:
        event: Any = json.loads((runner.payload or Path()).read_bytes())
        base = event["pull_request"]["base"]["sha"]
    except (OSError, ValueError, LookupError, TypeError):
        return ""
    return base if isinstance(base, str) and _COMMIT.fullmatch(base) else ""
