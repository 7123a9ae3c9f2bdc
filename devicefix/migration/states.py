"""How far a repository has come, and which stage is next."""

from __future__ import annotations

import enum
from types import MappingProxyType
from typing import Final

from devicefix.migration.orders import Ending, Result, Stage


class State(enum.Enum):
    """Where a repository stands between two stages."""

    WAITING = "waiting"
    """Nothing is known of it yet."""
    REWRITTEN = "rewritten"
    """There are fixes."""
    PROVEN = "proven"
    """There are fixes, and the program passes with them."""
    PUBLISHED = "published"
    """A pull request has them."""
    LEFT = "left"
    """People decided otherwise: they work on the branch, or closed the pull request."""
    NOTHING = "nothing"
    """There is nothing to fix."""
    REJECTED = "rejected"
    """The program does not pass with the fixes."""
    UNPROVEN = "unproven"
    """It could not be found out whether it does."""
    FAILED = "failed"
    """A stage could not do its work, as often as it was tried."""


_AFTER: Final = MappingProxyType(
    {
        (Stage.REWRITE, Ending.CHANGED): State.REWRITTEN,
        (Stage.PROVE, Ending.CHANGED): State.PROVEN,
    }
)
_ALWAYS: Final = MappingProxyType(
    {
        Ending.NOTHING: State.NOTHING,
        Ending.REJECTED: State.REJECTED,
        Ending.UNPROVEN: State.UNPROVEN,
        Ending.FAILED: State.FAILED,
    }
)


def state_after(stage: Stage, result: Result, proves: bool) -> State:
    """Where a stage that ended so leads."""
    hopes = stage is Stage.REWRITE and proves and result.worth_proving
    if hopes and result.ending is Ending.NOTHING:  # fixes that only a run may prove
        return State.REWRITTEN
    return _AFTER.get((stage, result.ending)) or _ALWAYS[result.ending]


def next_stage(state: State, proves: bool, publishes: bool) -> Stage | None:
    """What is to be done now; None where nothing is."""
    if state is State.WAITING:
        return Stage.REWRITE
    if state is State.REWRITTEN and proves:
        return Stage.PROVE
    if state in (State.REWRITTEN, State.PROVEN) and publishes:
        return Stage.PUBLISH
    return None
