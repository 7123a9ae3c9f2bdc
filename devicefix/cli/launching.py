"""What `run` and `verify` have in common: options, the interpreter, what keeps from starting."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import click

is_module = click.option(
    "-m", "is_module", is_flag=True, help="ENTRY is a module, as for `python -m`."
)
python = click.option(
    "--python",
    metavar="INTERPRETER",
    help=(
        "The Python interpreter that runs the program. Default: `python` of the active environment."
    ),
)


@contextmanager
def launch_failures() -> Iterator[None]:
    """Turn what keeps a program from being run into one line on stderr."""
    from devicefix.verification import LaunchError

    try:
        yield
    except LaunchError as error:
        raise click.ClickException(str(error)) from error


def simulated_device(text: str) -> str:
    """The device that ``text`` names, as it is usually written."""
    from devicefix.simulator.devices import parse

    try:
        return str(parse(text))
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--device") from None


def chosen_interpreter(python: str | None) -> str:
    """What runs the program. Raises `LaunchError`."""
    from devicefix.verification import default_interpreter, find_interpreter

    return find_interpreter(python) if python is not None else default_interpreter()


def check_ready(python: str, device: str) -> None:
    """Raises `LaunchError` where the interpreter ``python`` cannot have ``device``."""
    from devicefix.reporting.progress import waiting
    from devicefix.verification import check_readiness

    def trying() -> AbstractContextManager[object]:
        return waiting("Checking the simulated GPU with this version of torch, once")

    check_readiness(python, device, trying)


def check_writable(file: Path, option: str = "--output-file") -> None:
    """Raises `click.BadParameter`: nobody wants to hear that at the end of a long run."""
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise click.BadParameter(f"{file} cannot be written", param_hint=option)
