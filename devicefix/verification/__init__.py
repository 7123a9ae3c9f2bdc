"""Programs of the user, started in processes of their own, and compared before and after a change.

``devicefix run``: `entries` makes a command line, `environment` puts the simulator and the recorder
in front of it, `supervision` bounds it and passes signals on, `devicefix.records` reads what it
left.

``devicefix verify``: `trees` and `scratch` give one folder that holds either version; `execution`
runs one of them; `items` splits a run into single observations; `baseline` masks what differs
between two runs of the old program (their clocks differ, too); `alignment` pairs the observations
of two runs; `equality` and `tolerance` compare a pair; `verdicts` sums up, and asks whether work
has moved to the accelerator. A difference is told only after both programs were run once more.

``apply --run``: the package `loop`.

``apply --verify``: `trials` verifies one choice of fix groups, `search` looks for the largest set
that passes, `blame` names the groups at fault, `upgrades` tries unsafe groups.
"""

from __future__ import annotations

from devicefix.verification.entries import Entry, find_entry
from devicefix.verification.errors import LaunchError
from devicefix.verification.interpreters import default_interpreter, find_interpreter
from devicefix.verification.launching import Launch, launch
from devicefix.verification.readiness import (
    check_accelerator,
    check_devices,
    check_readiness,
)
from devicefix.verification.supervision import Bounds

__all__ = [
    "Bounds",
    "Entry",
    "Launch",
    "LaunchError",
    "check_accelerator",
    "check_devices",
    "check_readiness",
    "default_interpreter",
    "find_entry",
    "find_interpreter",
    "launch",
]
