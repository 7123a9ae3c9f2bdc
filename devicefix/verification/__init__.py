"""Programs of the user, started in processes of their own: what to start, with what, how long."""

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
