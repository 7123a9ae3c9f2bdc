"""``devicefix undo``."""

from __future__ import annotations

from pathlib import Path

import click

from devicefix.cli.exits import CANNOT, DONE, failures
from devicefix.engine import undo


@click.command("undo")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
def undo_command(paths: tuple[Path, ...]) -> int:
    """Take back the last apply of this folder, or the last one that touched PATHS.

    Of this folder is what was started in it, or has written below it.

    What shares a fix with a file is taken back with it.

    Exit status: 0 done, 2 nothing to undo, or some file has changed since and was left.
    """
    from devicefix.reporting import terminal, text

    with failures():
        report = undo(paths)
    for path in report.restored:
        click.echo(f"restored {terminal.printable(path)}")
    text.show_errors(report.errors)
    return CANNOT if report.errors else DONE
