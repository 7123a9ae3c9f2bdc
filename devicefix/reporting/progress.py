"""A progress bar on stderr, where somebody watches and there is enough to wait for."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
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
