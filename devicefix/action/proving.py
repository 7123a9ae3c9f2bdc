"""Verifying the fixes by running a program of the repository before and after them."""

from __future__ import annotations

import shutil

from devicefix.action.folders import working_in
from devicefix.action.inputs import Inputs
from devicefix.engine import Rehearsal
from devicefix.verification import (
    Bounds,
    LaunchError,
    check_devices,
    find_interpreter,
)
from devicefix.verification.acceptance import Acceptance
from devicefix.verification.gate import accept
from devicefix.verification.planning import Wanted, plan, root_of
from devicefix.verification.verifying import Verifier


def prove(trial: Rehearsal, inputs: Inputs) -> Acceptance:
    """What of the fixes may be proposed. Raises `LaunchError`."""
    wanted = Wanted(inputs.verify, inputs.devices, Bounds(inputs.timeout, None))

    def interpreter(named: str | None) -> str:
        return find_interpreter(inputs.python or named or _on_path())

    root = root_of(trial.report)
    with working_in(inputs.folder):
        request, target = plan(wanted, root, interpreter, check_devices)
    with Verifier(request, target.before, lambda step: None) as verifier:
        return accept(trial.report, verifier.verify, target.before.root)


def _on_path() -> str:
    """The Python of the job: ours is an environment of its own."""
    for name in ("python", "python3"):
        if shutil.which(name) is not None:
            return name
    raise LaunchError("python is not on the PATH; set it up in an earlier step")
