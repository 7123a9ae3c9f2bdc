"""What a program asks for that no simulated accelerator has, read off the error that it gets.

A real GPU would do it: of the program such an error says nothing.
"""

from __future__ import annotations

import re
from typing import Final

_SAID: Final = re.compile(r"devicefix does not simulate [^\n]*")
"""How the message of `devicefix.simulator.NotSimulated` begins; others carry it in theirs."""
_WITHOUT_NCCL: Final = re.compile(r"Distributed package doesn't have NCCL")
"""torch/distributed/distributed_c10d.py: it was built for machines without GPU."""


def missing_in(text: str) -> str:
    """The sentence that says what is not simulated; empty where ``text`` is of something else."""
    found = _SAID.search(text)
    if found is not None:
        return found[0].strip()
    if _WITHOUT_NCCL.search(text):
        return "devicefix does not simulate NCCL, which connects real GPUs"
    return ""
