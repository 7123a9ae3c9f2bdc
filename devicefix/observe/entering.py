"""What happens in the program's process right after it has imported torch."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

from devicefix import observe
from devicefix.observe.compiled import leave_ours_alone
from devicefix.observe.deferring import defer_compiler
from devicefix.observe.record import Record
from devicefix.observe.witness import current

REFUSED = 2
"""The exit status of a process in which the simulated accelerator could not be installed."""


def enter() -> None:
    """Install the accelerator and begin to observe, as the environment says.

    If the accelerator cannot be installed the process ends: the program would go on on the CPU, and
    its user would believe otherwise.
    """
    device = os.environ.get("DEVICEFIX_SIMULATE")
    directory = os.environ.get("DEVICEFIX_OBSERVE")
    defer_compiler()
    leave_ours_alone()
    if device:
        _install(device, directory)
    witness = current()
    if witness is not None:
        witness.prepare()
    if directory:
        provenance = os.environ.get("DEVICEFIX_PROVENANCE", "1") != "0"
        scope = None if witness is None else witness.scope()
        seen = observe.start(Path(directory), provenance, scope)
        if witness is not None:
            witness.attend(seen)


def _install(device: str, directory: str | None) -> None:
    try:
        from devicefix.simulator import install

        install(device)
    except Exception as error:  # of whatever kind: the program must not go on without it
        _refuse(_sentence(error), directory)


def _sentence(error: Exception) -> str:
    """Refusals and wrong names are sentences already; anything else is a fault of ours."""
    if type(error).__module__.startswith("devicefix.") or isinstance(error, ValueError):
        return str(error)
    return f"the simulated GPU could not be installed: {type(error).__name__}: {error}"


def _refuse(sentence: str, directory: str | None) -> NoReturn:
    if directory:
        Record(Path(directory)).refuse(sentence)
    sys.stdout.flush()
    sys.stderr.write(f"devicefix: {sentence}\n")
    sys.stderr.flush()
    # Not SystemExit: programs catch that around optional imports, and would go on without a device.
    os._exit(REFUSED)
