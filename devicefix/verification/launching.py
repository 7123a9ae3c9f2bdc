"""A run from its start to its records."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from devicefix.evidence import gather_evidence
from devicefix.records import Run, gather
from devicefix.verification.entries import Entry
from devicefix.verification.environment import simulated
from devicefix.verification.supervision import Bounds, supervise
from devicefix.verification.temporary import own_folder


@dataclass(frozen=True, slots=True)
class Launch:
    """What to run, on which device, and within which bounds."""

    entry: Entry
    device: str
    """As `devicefix.simulator.parse` reads it: ``sim:cuda``, ``sim:cuda:2``, ``sim:mps`` …"""
    bounds: Bounds
    provenance: bool = True
    """Whether every tensor's origin is kept, which costs time on small operations."""
    sources: Path | None = None
    """The folder of the files whose expressions are looked at; None for none."""
    summary: bool = True
    """Whether a pytest among its processes prints its line about the device."""


def launch(plan: Launch) -> Run:
    """Run the program to its end, with our own terminal and files. Raises `LaunchError`."""
    with own_folder("the records") as records:
        environment = simulated(
            os.environ, plan.device, records, plan.provenance, plan.sources, plan.summary
        )
        ending = supervise(plan.entry.command, environment, plan.bounds)
        gathered = gather(records)
        seen = gather_evidence(records)
    return Run(
        command=plan.entry.command,
        python=plan.entry.python,
        device=plan.device,
        ending=ending,
        records=gathered.records,
        entered=gathered.entered,
        notes=gathered.notes,
        seen=seen,
    )
