"""What a run that was ended by force has left half done is put right before the next one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click


def recovered(paths: Sequence[Path]) -> bool:
    """Put right what lies below ``paths`` and say so; whether all could be.

    Raises `JournalError`.
    """
    from devicefix.engine import recover
    from devicefix.reporting import terminal, text

    report = recover(paths)
    for path in report.restored:
        named = terminal.printable(path)
        click.echo(
            (f"restored {named}: an earlier run was interrupted in the middle of a fix"), err=True
        )
    text.show_errors(report.errors)
    return not report.errors
