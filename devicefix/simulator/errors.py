"""Why there is no simulated accelerator."""

from __future__ import annotations


class Refused(RuntimeError):  # noqa: N818 - not a mistake of the caller's
    """The simulator cannot or should not work here; the message says why, and what to do."""
