"""``devicefix check``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from devicefix.cli import options
from devicefix.cli.exits import failures, status
from devicefix.cli.options import jobs, make_settings, output_format, selection
from devicefix.engine import check


@click.command("check")
@options.paths
@selection
@jobs
@output_format
def check_command(
    paths: tuple[Path, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    unsafe_fixes: bool,
    min_torch: str | None,
    no_python2: bool,
    config: Path | None,
    jobs: int,
    output_format: str,
) -> int:
    """Report what is wrong in PATHS and change nothing.

    Exit status: 0 nothing found, 1 findings, 2 some file could not be worked on.
    """
    from devicefix.reporting import json, progress, text

    with failures():
        settings = make_settings(paths, select, ignore, unsafe_fixes, config, min_torch, no_python2)
        report = check(paths, settings, progress.progress_bar, jobs=jobs)
    if output_format == "json":
        click.echo(json.render(report, "check"))
    else:
        text.show_check(report, sys.stdout)
    text.show_errors(report.errors)
    return status(report, found=bool(report.files))
