"""How long a server wants to be left alone."""

from __future__ import annotations

from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final

from devicefix.pull_requests.errors import PullRequestError

_LIMITED: Final = frozenset({403, 429, 503})
_TOO_MANY: Final = 429
_LONGEST: Final = 3600.0
"""Seconds; GitHub's limits are those of an hour."""
_PLEASE: Final = 60.0
"""Seconds to wait where the server does not say how long."""


class LimitedError(PullRequestError):
    """The server wants to be left alone for `wait` seconds."""

    transient = True

    def __init__(self, reason: str, wait: float) -> None:
        super().__init__(f"{reason}; try again in {wait:.0f} s")
        self.wait = wait


def wanted(status: int, said: str, headers: Mapping[str, str], now: float) -> float | None:
    """The seconds that an answer asks for; None where it does not speak of a limit.

    The names of ``headers`` are in lower case; ``now``: seconds since 1970.
    docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
    """
    if status not in _LIMITED:
        return None
    seconds, reset = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
    if seconds.isdecimal():
        wait = float(seconds[:9])
    elif headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        wait = float(reset[:15]) - _server_time(headers, now) + 1
    elif status == _TOO_MANY or "rate limit" in said.lower():
        wait = _PLEASE
    else:
        return None
    return min(max(wait, 1.0), _LONGEST)


def _server_time(headers: Mapping[str, str], now: float) -> float:
    """Seconds since 1970 by the server's clock, if it says; ours may be wrong."""
    try:
        return parsedate_to_datetime(headers.get("date", "")).timestamp()
    except (TypeError, ValueError):
        return now
