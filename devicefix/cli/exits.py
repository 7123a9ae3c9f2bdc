"""The exit status, and what ends a command with "could not do its work"."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import click

from devicefix.engine import EngineError, Report
from devicefix.reporting.terminal import printable
from devicefix.settings import SettingsError

DONE: Final = 0
FOUND: Final = 1
CANNOT: Final = 2


def status(report: Report, found: bool) -> int:
    """Errors outrank findings."""
    if report.errors:
        return CANNOT
    return FOUND if found else DONE


@contextmanager
def failures() -> Iterator[None]:
    """Turn what stops a whole command into one line on stderr."""
    try:
        yield
    except (EngineError, SettingsError) as error:
        raise click.ClickException(printable(str(error))) from error  # a path may hold anything
