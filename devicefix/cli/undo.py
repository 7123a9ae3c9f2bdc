"""``devicefix undo``."""

from __future__ import annotations

from pathlib import Path

import click

from devicefix.cli.exits import CANNOT, DONE, failures
from devicefix.engine import undo


@click.command("undo")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
def undo_command(paths: tuple[Path, ...]) -> int:
    """Revert the last apply in this folder, or the last one that changed PATHS.

    The last apply in this folder is the last one that was started in it or wrote below it. Files
    that share a fix are reverted together.

    Exit status: 0 done; 2 nothing to undo, or a file has changed since and was left unchanged.
    """
    from devicefix.reporting import terminal, text

    with failures():
        report = undo(paths)
    for path in report.restored:
        click.echo(f"restored {terminal.printable(path)}")
    text.show_errors(report.errors)
    return CANNOT if report.errors else DONE
