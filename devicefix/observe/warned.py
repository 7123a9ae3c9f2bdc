"""Warnings name the program's line, not the frame of our mode between it and torch."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

from devicefix.simulator.places import HOME, site


def warn_of_the_program() -> Callable[[], None]:
    """Print warnings with the program's place where they would name ours; returns what ends it."""
    original = warnings.formatwarning

    def formatwarning(
        message: Any, category: Any, filename: str, lineno: int, line: Any = None
    ) -> str:
        here = site(sys._getframe(1)) if filename.startswith(HOME) else None
        if here is not None:
            filename, lineno, line = here[0].co_filename, here[1], None
        return original(message, category, filename, lineno, line)

    def end() -> None:
        warnings.formatwarning = original

    warnings.formatwarning = formatwarning
    return end
