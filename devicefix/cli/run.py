"""``devicefix run``."""

from __future__ import annotations

import io
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from msgspec.structs import replace

from devicefix.cli import launching, recording, verifying
from devicefix.cli.exits import CANNOT
from devicefix.cli.options import Selection, make_settings
from devicefix.settings import SettingsError

if TYPE_CHECKING:
    from devicefix.engine import Remedy
    from devicefix.records import Run
    from devicefix.verification import Launch

_FORMATS: Final = ("text", "json", "html")
_QUIET: Final = frozenset({"SIGINT", "SIGPIPE"})
"""Signals of which a shell does not speak either."""


@click.command(
    "run", context_settings={"allow_interspersed_args": False}, options_metavar="[OPTIONS]"
)
@click.argument("program", nargs=-1, required=True, metavar="ENTRY [ARGS]...")
@click.option(
    "--device",
    default="sim:cuda",
    show_default=True,
    metavar="DEVICE",
    help="sim:cuda, sim:cuda:N for N devices, sim:mps, sim:xpu or sim:npu.",
)
@launching.is_module
@launching.python
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Stop the program and its child processes after this time: exit status 124.",
)
@click.option(
    "--memory",
    type=click.IntRange(min=1),
    metavar="MB",
    help="Stop it if its processes use more memory than this in total: exit status 137.",
)
@click.option(
    "--provenance/--no-provenance",
    default=True,
    help="Record where each tensor was created (default); without it, small operations are faster.",
)
@click.option(
    "--output-format",
    "report",
    type=click.Choice(_FORMATS),
    help="Write a report; its file is --output-file, or devicefix-run.txt, .json or .html.",
)
@click.option(
    "--output-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file of the report; without --output-format, its extension decides the format.",
)
@click.option(
    "--record",
    "evidence",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help=(
        "Record what the expressions in the files below the current folder were, for `check "
        "--evidence FILE`; an existing FILE is added to."
    ),
)
@click.option(
    "--try/--no-try",
    "tries",
    default=True,
    help="If a fix is found, run the program with it in a copy, to see whether it helps.",
)
@click.option(
    "--summary/--no-summary",
    default=None,
    help=(
        "Print the placement summary to stderr at the end. Default: if stderr is a terminal. "
        "--no-summary also leaves out the line that pytest prints about the device."
    ),
)
def run_command(
    program: tuple[str, ...],
    device: str,
    is_module: bool,
    python: str | None,
    timeout: float | None,
    memory: int | None,
    provenance: bool,
    report: str | None,
    output_file: Path | None,
    summary: bool | None,
    tries: bool,
    evidence: Path | None,
) -> int:
    """Run a program on a simulated GPU.

    ENTRY is a script, a notebook, a module (-m) or a command that starts Python, such as pytest;
    what follows it are its arguments. If tensors on two devices are combined, it shows where each
    one was created and moved, and what to change.

    Exit status: the program's own; 124 after --timeout, 137 after --memory, 128+N after signal N;
    2 if it could not run on the simulated GPU.
    """
    from devicefix.verification import Bounds, Launch, find_entry, launch

    with launching.launch_failures():
        file = _report_file(report, output_file)
        if evidence is not None:
            recording.check_file(evidence)
        interpreter = launching.chosen_interpreter(python)
        entry = find_entry(program[0], program[1:], interpreter, is_module)
        simulated = launching.simulated_device(device)
        sources = Path.cwd() if evidence is not None else None
        bounds = Bounds(timeout, memory)
        plan = Launch(entry, simulated, bounds, provenance, sources, summary is not False)
        launching.check_ready(plan.entry.python, plan.device)
        run = launch(plan)
    _tell_ending(run, plan)
    if evidence is not None:
        recording.record(run, evidence)
    remedy = _show_error(run, partial(_tried, program, is_module, plan) if tries else None)
    if summary or (summary is None and sys.stderr.isatty() and not _is_about_placement(run)):
        from devicefix.reporting import placement_summary

        placement_summary.show_summary(run, sys.stderr)
    if file is not None:
        _write_report(run, remedy, *file)
    return _status(run)


