"""What is fuzzed: one thing that has to hold whatever the bytes are."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass


class ViolationError(Exception):
    """Something does not hold that has to, whatever the input."""


@dataclass(frozen=True, slots=True)
class Target:
    """One kind of input, and what has to hold of it.

    Whatever ``check`` raises is a finding: what devicefix says of bad input, it catches itself.
    """

    check: Callable[[bytes], None]
    seeds: Callable[[], Iterable[bytes]]
    """Inputs to begin with; the test-suite replays them."""
    longest: int = 4_096
    """Bytes of an input: small ones are quick, and say more when they fail."""
    mutate: Callable[[bytes, random.Random], bytes] | None = None
    """Makes another input of one, where changes of bytes alone would mostly give none that counts.
    """


def require(holds: bool, what: str) -> None:
    """Raise `ViolationError`, which says ``what``, unless it ``holds``."""
    if not holds:
        raise ViolationError(what)
