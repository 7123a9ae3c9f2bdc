"""Why a stage could not do its work, and what that means for the next time."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from devicefix.migration.errors import MigrationError, OutdatedCloneError
from devicefix.migration.orders import Result
from devicefix.pull_requests import (
    LimitedError,
    OutdatedError,
    PullRequestError,
    UnauthorizedError,
)


class Kind(enum.Enum):
    """What helps."""

    LASTING = "lasting"
    """A person."""
    PASSING = "passing"
    """Time: a network, a server that is broken."""
    OUTDATED = "outdated"
    """Beginning anew: what was looked at is not in the base any more."""
    LIMITED = "limited"
    """Leaving the server alone for a while."""
    UNAUTHORIZED = "unauthorized"
    """Another token; nothing else can be published with this one either."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Of one stage of one repository."""

    reason: str
    """One sentence; it may hold what strangers wrote."""
    kind: Kind = Kind.LASTING
    wait: float = 0.0
    """Seconds for which the server wants to be left alone."""


def of_result(result: Result) -> Failure:
    """What an executor tells of it."""
    if result.outdated:
        return Failure(result.reason, Kind.OUTDATED)
    return Failure(result.reason, Kind.PASSING if result.transient else Kind.LASTING)


def of_error(error: Exception) -> Failure:
    """What a pull request could not be made for; anything unknown is a bug, and lasting."""
    match error:
        case LimitedError():
            return Failure(str(error), Kind.LIMITED, error.wait)
        case OutdatedError() | OutdatedCloneError():
            return Failure(str(error), Kind.OUTDATED)
        case UnauthorizedError():
            return Failure(str(error), Kind.UNAUTHORIZED)
        case PullRequestError() | MigrationError():
            return Failure(str(error), Kind.PASSING if error.transient else Kind.LASTING)
        case OSError():
            return Failure(f"the operating system reported an error: {error}", Kind.PASSING)
    return Failure(f"{type(error).__name__}: {error}")
