"""``devicefix undo``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

import click

from devicefix.cli.exits import CANNOT, DONE, failures
from devicefix.engine import Undoable, undo, undoable

_MOST: Final = 5
"""So many files are named."""


@click.command("undo")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--list", "listing", is_flag=True, help="List the runs that can be reverted, newest first."
)
def undo_command(paths: tuple[Path, ...], listing: bool) -> int:
    """Revert the last apply in this folder.

    That is the last one that was started in it or changed a file in it; with PATHS, the last one
    that changed them. Files that share a fix are reverted together. `devicefix redo` applies it
    again.

    Exit status: 0 done; 2 nothing to undo, or a file has changed since and was left unchanged.
    """
    from devicefix.reporting import places, text

    if listing:
        with failures():
            show_runs(undoable(paths), paths, "undo")
        return DONE
    with failures():
        report = undo(paths)
    for path in report.restored:
        click.echo(f"restored {places.near(path)}")
    text.show_errors(report.errors)
    return CANNOT if report.errors else DONE


def show_runs(found: Sequence[Undoable], paths: Sequence[Path], verb: str) -> None:
    """The runs that can be reverted or applied again, one per line."""
    from devicefix.reporting import terminal

    if not found:
        click.echo(f"nothing to {verb}{'' if paths else ' in this folder'}")
    for run in found:
        when = datetime.fromtimestamp(run.time).astimezone().strftime("%Y-%m-%d %H:%M:%S")
        count = "1 file" if len(run.files) == 1 else f"{len(run.files)} files"
        names = [terminal.printable(os.path.relpath(path)) for path in run.files]
        more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
        click.echo(f"{when}  {count}  {' '.join(run.codes)}  {', '.join(names[:_MOST])}{more}")
