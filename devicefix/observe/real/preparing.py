"""What a process of a verification needs before its program runs, by the device of the run."""

from __future__ import annotations

from devicefix.observe.real.drawing import HostDraws
from devicefix.observe.real.nudging import Nudges
from devicefix.observe.real.settings import compute_as_the_host_does, hide_accelerators
from devicefix.observe.witness.assignment import Assignment
from devicefix.simulator.provenance import follow_threads


def prepare(assignment: Assignment) -> None:
    """Put the modes that the run needs below those that observe: what is counted is what the
    program asked for, not how it is done.
    """
    if assignment.device == "cpu":
        hide_accelerators()
    if assignment.is_real:
        compute_as_the_host_does()
        draws = HostDraws()  # type: ignore[no-untyped-call]
        draws.__enter__()  # type: ignore[no-untyped-call]
        follow_threads(draws)
    if assignment.perturb is not None:
        Nudges(assignment.perturb).__enter__()  # type: ignore[no-untyped-call]
