"""``devicefix verify``."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

import click

from devicefix.cli import launching, verifying

if TYPE_CHECKING:
    from devicefix.verification.result import Verification

_FORMATS: Final = ("text", "json", "markdown")
_SUFFIXES: Final = {".json": "json", ".md": "markdown"}


@click.command(
    "verify", context_settings={"allow_interspersed_args": False}, options_metavar="[OPTIONS]"
)
@click.argument("program", nargs=-1, required=True, metavar="ENTRY [ARGS]...")
@click.option(
    "--before",
    type=click.Path(path_type=Path),
    metavar="TREE",
    help="The folder with the program before the change. Default: as before the last apply.",
)
@click.option(
    "--after",
    type=click.Path(path_type=Path),
    metavar="TREE",
    help="The folder with the program after the change. Default: the current one.",
)
@verifying.devices
@launching.is_module
@launching.python
@verifying.timeout
@verifying.memory
@verifying.tolerance
@click.option(
    "--coverage",
    type=click.FloatRange(min=0, max=100),
    metavar="PERCENT",
    help=(
        "Minimum share of the arithmetic on the device. Default: more than none, and not less "
        "than before the change."
    ),
)
@click.option(
    "--output-format",
    "form",
    type=click.Choice(_FORMATS),
    help="Format of the output. Default: text.",
)
@click.option(
    "--output-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help=(
        "Write the output to this file; without --output-format, its extension decides the "
        "format. Text is printed as well."
    ),
)
def verify_command(
    program: tuple[str, ...],
    before: Path | None,
    after: Path | None,
    devices: tuple[str, ...],
    is_module: bool,
    python: str | None,
    timeout: float,
    memory: int | None,
    tolerance: float | None,
    coverage: float | None,
    form: str | None,
    output_file: Path | None,
) -> int:
    """Run a program before and after a change, and compare.

    ENTRY is a script, a notebook, a module (-m) or a command that starts Python, such as pytest;
    what follows it are its arguments. It runs in a copy of the folder. By default the last
    `devicefix apply` is verified.

    Exit status: 0 it does the same; 1 it does, but only partly runs on the device; 2 it could not
    be verified, or ran on no device before the change; 3 it differs; 4 it still fails on a device,
    as before; 5 nothing runs on the device; 6 it diverged on a real device.
    """
    from devicefix.reporting.progress import steps
    from devicefix.verification import Bounds
    from devicefix.verification.request import Candidate, Request
    from devicefix.verification.targets import find_target
    from devicefix.verification.verifying import verify

    form = _format(form, output_file)
    wanted = verifying.devices_named(devices)
    with launching.launch_failures(), verifying.cleared_away():
        interpreter = launching.chosen_interpreter(python)
        target = find_target(program[0], is_module, interpreter, before, after)
        verifying.check_devices(target.python, wanted)
        request = Request(
            name=target.name,
            arguments=program[1:],
            python=interpreter,
            is_module=is_module,
            folder=target.folder,
            roots=(target.before.root, target.after.root),
            devices=wanted,
            bounds=Bounds(timeout, memory),
            tolerance=tolerance,
            coverage=coverage / 100 if coverage is not None else None,
        )
        with steps() as progress:
            found = verify(request, target.before, Candidate(target.after), progress)
    _report(found, form, output_file, target.notes)
    return found.verdict.status


def _format(form: str | None, file: Path | None) -> str:
    if file is None:
        return form or "text"
    launching.check_writable(file)
    return form or _SUFFIXES.get(file.suffix, "text")


def _report(found: Verification, form: str, file: Path | None, notes: Sequence[str]) -> None:
    if file is None:
        _write(found, form, sys.stdout, notes)
        return
    _write(found, "text", sys.stdout, notes)
    from devicefix.cli.output import write_report

    report = io.StringIO()
    _write(found, form, report, notes)
    write_report(file, report.getvalue())


def _write(found: Verification, form: str, out: TextIO, notes: Sequence[str]) -> None:
    from devicefix.reporting import verify_json, verify_markdown, verify_text

    if form == "json":
        out.write(verify_json.render(found, notes) + "\n")
    elif form == "markdown":
        out.write(verify_markdown.render(found, notes))
    else:
        verify_text.show_verification(found, out, notes)
