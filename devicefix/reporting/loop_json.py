"""`apply --run` for programs: what runs have shown and repaired, as ``run`` in the report."""

from __future__ import annotations

from typing import Any

from devicefix.reporting.records_json import line_of, operand_of, place_of
from devicefix.verification.loop.outcome import Mended, Step, Stuck


def content_of(mended: Mended) -> dict[str, Any]:
    """The way to the last state of the program."""
    return {
        "runs": mended.runs,
        "device": mended.device,
        "repairs": [_step(step) for step in mended.steps],
        "stuck": _stuck(mended.stuck) if mended.stuck is not None else None,
    }


def _step(step: Step) -> dict[str, Any]:
    return {"at": place_of(step.at), "shown": step.shown, "done": step.words}


def _stuck(stuck: Stuck) -> dict[str, Any]:
    return {
        "shown": stuck.shown,
        "at": place_of(stuck.at),
        "operand": operand_of(stuck.operand) if stuck.operand is not None else None,
        "lines": [line_of(line) for line in stuck.lines],
        "tried": list(stuck.tried),
        "decision": stuck.decision,
        "exhausted": stuck.exhausted,
    }
