"""``devicefix apply``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource
from msgspec import Struct
from msgspec.structs import replace

from devicefix.cli import launching, options, piped, verifying
from devicefix.cli.exits import CANNOT, failures, status
from devicefix.cli.options import Selection, jobs, make_settings
from devicefix.cli.output import Output, output
from devicefix.cli.recovering import recovered
from devicefix.engine import Report, apply
from devicefix.reporting.formats import TEXT
from devicefix.settings import Settings

if TYPE_CHECKING:
    from devicefix.cli.accepting import Wish

_ONLY_WITH_VERIFY: Final = {"keep_passing": "--keep-passing"}
_ONLY_WITH_RUN: Final = {"rounds": "--rounds"}
_ONLY_WITH_A_COMMAND: Final = {
    "devices": "--device",
    "python": "--python",
    "timeout": "--timeout",
    "memory": "--memory",
    "tolerance": "--tolerance",
}


class ApplyOptions(Struct, frozen=True):
    """What the command line says; one field for each option."""

    paths: tuple[Path, ...]
    selection: Selection
    dry_run: bool
    check: bool
    interactive: bool
    start_over: bool
    allow_dirty: bool
    clear_outputs: bool
    command: str | None
    """What `--verify` runs."""
    run: str | None
    """What `--run` runs."""
    rounds: int
    keep_passing: bool
    devices: tuple[str, ...]
    python: str | None
    timeout: float
    memory: int | None
    tolerance: float | None
    jobs: int
    listing: bool
    detail: str | None
    """`-q` or `-v`."""
    output: Output
    stdin_filename: Path | None

    @property
    def writes_nothing(self) -> bool:
        """Whether all files stay as they are."""
        return self.dry_run or self.check

    def settings(self, paths: Sequence[Path]) -> Settings:
        """Those of ``paths``. Raises `SettingsError`."""
        settings = make_settings(paths, self.selection)
        return replace(settings, clear_outputs=settings.clear_outputs or self.clear_outputs)


@click.command("apply")
@options.paths
@options.selection
@click.option(
    "--dry-run", is_flag=True, help=("Print the changes as a unified diff and write nothing.")
)
@click.option("--check", is_flag=True, help="Change nothing; exit 1 if there are fixes to apply.")
@click.option(
    "-i",
    "--interactive",
    is_flag=True,
    help="Ask about each fix, including unsafe ones, and write those you accept.",
)
@click.option("--start-over", is_flag=True, help="With -i: discard earlier decisions.")
@click.option(
    "--allow-dirty",
    is_flag=True,
    help="Also rewrite files with uncommitted changes.",
)
@click.option(
    "--clear-outputs",
    is_flag=True,
    help="In notebooks: clear the output of cells that change.",
)
@click.option(
    "--verify",
    "command",
    metavar="CMD",
    help=(
        'Run CMD, such as "python train.py --epochs 1", before and after the fixes, in a copy, '
        "and write only fixes that pass. Unsafe fixes are tried as well, and kept if the run "
        "verifies them."
    ),
)
@click.option(
    "--run",
    metavar="CMD",
    help=(
        "Run CMD on a simulated GPU, in a copy, and repair the device errors that the rules do not "
        "fix, one by one, until it runs there. Written only if it then passes as with --verify."
    ),
)
@click.option(
    "--rounds",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="With --run: the maximum number of runs to find device errors.",
)
@click.option(
    "--keep-passing",
    is_flag=True,
    help="With --verify: if not all fixes pass, write those that do.",
)
@verifying.devices
@launching.python
@verifying.timeout
@verifying.memory
@verifying.tolerance
@piped.stdin_filename
@jobs
@options.remaining
@options.detail
@output
@click.pass_context
def apply_command(context: click.Context, /, **given: Any) -> int:
    """Apply the safe fixes to PATHS; `devicefix undo` reverts them.

    With - as PATH, standard input is fixed and printed. Your program runs only if --verify or
    --run names a command; --device, --python, --timeout, --memory and --tolerance are then as for
    verify.

    Exit status: 0 done; 1 with --check if there are fixes to apply, with --verify if not all fixes
    pass; 2 a file could not be processed, or the fixes could not be verified. With --verify and
    --run, if nothing passed, the status of the verdict (see verify).
    """
    asked = ApplyOptions(**given)
    _check_options(context, asked)
    if piped.is_piped(asked.paths, asked.stdin_filename):
        _check_piped(asked)
        return piped.apply_piped(piped.read(asked.stdin_filename), asked)
    with failures():
        settings = asked.settings(asked.paths)
        paths = tuple(asked.selection.paths(asked.paths, settings))
        whole = asked.writes_nothing or recovered(paths)
    ended = _applied(paths, settings, asked)
    return ended if whole else CANNOT


def _applied(paths: Sequence[Path], settings: Settings, asked: ApplyOptions) -> int:
    if asked.interactive:
        from devicefix.cli.interactive import Asked, apply_interactively

        wish = _wish(asked, asked.command) if asked.command is not None else None
        more = Asked(asked.jobs, asked.selection.since, asked.allow_dirty, asked.start_over, wish)
        return apply_interactively(paths, settings, more)
    if asked.run is not None:
        from devicefix.cli.mending import apply_mended

        return apply_mended(paths, settings, _wish(asked, asked.run), asked.rounds)
    if asked.command is None:
        return _apply(paths, settings, asked)
    from devicefix.cli.accepting import apply_verified

    return apply_verified(paths, settings, _wish(asked, asked.command))


def _wish(asked: ApplyOptions, command: str) -> Wish:
    from devicefix.cli.accepting import Wish

    run = verifying.RunOptions(
        asked.devices, asked.python, asked.timeout, asked.memory, asked.tolerance
    )
    return Wish(
        command,
        run,
        asked.dry_run,
        asked.allow_dirty,
        asked.keep_passing,
        asked.selection.since,
        asked.jobs,
        asked.output,
        asked.listing,
    )


def _check_options(context: click.Context, asked: ApplyOptions) -> None:
    """Raises `click.UsageError` for what does not go together."""
    options.check_listing(asked.listing, asked.selection.since)
    _check_interactive(asked)
    needing = dict(_ONLY_WITH_A_COMMAND)
    if asked.run is None:
        needing |= _ONLY_WITH_RUN
    if asked.command is None:
        needing |= _ONLY_WITH_VERIFY
    if asked.run is not None or asked.command is not None:
        _check_command(asked)
        needing = {name: needing[name] for name in needing if name not in _ONLY_WITH_A_COMMAND}
    for name, option in needing.items():
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            other = "--run" if name in _ONLY_WITH_RUN else "--verify"
            raise click.UsageError(f"{option} needs {other}")


def _check_command(asked: ApplyOptions) -> None:
    """Raises `click.UsageError` for what does not go with a program that is run."""
    option = "--verify" if asked.run is None else "--run"
    refused = {"--check": asked.check, "-q": asked.detail == "quiet"}
    if asked.run is not None:
        refused |= {"--verify": asked.command is not None, "--since": bool(asked.selection.since)}
    for other, given in refused.items():
        if given:
            raise click.UsageError(f"{other} and {option} cannot be combined")
    if asked.run is not None and not verifying.devices_named(asked.devices)[0].startswith("sim:"):
        raise click.UsageError("--run needs a simulated device: name it first (--device sim:cuda)")


def _check_piped(asked: ApplyOptions) -> None:
    """Raises `click.UsageError` where stdout is to take two things, or there would have to be a
    file."""
    if asked.interactive:
        raise click.UsageError(
            "-i needs the terminal for its questions, but standard input is the code to fix"
        )
    for option, command in (("--verify", asked.command), ("--run", asked.run)):
        if command is not None:
            raise click.UsageError(f"{option} runs files: it cannot be used with standard input")
    if not asked.writes_nothing and (asked.output.file or not asked.output.for_people):
        raise click.UsageError("the fixed text goes to stdout: use --dry-run or check for a report")


def _check_interactive(asked: ApplyOptions) -> None:
    if not asked.interactive:
        if asked.start_over:
            raise click.UsageError("--start-over needs -i")
        return
    others = {
        "--dry-run": asked.dry_run,
        "--check": asked.check,
        "--output-format": asked.output.form != TEXT,
        "--output-file": asked.output.file is not None,
        "--remaining": asked.listing,
        "--run": asked.run is not None,
        "-q": asked.detail == "quiet",
        "-": piped.is_piped(asked.paths, asked.stdin_filename),
    }
    for option, given in others.items():
        if given:
            raise click.UsageError(f"-i and {option} cannot be combined")


def _apply(paths: Sequence[Path], settings: Settings, asked: ApplyOptions) -> int:
    from devicefix.reporting import progress, text

    with failures():
        report = apply(
            paths,
            settings,
            asked.writes_nothing,
            progress.progress_bar,
            jobs=asked.jobs,
            allow_dirty=asked.allow_dirty,
            since=asked.selection.since,
        )
    _show(report, asked)
    text.show_errors(report.errors)
    return status(report, found=asked.check and bool(report.changes))


def _show(report: Report, asked: ApplyOptions) -> None:
    from devicefix.reporting import diff, text
    from devicefix.reporting.account import Account

    def show_text() -> None:
        if not asked.dry_run:
            text.show_apply(
                report, sys.stdout, dry_run=asked.check, listing=asked.listing, detail=shown
            )
            return
        diff.show_or_write(report)
        out = sys.stderr  # so that stdout is a patch
        text.show_apply(report, out, dry_run=True, listing=asked.listing, detail=shown)

    shown = text.Detail(asked.detail or "normal")
    dry = asked.writes_nothing
    account = Account(report, "apply", dry, written=not dry, listing=asked.listing)
    asked.output.show(account, show_text)
