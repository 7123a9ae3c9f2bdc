"""What a campaign and its client to a cluster say to each other: plain data that can be pickled."""

from __future__ import annotations

from dataclasses import dataclass

from devicefix.migration.orders import Order, Result, Stage


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which cluster, and how much of it."""

    address: str
    """As ``ray.init`` takes it; empty: one of this machine that ends with us."""
    jobs: int | None
    """Orders at once, at most; None: as many as the cluster takes."""
    patience: float
    """Seconds for which a node is waited for that has what an order needs; 0: it fails at once."""


@dataclass(frozen=True, slots=True)
class Request:
    """One stage of one order, to be done by a worker."""

    key: str
    stage: Stage
    order: Order
    before: Result | None
    """Of the stage before."""

    @property
    def gpus(self) -> float:
        """That it occupies: a proof may run on them, and to rewrite takes none."""
        return self.order.gpus if self.stage is Stage.PROVE else 0.0


@dataclass(frozen=True, slots=True)
class Ended:
    """What became of an request."""

    key: str
    stage: Stage
    result: Result


@dataclass(frozen=True, slots=True)
class Width:
    """How many requests may be under way; said every few seconds, as a sign of life."""

    requests: int


@dataclass(frozen=True, slots=True)
class Said:
    """One sentence for people, while the work goes on."""

    text: str


@dataclass(frozen=True, slots=True)
class Broken:
    """One sentence for people: the campaign cannot go on with this cluster."""

    text: str


Message = Ended | Width | Said | Broken
