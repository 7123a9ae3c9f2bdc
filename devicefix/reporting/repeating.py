"""The commands that repeat a verification, for whoever reads it in a pull request."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import PurePosixPath
from typing import Final

from devicefix.verification.devices import CPU
from devicefix.verification.result import Verification

_BEFORE: Final = "../before"
_HERE: Final = PurePosixPath()
_TICKS: Final = re.compile(r"`+")
_LONGEST: Final = 4000
_SAID: Final = (
    "**Repeat it** in a clone of this repository, on the branch of this pull request. Devices that "
    "begin with `sim:` are simulated: you need no such hardware, only Linux on x86-64 with "
    "torch 2.4 or later."
)


def repetition(verification: Verification, base: str, folder: PurePosixPath = _HERE) -> str:
    """What to type to see the same: ``verification`` was made in ``folder``, below the top of the
    repository; ``base`` is the branch that the pull request is for. Empty where nobody could type
    it."""
    merged = f'"$(git merge-base HEAD {shlex.quote(f"origin/{base}")})"'
    lines = [f"git worktree add --detach {_BEFORE} {merged}"]
    if folder != _HERE:
        lines.append(f"cd {shlex.quote(str(folder))}")
    before = os.path.relpath(PurePosixPath(_BEFORE, folder), folder)
    devices = ",".join(_devices(verification))
    options = ["--before", before, "--device", devices]
    lines.append(shlex.join(["devicefix", "verify", *options, *verification.entry]))
    text = "\n".join(lines)
    if len(text) > _LONGEST or not all(map(str.isprintable, lines)):
        return ""
    fence = "`" * max([3, *(len(ticks) + 1 for ticks in _TICKS.findall(text))])
    return f"{_SAID}\n\n{fence}sh\n{text}\n{fence}"


def _devices(verification: Verification) -> list[str]:
    found = [c.device for c in verification.comparisons if c.device != CPU]
    return found or [CPU]
