"""``devicefix redo``."""

from __future__ import annotations

from pathlib import Path

import click

from devicefix.cli.exits import CANNOT, DONE, failures
from devicefix.cli.recovering import recovered
from devicefix.cli.undo import show_runs
from devicefix.engine import redo, redoable


@click.command("redo")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--list", "listing", is_flag=True, help="List the runs that can be applied again, newest first."
)
def redo_command(paths: tuple[Path, ...], listing: bool) -> int:
    """Apply again what the last undo in this folder reverted.

    With PATHS, what the last undo that changed them reverted. Files are written byte for byte,
    without an analysis. Those that share a fix are written together.

    Exit status: 0 done; 2 nothing to redo, or a file has changed since and was left unchanged.
    """
    from devicefix.reporting import places, text

    if listing:
        with failures():
            show_runs(redoable(paths), paths, "redo")
        return DONE
    with failures():
        if not recovered(paths or [Path()]):
            return CANNOT
        report = redo(paths)
    for path in report.applied:
        click.echo(f"applied again: {places.near(path)}")
    text.show_errors(report.errors)
    return CANNOT if report.errors else DONE
