"""``devicefix check``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from devicefix.cli import options, piped
from devicefix.cli.exits import failures, status
from devicefix.cli.options import Selection, jobs, make_settings
from devicefix.cli.output import Output, output
from devicefix.engine import check


@click.command("check")
@options.paths
@options.selection
@piped.stdin_filename
@jobs
@options.no_cache
@options.remaining
@options.detail
@output
def check_command(
    paths: tuple[Path, ...],
    selection: Selection,
    stdin_filename: Path | None,
    jobs: int,
    no_cache: bool,
    listing: bool,
    detail: str | None,
    output: Output,
) -> int:
    """Report device problems in PATHS and change nothing. With - as PATH, read standard input.

    Exit status: 0 nothing found, 1 findings, 2 a file could not be processed.
    """
    options.check_listing(listing, selection.since)
    if piped.is_piped(paths, stdin_filename):
        return piped.check_piped(piped.read(stdin_filename), selection, output, listing, detail)
    from devicefix.reporting import baseline_text, progress, text
    from devicefix.reporting.account import Account

    with failures():
        settings = make_settings(paths, selection)
        paths = tuple(selection.paths(paths, settings))
        report = check(
            paths,
            settings,
            progress.progress_bar,
            jobs=jobs,
            since=selection.since,
            cached=settings.cache and not no_cache,
            counting=listing,
        )
    account = Account(report, "check", listing=listing)
    shown = text.Detail(detail or "normal")
    output.show(account, lambda: text.show_check(report, sys.stdout, listing=listing, detail=shown))
    if shown is not text.Detail.QUIET:
        baseline_text.show_use(report.baseline)
    text.show_errors(report.errors)
    return status(report, found=bool(report.files))
