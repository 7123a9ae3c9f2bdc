"""``devicefix check``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from devicefix.cli import options
from devicefix.cli.exits import failures, status
from devicefix.cli.options import Selection, jobs, make_settings
from devicefix.cli.output import Output, output
from devicefix.engine import check


@click.command("check")
@options.paths
@options.selection
@jobs
@output
def check_command(paths: tuple[Path, ...], selection: Selection, jobs: int, output: Output) -> int:
    """Report what is wrong in PATHS and change nothing.

    Exit status: 0 nothing found, 1 findings, 2 some file could not be worked on.
    """
    from devicefix.reporting import progress, text
    from devicefix.reporting.account import Account

    with failures():
        settings = make_settings(paths, selection)
        report = check(paths, settings, progress.progress_bar, jobs=jobs)
    output.show(Account(report, "check"), lambda: text.show_check(report, sys.stdout))
    text.show_errors(report.errors)
    return status(report, found=bool(report.files))
