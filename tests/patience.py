"""Programs that have to come so far within bounds that are meant to end them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Ran = TypeVar("Ran")


def given_time(run: Callable[[float], Ran], came_so_far: Callable[[Ran], bool]) -> Ran:
    """What ``run`` gives within as few seconds as suffice: a busy machine needs more."""
    for seconds in (0.3, 1.0, 5.0, 20.0):
        found = run(seconds)
        if came_so_far(found):
            return found
    return run(60.0)
