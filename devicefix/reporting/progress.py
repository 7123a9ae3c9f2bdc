"""Progress on stderr, where somebody watches and there is enough to wait for."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Final

from devicefix.reporting.places import near
from devicefix.reporting.terminal import console, printable

PATIENCE: Final = 2.0
"""Seconds after which it is said what is in work."""
_CLEAR: Final = "\r\x1b[2K"
"""Begins the line of a terminal anew."""


def progress_bar(files: Sequence[Path]) -> Iterable[Path]:
    """Pass ``files`` through; what takes its time is named, with how many are done."""
    return _named(files) if sys.stderr.isatty() else files


def _named(files: Sequence[Path]) -> Iterator[Path]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    bar = Progress(*columns, console=console(sys.stderr), transient=True)
    task = bar.add_task("", total=len(files))
    shown = threading.Timer(PATIENCE, bar.start)
    shown.daemon = True
    shown.start()
    try:
        for file in files:
            bar.update(task, description=f"Analysing {printable(near(str(file)))}")
            yield file
            bar.advance(task)
    finally:
        shown.cancel()
        shown.join()
        bar.stop()


def announced() -> Callable[[Sequence[Path]], Iterable[Path]]:
    """As `progress_bar`; before the first time, a line says what begins, wherever it goes."""
    first = True

    def progress(files: Sequence[Path]) -> Iterable[Path]:
        nonlocal first
        if first:
            count = "1 file" if len(files) == 1 else f"{len(files)} files"
            sys.stderr.write(f"Analysing {count} …\n")
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
