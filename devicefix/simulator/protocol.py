"""What the process of the self-test tells its parent: one line each, on its standard output."""

from __future__ import annotations

import sys
from collections.abc import Iterator

_MARK = "devicefix-selftest"
"""Begins the lines that are ours: torch may print, too."""

STEP = "step"
HOLDS = "holds"
FAILED = "failed"
REFUSED = "refused"


def say(kind: str, text: str) -> None:
    """Tell the parent, at once: the next thing may be a crash."""
    sys.stdout.write(f"{_MARK} {kind} {' '.join(text.split())}\n")
    sys.stdout.flush()


def heard(output: str) -> Iterator[tuple[str, str]]:
    """The kind and the text of each line that is ours."""
    for line in output.splitlines():
        mark, _, rest = line.partition(" ")
        if mark == _MARK:
            kind, _, text = rest.partition(" ")
            yield kind, text
