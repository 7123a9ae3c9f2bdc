"""One repository, as the file of its campaign has it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from devicefix.migration.orders import Stage
from devicefix.migration.states import State


@dataclass(frozen=True, slots=True)
class Row:
    """One repository, as it stands."""

    key: str
    name: str
    url: str
    state: State
    running: Stage | None
    """What is being done; of a campaign that was killed: what was."""
    failed: Stage | None
    """The stage that failed last, for good or not."""
    attempts: int
    """At the stage that is next, or at the one that has failed."""
    next_try: float
    """Not before; in seconds since 1970."""
    reason: str
    commit: str
    base: str
    number: int | None
    """Of its pull request."""
    request_url: str
    operation: str
    """What became of the pull request, as `Operation` has it."""
    seconds: float
    """That its stages took."""
    size: int
    updated: float


COLUMNS: Final = (
    "key, name, url, state, running, failed, attempts, next_try, reason, commit_name, base, "
    "number, request_url, operation, seconds, size, updated"
)


def row_of(values: Iterable[Any]) -> Row:
    """Of what was read by `COLUMNS`."""
    key, name, url, state, running, failed, *rest = values
    stage, last = (Stage(one) if one else None for one in (running, failed))
    return Row(key, name, url, State(state), stage, last, *rest)
