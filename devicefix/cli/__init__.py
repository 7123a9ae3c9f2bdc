"""The command line. Exit status: 0 done, 1 findings, 2 could not do its work; 2 outranks 1."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import Final

import click

from devicefix.cli.apply import apply_command
from devicefix.cli.baseline import baseline_command
from devicefix.cli.check import check_command
from devicefix.cli.exits import CANNOT
from devicefix.cli.explain import explain_command
from devicefix.cli.lsp import lsp_command
from devicefix.cli.migrate import migrate_command
from devicefix.cli.review import review_command
from devicefix.cli.rules import rules_command
from devicefix.cli.run import run_command
from devicefix.cli.undo import undo_command
from devicefix.cli.verify import verify_command
from devicefix.reporting.terminal import printable

_INTERRUPTED: Final = 130
"""128 and the number of the signal, as shells report it."""
_BROKEN_PIPE: Final = 1
"""As click and rich exit when it happens before the last line."""


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="devicefix", prog_name="devicefix")
def cli() -> None:
    """Make PyTorch sources run on any device."""


for _command in (
    check_command,
    apply_command,
    review_command,
    undo_command,
    run_command,
    verify_command,
    baseline_command,
    migrate_command,
    rules_command,
    explain_command,
    lsp_command,
):
    cli.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a path may be in any encoding
    try:
        status = cli.main(arguments, prog_name="devicefix", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        # a name in it may be one that a shell has found for *; to click the message is final
        object.__setattr__(error, "message", printable(error.message))
        error.show()
        return CANNOT
    except (click.Abort, KeyboardInterrupt):
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader has gone; Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    return status if isinstance(status, int) else 0
