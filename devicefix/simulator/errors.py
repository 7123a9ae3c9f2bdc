"""Why there is no simulated accelerator."""

from __future__ import annotations


class Refused(RuntimeError):
    """The simulator cannot or should not work here; the message says what was found and what to do."""
