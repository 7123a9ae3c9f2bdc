"""Who does the work: processes of this machine, or a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from devicefix.migration.orders import Order, Result, Stage

LOCAL: Final = "local"
RAY: Final = "ray"
NAMES: Final = (LOCAL, RAY)
"""Processes of this machine, or the workers of a Ray cluster."""


class Executor(Protocol):
    """Does orders, several at once, each in a bounded process of its own.

    Whatever happens to such a process, its order ends with a `Result`: a crash, a worker that is
    lost, a bound that is reached are failures like others. Where nothing can be done any more,
    `submit` and `finished` raise `devicefix.migration.refusals.CampaignError`.
    """

    @property
    def room(self) -> int:
        """How many more orders would be begun at once."""

    def submit(self, key: str, stage: Stage, order: Order, before: Result | None = None) -> None:
        """Begin, or queue; ``before`` is the result of the stage before."""

    def finished(self, seconds: float) -> Iterator[tuple[str, Stage, Result]]:
        """What has ended meanwhile; waits up to ``seconds`` for the first."""

    def close(self) -> None:
        """End all that is running; what was not told is lost, and is done again another time."""
