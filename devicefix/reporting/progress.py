"""Progress on stderr, where somebody watches and there is enough to wait for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Final

from devicefix.reporting.terminal import console, printable

FEW: Final = 20
"""So many files are done before a bar could be read."""
_CLEAR: Final = "\r\x1b[2K"
"""Begins the line of a terminal anew."""


def progress_bar(files: Sequence[Path]) -> Iterable[Path]:
    """Pass ``files`` through, and show how many are done."""
    if len(files) <= FEW or not sys.stderr.isatty():
        return files
    from rich.progress import track

    return track(files, "Analysing files", console=console(sys.stderr), transient=True)


def announced() -> Callable[[Sequence[Path]], Iterable[Path]]:
    """As `progress_bar`; before the first time, a line says what begins, wherever it goes."""
    first = True

    def progress(files: Sequence[Path]) -> Iterable[Path]:
        nonlocal first
        if first:
            count = "1 file" if len(files) == 1 else f"{len(files)} files"
            sys.stderr.write(f"Looking at {count} …\n")
            sys.stderr.flush()
        first = False
        return progress_bar(files)

    return progress


def waiting(what: str) -> AbstractContextManager[object]:
    """Say what is being waited for, as long as it takes; nothing of it stays on the terminal."""
    if not sys.stderr.isatty():
        return nullcontext()
    return console(sys.stderr).status(what)


@contextmanager
def steps() -> Iterator[Callable[[str], None]]:
    """Gives what names the step that begins now; nothing of it stays on the terminal.

    No thread turns a wheel here: signals are for the one that waits for the program.
    """
    if not sys.stderr.isatty():
        yield lambda step: None
        return

    def name(step: str) -> None:
        sys.stderr.write(f"{_CLEAR}{printable(step)} …")
        sys.stderr.flush()

    try:
        yield name
    finally:
        sys.stderr.write(_CLEAR)
        sys.stderr.flush()
