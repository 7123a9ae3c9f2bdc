"""``devicefix check``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from devicefix.cli import options
from devicefix.cli.exits import failures, status
from devicefix.cli.options import Selection, jobs, make_settings, output_format
from devicefix.engine import check


@click.command("check")
@options.paths
@options.selection
@jobs
@output_format
def check_command(
    paths: tuple[Path, ...], selection: Selection, jobs: int, output_format: str
) -> int:
    """Report what is wrong in PATHS and change nothing.

    Exit status: 0 nothing found, 1 findings, 2 some file could not be worked on.
    """
    from devicefix.reporting import json, progress, text

    with failures():
        settings = make_settings(paths, selection)
        report = check(paths, settings, progress.progress_bar, jobs=jobs)
    if output_format == "json":
        click.echo(json.render(report, "check"))
    else:
        text.show_check(report, sys.stdout)
    text.show_errors(report.errors)
    return status(report, found=bool(report.files))
