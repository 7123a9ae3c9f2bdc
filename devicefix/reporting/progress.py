"""Progress on stderr, where somebody watches and there is enough to wait for."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Final

from devicefix.reporting.terminal import console

FEW: Final = 20
"""So many files are done before a bar could be read."""


def progress_bar(files: Sequence[Path]) -> Iterable[Path]:
    """Pass ``files`` through, and show how many are done."""
    if len(files) <= FEW or not sys.stderr.isatty():
        return files
    from rich.progress import track

    return track(files, "Looking at files", console=console(sys.stderr), transient=True)


def waiting(what: str) -> AbstractContextManager[object]:
    """Say what is being waited for, as long as it takes; nothing of it stays on the terminal."""
    if not sys.stderr.isatty():
        return nullcontext()
    return console(sys.stderr).status(what)
