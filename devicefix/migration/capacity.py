"""What a cluster of Ray can take, from what ``ray.nodes()`` says of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

_AT_LEAST: Final = 2

Node = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Need:
    """Of one request, all on one node."""

    cpus: float
    gpus: float

    def __str__(self) -> str:
        gpus = f" and {self.gpus:g} GPU{'s' * (self.gpus > 1)}" if self.gpus else ""
        return f"{self.cpus:g} CPU{'s' * (self.cpus > 1)}{gpus}"


def capacity_of(nodes: Sequence[Node], jobs: int | None) -> int:
    """How many requests may be under way, ``jobs`` at most.

    Twice as many as there are CPUs: those that wait keep a node busy while we are told of what has
    ended, and are what a cluster that grows by itself sees. Not more: each is held in memory.
    """
    cpus = sum(_has(node, "CPU") for node in nodes)
    taken = 2 * int(cpus) + _AT_LEAST
    return taken if jobs is None else min(jobs, taken)


def why_never(need: Need, nodes: Sequence[Node]) -> str:
    """Why no node could take it even if all were idle; empty where one could."""
    if any(_has(node, "CPU") >= need.cpus and _has(node, "GPU") >= need.gpus for node in nodes):
        return ""
    alive = sum(bool(node["Alive"]) for node in nodes)
    found = f"{alive} node{'s' * (alive != 1)}"
    return f"no node of the Ray cluster has {need} ({found} looked at)"


def _has(node: Node, resource: str) -> float:
    return float(node["Resources"].get(resource, 0.0)) if node["Alive"] else 0.0
