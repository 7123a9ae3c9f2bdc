"""How the simulator and its observer come into a process: through the environment.

A folder with a ``sitecustomize.py`` stands first on ``PYTHONPATH``. Children inherit it, whatever
starts them, and nothing of the program or its command line changes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from devicefix.verification.devices import CPU, is_simulated
from devicefix.verification.relocation import Relocation

ENTRANCE: Final = Path(__file__).parent.parent / "observe" / "entrance"
_PREFIX: Final = "DEVICEFIX_"
_KEPT: Final = frozenset({"DEVICEFIX_STATE_DIR"})
"""Of our own variables, those that users set; others belong to a run around this one."""
_CACHES: Final = "PYTHONPYCACHEPREFIX"
"""Keeps what was compiled by path and time of the source: two states of a file would be one."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What a verified process is told."""

    device: str
    """``cpu``, a simulated device, or the kind of a real one."""
    records: Path
    folder: Path
    """Where it works."""
    relocation: Relocation
    clock: int
    lines: Path | None
    """The file that says of which lines one wants to know whether they ran."""
    perturb: int | None
    provenance: bool = False
    """Whether it is of interest where each tensor comes from."""


def simulated(
    base: Mapping[str, str],
    device: str,
    records: Path | None,
    provenance: bool,
    sources: Path | None = None,
    summary: bool = True,
) -> dict[str, str]:
    """``base`` for a program that is to see ``device``.

    It leaves its records in ``records``; None for no record. With ``sources`` they say what the
    expressions of the files below that folder were. Without ``summary`` a pytest in it prints no
    line about the device.
    """
    observing = {} if records is None else {"DEVICEFIX_OBSERVE": str(records)}
    return {
        **entered(base),
        **observing,
        "DEVICEFIX_SIMULATE": device,
        "DEVICEFIX_PROVENANCE": "1" if provenance else "0",
        **({} if sources is None else seeing(sources, records)),
        **({} if summary else {"DEVICEFIX_SUMMARY": "0"}),
    }


def seeing(sources: Path, seen: Path | None) -> dict[str, str]:
    """What a process is told that is to look at the expressions of files below ``sources``, and to
    leave in ``seen`` what they were."""
    return {"DEVICEFIX_SEE": str(sources), "DEVICEFIX_SEEN": str(seen or "")}


def verified(base: Mapping[str, str], setup: Setup) -> dict[str, str]:
    """``base`` for a program whose observations are to be compared with those of another run."""
    simulates = is_simulated(setup.device)
    own = {name: setup.relocation.moved(base[name]) for name in base if name != _CACHES}
    told = {
        "DEVICEFIX_SIMULATE": setup.device if simulates else None,
        "DEVICEFIX_OBSERVE": str(setup.records),
        "DEVICEFIX_PROVENANCE": "1" if setup.provenance else "0",
        "DEVICEFIX_EVENTS": "1",
        "DEVICEFIX_DEVICE": setup.device,
        "DEVICEFIX_CLOCK": str(setup.clock),
        "DEVICEFIX_ROOTS": setup.relocation.variable,
        "DEVICEFIX_LINES": str(setup.lines) if setup.lines is not None else None,
        "DEVICEFIX_PERTURB": str(setup.perturb) if setup.perturb is not None else None,
        # No accelerator that is really there: the simulated one, or none, is what was asked for.
        "CUDA_VISIBLE_DEVICES": "" if simulates or setup.device == CPU else None,
        "PWD": str(setup.folder),
    }
    return {
        "PYTHONHASHSEED": "0",
        **entered(own),
        **{name: value for name, value in told.items() if value is not None},
    }


def entered(base: Mapping[str, str]) -> dict[str, str]:
    """``base`` with our entrance, and without what a run around this one has set."""
    own = {k: v for k, v in base.items() if not k.startswith(_PREFIX) or k in _KEPT}
    inherited = base.get("PYTHONPATH", "")
    return {**own, "PYTHONPATH": os.pathsep.join(filter(None, (str(ENTRANCE), inherited)))}
