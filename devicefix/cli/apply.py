"""``devicefix apply``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from devicefix.cli.exits import failures, status
from devicefix.cli.options import jobs, make_settings, output_format, shared
from devicefix.engine import Report, apply


@click.command("apply")
@shared
@click.option("--dry-run", is_flag=True, help="Print the unified diff and write nothing.")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if anything would change.")
@jobs
@output_format
def apply_command(
    paths: tuple[Path, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    unsafe_fixes: bool,
    config: Path | None,
    dry_run: bool,
    check: bool,
    jobs: int,
    output_format: str,
) -> int:
    """Fix PATHS; `devicefix undo` takes it back.

    Exit status: 0 done, 1 with --check if anything would change, 2 some file failed.
    """
    from devicefix.reporting import progress, text

    with failures():
        settings = make_settings(paths, select, ignore, unsafe_fixes, config)
        report = apply(paths, settings, dry_run or check, progress.progress_bar, jobs=jobs)
    _show(report, output_format, dry_run, check)
    text.show_errors(report.errors)
    return status(report, found=check and bool(report.changes))


def _show(report: Report, output_format: str, dry_run: bool, check: bool) -> None:
    from devicefix.reporting import diff, json, text

    if output_format == "json":
        click.echo(json.render(report, "apply", dry_run or check))
    elif not dry_run:
        text.show_apply(report, sys.stdout, dry_run=check)
    else:
        if sys.stdout.isatty():
            diff.show_diffs(report, sys.stdout)
        else:
            diff.write_diffs(report, sys.stdout.buffer)
        text.show_apply(report, sys.stderr, dry_run=True)  # so that stdout is a patch
