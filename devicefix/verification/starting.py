"""The start of a program: with all that we have, or apart from us."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from devicefix.verification.errors import LaunchError


@dataclass(frozen=True, slots=True)
class Apart:
    """A place of its own for a program: it gets neither our terminal nor our open streams."""

    folder: Path
    """Where it works."""
    stdin: int
    stdout: int
    stderr: int
    """Open files of ours that it gets as its streams."""


Starter = Callable[[tuple[str, ...], Mapping[str, str], "set[signal.Signals]", "Apart | None"], int]
"""Starts a command with an environment and a signal mask; gives its number."""


def start(
    command: tuple[str, ...],
    environment: Mapping[str, str],
    mask: set[signal.Signals],
    apart: Apart | None,
) -> int:
    """The number of the new process, which has the signals as we got them.

    Raises `LaunchError` where it cannot be started.
    """
    ignored_by_python = [signal.SIGPIPE, signal.SIGXFSZ]
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    more = _set_apart(apart) if apart is not None else {}
    try:
        with _working_in(apart.folder if apart is not None else None):
            return os.posix_spawn(
                command[0],
                command,
                environment,
                setsigmask=mask,
                setsigdef=ignored_by_python,
                **more,
            )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise LaunchError(f"{command[0]} cannot be started: {reason}") from None


def _set_apart(apart: Apart) -> dict[str, Any]:
    """A session of its own has no terminal: Ctrl-C reaches us alone, and no password is asked."""
    streams = ((apart.stdin, 0), (apart.stdout, 1), (apart.stderr, 2))
    return {
        "setsid": True,
        "file_actions": [(os.POSIX_SPAWN_DUP2, ours, theirs) for ours, theirs in streams],
    }


@contextmanager
def _working_in(folder: Path | None) -> Iterator[None]:
    """posix_spawn(3) knows no working directory: it takes ours, which we change for a moment."""
    if folder is None:
        yield
        return
    back = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.chdir(folder)
        yield
    finally:
        os.fchdir(back)
        os.close(back)
