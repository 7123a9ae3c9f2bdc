"""``devicefix apply``."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Final

import click
from click.core import ParameterSource

from devicefix.cli import launching, options, verifying
from devicefix.cli.exits import failures, status
from devicefix.cli.options import jobs, make_settings, output_format, selection
from devicefix.engine import Report, apply
from devicefix.settings import Settings

_ONLY_WITH_VERIFY: Final = {
    "keep_passing": "--keep-passing",
    "devices": "--device",
    "python": "--python",
    "timeout": "--timeout",
    "memory": "--memory",
    "tolerance": "--tolerance",
}


@click.command("apply")
@options.paths_if_any
@selection
@click.option("--dry-run", is_flag=True, help="Print the unified diff and write nothing.")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if anything would change.")
@click.option(
    "--clear-outputs",
    is_flag=True,
    help="Of notebooks: take out what is displayed below the cells that change.",
)
@click.option(
    "--verify",
    "command",
    metavar="CMD",
    help='Run CMD, such as "python train.py --epochs 1", before and after the fixes in a copy, and '
    "write only what passes. Unsafe fixes are tried as well, and kept where the run proves them.",
)
@click.option(
    "--keep-passing",
    is_flag=True,
    help="With --verify: where it does not pass with all fixes, write the rest.",
)
@verifying.devices
@launching.python
@verifying.timeout
@verifying.memory
@verifying.tolerance
@jobs
@output_format
@click.pass_context
def apply_command(
    context: click.Context,
    paths: tuple[Path, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    unsafe_fixes: bool,
    min_torch: str | None,
    no_python2: bool,
    config: Path | None,
    dry_run: bool,
    check: bool,
    clear_outputs: bool,
    command: str | None,
    keep_passing: bool,
    devices: tuple[str, ...],
    python: str | None,
    timeout: float,
    memory: int | None,
    tolerance: float | None,
    jobs: int,
    output_format: str,
) -> int:
    """Fix PATHS; `devicefix undo` takes it back.

    No program of yours is run unless --verify names one; then PATHS is the current folder by
    default, and --device, --python, --timeout, --memory and --tolerance are as for verify.

    Exit status: 0 done; 1 with --check if anything would change, with --verify if it does not pass
    with all fixes; 2 some file failed, or it could not be verified.
    """
    _check_options(context, paths, command, check)
    paths = paths or (Path(),)
    with failures():
        settings = make_settings(paths, select, ignore, unsafe_fixes, config, min_torch, no_python2)
    settings = replace(settings, clear_outputs=settings.clear_outputs or clear_outputs)
    if command is None:
        return _apply(paths, settings, dry_run, check, jobs, output_format)
    from devicefix.cli.accepting import Wish, apply_verified

    run = verifying.RunOptions(devices, python, timeout, memory, tolerance)
    wish = Wish(command, run, dry_run, keep_passing, jobs, output_format == "json")
    return apply_verified(paths, settings, wish)


def _check_options(
    context: click.Context, paths: tuple[Path, ...], command: str | None, check: bool
) -> None:
    """Raises `click.UsageError` for what does not go together."""
    if command is not None:
        if check:
            raise click.UsageError("--check runs nothing, and --verify does: choose one of them")
        return
    for name, option in _ONLY_WITH_VERIFY.items():
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option} is for --verify")
    if not paths:
        raise click.UsageError("Missing argument 'PATHS...'.", context)


def _apply(
    paths: tuple[Path, ...],
    settings: Settings,
    dry_run: bool,
    check: bool,
    jobs: int,
    output_format: str,
) -> int:
    from devicefix.reporting import progress, text

    with failures():
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
        diff.show_or_write(report)
        text.show_apply(report, sys.stderr, dry_run=True)  # so that stdout is a patch