def _report_file(report: str | None, file: Path | None) -> tuple[str, Path] | None:
    """The format and the file, which can be written: nobody wants to hear that at the end."""
    if report is None and file is None:
        return None
    if report is None:
        assert file is not None
        suffix = file.suffix.removeprefix(".")
        report = suffix if suffix in _FORMATS else "text"
    if file is None:
        file = Path(f"devicefix-run.{'txt' if report == 'text' else report}")
    launching.check_writable(file)
    return report, file


def _tell_ending(run: Run, plan: Launch) -> None:
    """What the program cannot say itself."""
    sentence = _ending(run, plan)
    if sentence is not None:
        from devicefix.reporting.terminal import complain

        complain(f"devicefix: {sentence}")


def _ending(run: Run, plan: Launch) -> str | None:
    from devicefix.records import How

    ending = run.ending
    match ending.how:
        case How.TIMEOUT:
            return f"the program was stopped after {plan.bounds.seconds:g} seconds (--timeout)"
        case How.MEMORY:
            held, most = ending.megabytes, plan.bounds.megabytes
            return f"the program was stopped: it used {held} MB, more than {most} (--memory)"
        case How.SIGNAL if (name := _name(ending.signal or 0)) not in _QUIET:
            return f"the program was killed by signal {ending.signal}{f' ({name})' if name else ''}"
        case How.EXITED if not run.entered:
            return (
                "nothing ran on the simulated GPU: no Python process could be observed (python "
                "-I, -E and -S prevent it)"
            )
        case How.EXITED if missing := _missing(run):
            return f"the program cannot run here: {missing}"
    return None


def _missing(run: Run) -> str:
    """What ended the program although a GPU has it; empty where nothing of that kind."""
    from devicefix.records import missing_in

    failure = run.failure if run.ending.status else None
    return missing_in(failure.message) if failure is not None else ""


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return ""


def _status(run: Run) -> int:
    from devicefix.records import How

    if run.ending.how is not How.EXITED:
        return run.ending.status
    if run.refused is not None or not run.entered or _missing(run):
        return CANNOT
    return run.ending.status


def _is_about_placement(run: Run) -> bool:
    return run.failure is not None and run.failure.placement


def _show_error(run: Run, tried: Callable[[Run, Remedy], Remedy] | None) -> Remedy | None:
    """The screen about an device error; gives what `apply` would do about it."""
    failure = run.failure
    if failure is None or not failure.placement:
        return None
    from devicefix.engine import files_of, remedy
    from devicefix.reporting import placement_error

    found = None
    files = files_of(failure)
    if files:
        try:
            found = remedy(failure, make_settings(files, Selection()))
        except SettingsError:
            found = None
    if found is not None and found.left is None and tried is not None:
        found = tried(run, found)
    placement_error.show_placement_error(failure, found, run.device, sys.stderr)
    return found


def _tried(program: tuple[str, ...], is_module: bool, plan: Launch, run: Run, it: Remedy) -> Remedy:
    """The remedy, and whether the program comes past the line with it."""
    from devicefix.records import How
    from devicefix.reporting.progress import waiting
    from devicefix.verification.trying import Failed, helps

    if run.failure is None or run.ending.how is not How.EXITED:
        return it
    failed = Failed(
        name=program[0],
        arguments=program[1:],
        is_module=is_module,
        python=plan.entry.python,
        device=run.device,
        seconds=run.ending.seconds,
        megabytes=plan.bounds.megabytes,
        failure=run.failure,
    )
    with verifying.cleared_away(), waiting("Trying the fix in a copy"):
        found = helps(failed, {path: (before, after) for path, before, after in it.rewritten})
    return replace(it, helps=found)


def _write_report(run: Run, remedy: Remedy | None, form: str, file: Path) -> None:
    from devicefix.cli.output import write_report

    write_report(file, _rendered(run, remedy, form))


def _rendered(run: Run, remedy: Remedy | None, form: str) -> str:
    if form == "text":
        from devicefix.reporting import placement_summary

        out = io.StringIO()
        placement_summary.write_summary(run, out)
        return out.getvalue()
    if form == "json":
        from devicefix.reporting import run_json

        return run_json.render(run, remedy) + "\n"
    from devicefix.reporting import run_html

    return run_html.render(run, remedy)
