"""What ends a command with "could not do its work", and how a report does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from devicefix.cli.statuses import CANNOT, DONE, FOUND
from devicefix.engine import EngineError, Report
from devicefix.reporting.terminal import printable
from devicefix.settings import SettingsError

__all__ = ["CANNOT", "DONE", "FOUND", "failures", "status"]


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
