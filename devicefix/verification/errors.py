"""What keeps a program from being started."""

from __future__ import annotations


class LaunchError(Exception):
    """Raised with one sentence for the user: the program was not started."""
