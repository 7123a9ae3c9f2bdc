"""A process that is there for one command, and ends with it."""

from __future__ import annotations

import atexit
import gc
from typing import Final

_COLLECTIONS: Final = (50_000, 10, 10)
"""What is imported stays; by Python's default it is looked through again and again meanwhile."""


def ends_with_its_command() -> None:
    """Nothing that is left at the end of this process is looked through for garbage.

    Python does so twice, and the system takes back all of the memory anyway: of the check of a
    small program that was a quarter of the time.
    """
    gc.set_threshold(*_COLLECTIONS)
    atexit.register(gc.freeze)
