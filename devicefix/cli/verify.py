"""``devicefix verify``."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn, TextIO

import click

from devicefix.cli import launching
from devicefix.cli.exits import CANNOT, DONE, FOUND

if TYPE_CHECKING:
    from devicefix.verification.result import Verification

_FORMATS: Final = ("text", "json", "markdown")
_SUFFIXES: Final = {".json": "json", ".md": "markdown"}
_CPU: Final = "cpu"
_SECONDS: Final = 600.0


@click.command(
    "verify", context_settings={"allow_interspersed_args": False}, options_metavar="[OPTIONS]"
)
@click.argument("program", nargs=-1, required=True, metavar="ENTRY [ARGS]...")
@click.option(
    "--before",
    type=click.Path(path_type=Path),
    metavar="TREE",
    help="The folder with the program before the change; by default as before the last apply.",
)
@click.option(
    "--after",
    type=click.Path(path_type=Path),
    metavar="TREE",
    help="The folder with the program after it; by default the current one.",
)
@click.option(
    "--device",
    "devices",
    multiple=True,
    metavar="DEVICE",
    help="sim:cuda (default), sim:cuda:N, sim:mps, sim:xpu, cuda, mps, xpu or cpu; several times, "
    "or separated by commas.",
)
@launching.is_module
@launching.python
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="End each run after this time, and compare what it did so far.",
)
@click.option(
    "--memory",
    type=click.IntRange(min=1),
    metavar="MB",
    help="End a run if its processes hold more memory than this together.",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    metavar="NUMBER",
    help="How far numbers may be off on a device, relative to their size; by default not at all "
    "on a simulated one, and what the dtype asks for on a real one.",
)
@click.option(
    "--coverage",
    type=click.FloatRange(min=0, max=100),
    metavar="PERCENT",
    help="The least part of the arithmetic on the device; by default some, and not less than "
    "before the change.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    help="For people (default), for programs, or for a pull request.",
)
@click.option(
    "--output-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where that goes; without --format its name says in which format. Text is shown besides.",
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
    """Run a program before and after a change, and say whether it does the same.

    ENTRY is a script, a notebook, a module (-m) or a command that starts Python, such as pytest;
    what follows it is its own. It runs in a copy of the tree. By default the last `devicefix
    apply` is looked at.

    Exit status: 0 it does the same; 1 it does not, or less is computed on the device than before;
    2 it could not be found out, or the program ran nowhere before the change.
    """
    from devicefix.reporting.progress import steps
    from devicefix.verification import Bounds
    from devicefix.verification.request import Candidate, Request
    from devicefix.verification.targets import find_target
    from devicefix.verification.verifying import verify

    form = _format(form, output_file)
    wanted = _devices(devices)
    with launching.launch_failures(), _cleared_away():
        interpreter = launching.chosen_interpreter(python)
        target = find_target(program[0], is_module, interpreter, before, after)
        _check_devices(target.python, wanted)
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
    return _status(found)


def _format(form: str | None, file: Path | None) -> str:
    if file is None:
        return form or "text"
    launching.check_writable(file)
    return form or _SUFFIXES.get(file.suffix, "text")


def _devices(given: Sequence[str]) -> tuple[str, ...]:
    """Each device once, in the order in which they were named."""
    names = [name.strip() for words in given for name in words.split(",")]
    return tuple(dict.fromkeys(_device(name) for name in names or ["sim:cuda"]))


def _device(name: str) -> str:
    from devicefix.verification.readiness import REAL

    if name == _CPU or name in REAL:
        return name
    if name.startswith("sim:"):
        return launching.simulated_device(name)
    known = ", ".join(("sim:cuda, sim:cuda:N, sim:mps, sim:xpu", *REAL, _CPU))
    raise click.BadParameter(
        f"no device is called {name!r}; there are {known}", param_hint="--device"
    )


def _check_devices(python: str, devices: Sequence[str]) -> None:
    """Raises `LaunchError` where the interpreter ``python`` cannot have one of them."""
    from devicefix.verification import check_accelerator

    for device in devices:
        if device.startswith("sim:"):
            launching.check_ready(python, device)
        elif device != _CPU:
            check_accelerator(python, device)


@contextmanager
def _cleared_away() -> Iterator[None]:
    """Being told to end ends us as Ctrl-C does: the copy of the tree goes first."""

    def end(number: int, frame: object) -> NoReturn:
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _report(found: Verification, form: str, file: Path | None, notes: Sequence[str]) -> None:
    if file is None:
        _write(found, form, sys.stdout, notes)
        return
    _write(found, "text", sys.stdout, notes)
    try:
        with file.open("w", encoding="utf-8") as out:
            _write(found, form, out, notes)
    except OSError as error:
        raise click.ClickException(f"{file} cannot be written: {error.strerror}") from error


def _write(found: Verification, form: str, out: TextIO, notes: Sequence[str]) -> None:
    from devicefix.reporting import verify_json, verify_markdown, verify_text

    if form == "json":
        out.write(verify_json.render(found, notes) + "\n")
    elif form == "markdown":
        out.write(verify_markdown.render(found, notes))
    else:
        verify_text.show_verification(found, out, notes)


def _status(found: Verification) -> int:
    from devicefix.verification.result import Verdict

    if found.verdict is Verdict.PASS:
        return DONE
    return CANNOT if found.verdict in {Verdict.NO_BASELINE, Verdict.FAILED} else FOUND
