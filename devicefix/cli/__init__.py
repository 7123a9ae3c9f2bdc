"""The command line. Exit status: 0 done, 1 findings, 2 could not do its work; 2 outranks 1."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Sequence
from typing import Final

import click

from devicefix import __version__
from devicefix.cli.statuses import CANNOT
from devicefix.cli.subcommands import Commands, Subcommands

_INTERRUPTED: Final = 130
"""128 and the number of the signal, as shells report it."""
_ELSEWHERE: Final = {
    "--diff": "use devicefix apply --dry-run",
    "--fix": "check changes nothing; use devicefix apply",
    "--json": "use --output-format json",
}
"""Options of other tools, and what to use here."""
_BROKEN_PIPE: Final = 1
"""As click and rich exit when it happens before the last line."""


@click.group(
    cls=Commands, commands=Subcommands(), context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, "-V", "--version", prog_name="devicefix")
def cli() -> None:
    """Make PyTorch code run on any device."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Without ``arguments`` it is that of this process, which then guards a child that runs programs.
    """
    if arguments is None:
        from devicefix.own_process import ends_with_its_command

        ends_with_its_command()
        if _runs_programs(sys.argv[1:]):
            from devicefix.verification.guarding import guard

            ended = guard()
            if ended is not None:
                return ended
    return _run(arguments)


def _runs_programs(given: Sequence[str]) -> bool:
    """Whether this command starts programs of the user."""
    command = given[0] if given else ""
    verifies = any(option.partition("=")[0] == "--verify" for option in given)
    return command in ("run", "verify") or (command == "apply" and verifies)


def _run(arguments: Sequence[str] | None) -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a path may be in any encoding
    try:
        status = cli.main(arguments, prog_name="devicefix", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        if not isinstance(error, click.exceptions.NoArgsIsHelpError):  # that one has many lines
            from devicefix.reporting.terminal import printable

            # a name in it may be one that a shell has found for *; to click the message is final
            object.__setattr__(error, "message", printable(_with_hint(error)))
        error.show()
        return CANNOT
    except (click.Abort, KeyboardInterrupt):
        return _INTERRUPTED
    except OSError as error:
        return _ended_by(error)
    return status if isinstance(status, int) else 0


def _with_hint(error: click.ClickException) -> str:
    """Its message, and what to use instead of an option that other tools have."""
    option = error.option_name if isinstance(error, click.NoSuchOption) else ""
    if option not in _ELSEWHERE:
        return error.message
    error.possibilities = None  # type: ignore[attr-defined]  # it is one, with that option
    return f"{error.message.rstrip('.')}: {_ELSEWHERE[option]}."


def _ended_by(error: OSError) -> int:
    """What the system refuses and nobody expected, such as room for what is printed."""
    try:
        sys.stdout.flush()
    except OSError:  # it would be tried once more at exit, and Python would complain
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return _BROKEN_PIPE  # the reader has gone
    from devicefix.reporting.terminal import printable

    named = f"{error.filename}: " if error.filename is not None else ""
    with contextlib.suppress(OSError):
        click.echo(printable(f"Error: {named}{error.strerror or error}"), err=True)
    return CANNOT
