"""``devicefix review``."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from msgspec import Struct
from msgspec.structs import replace

from devicefix.cli import launching, options, verifying
from devicefix.cli.exits import CANNOT, DONE, failures
from devicefix.cli.options import Selection, jobs, make_settings
from devicefix.cli.recovering import recovered
from devicefix.settings import Settings

if TYPE_CHECKING:
    from devicefix.proposals import ReviewSession
    from devicefix.review.model import ReviewModel, Subject
    from devicefix.review.proving import Prover

_EXTRA: Final = "the page needs starlette and uvicorn: pip install 'devicefix[review]'"


class ReviewOptions(Struct, frozen=True):
    """What the command line says; one field for each option."""

    paths: tuple[Path, ...]
    selection: Selection
    clear_outputs: bool
    command: str | None
    """What `--verify` runs."""
    devices: tuple[str, ...]
    python: str | None
    timeout: float
    memory: int | None
    tolerance: float | None
    port: int
    browser: bool
    start_over: bool
    allow_dirty: bool
    jobs: int


@click.command("review")
@options.paths
@options.selection
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
        'A command that the page may run, such as "python train.py --epochs 1", in a copy, '
        "before and after the accepted fixes. It runs when you start it on the page."
    ),
)
@verifying.devices
@launching.python
@verifying.timeout
@verifying.memory
@verifying.tolerance
@click.option(
    "--port",
    type=click.IntRange(min=0, max=65535),
    default=0,
    metavar="N",
    help="The port on 127.0.0.1. Default: any free port.",
)
@click.option("--browser/--no-browser", default=True, help="Whether to open a browser.")
@click.option("--start-over", is_flag=True, help="Discard earlier decisions.")
@click.option(
    "--allow-dirty",
    is_flag=True,
    help="Also rewrite files with uncommitted changes.",
)
@jobs
def review_command(**given: Any) -> int:
    """Review the fixes of PATHS side by side in the browser.

    You accept or reject each one. Only accepted fixes are written, when you click Write;
    `devicefix undo` reverts them. Decisions are kept for the next review of the same PATHS. The
    page is served on 127.0.0.1 only; the command ends when the page is closed.

    Exit status: 0 done, 2 the page could not be shown, or a file could not be processed.
    """
    asked = ReviewOptions(**given)
    try:
        from devicefix.review.serving import PortError, Wishes, serve
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] == "devicefix":
            raise
        raise click.ClickException(_EXTRA) from error
    with failures(), launching.launch_failures(), verifying.cleared_away():
        whole = recovered(asked.paths)
        model = _model(asked)
        if _is_empty(model):
            return _report_nothing(model)
        prover = _prover(asked, model) if asked.command is not None else None
        try:
            serve(model, prover, Wishes(asked.port, asked.browser), _tell)
        except PortError as error:
            raise click.ClickException(str(error)) from error
        except KeyboardInterrupt:
            pass  # that is how one ends it
    return _ended(model) if whole else CANNOT


def _model(asked: ReviewOptions) -> ReviewModel:
    from devicefix.review.model import ReviewModel

    settings = make_settings(asked.paths, asked.selection)
    settings = replace(settings, clear_outputs=settings.clear_outputs or asked.clear_outputs)
    if asked.start_over:
        from devicefix.proposals.store import Store

        Store(asked.paths).forget()
    return ReviewModel(_subject(asked, settings))


def _subject(asked: ReviewOptions, settings: Settings) -> Subject:
    from devicefix.engine import rehearsal
    from devicefix.engine.runner import no_progress
    from devicefix.proposals import ReviewSession
    from devicefix.proposals.store import Store
    from devicefix.reporting.progress import announced
    from devicefix.review.model import Subject

    paths = tuple(asked.selection.paths(asked.paths, settings))

    def session(several: bool) -> ReviewSession:
        trial = rehearsal(
            paths,
            settings,
            dry_run=True,
            progress=announced() if several else no_progress,
            jobs=asked.jobs if several else 1,
            since=asked.selection.since,
        )
        found = ReviewSession(trial, Store(asked.paths))
        trial.stay_in_this_process()
        return found

    names = shlex.join(map(str, asked.paths))
    return Subject(
        session,
        where=" ".join(str(path) if path.name else str(path.absolute()) for path in asked.paths),
        undo=f"devicefix undo {names}",
        again=f"devicefix review {names}",
        allow_dirty=asked.allow_dirty,
    )


def _prover(asked: ReviewOptions, model: ReviewModel) -> Prover:
    """Raises `LaunchError` now rather than when somebody waits for it."""
    from devicefix.cli.accepting import planned
    from devicefix.review.proving import Program, Prover

    run = verifying.RunOptions(
        asked.devices, asked.python, asked.timeout, asked.memory, asked.tolerance
    )
    command = asked.command or ""
    files = [file.path for file in model.session.state.files]
    request, target = planned(command, run, _above(files))
    return Prover(Program(request, target.before, command))


def _above(files: Sequence[str]) -> Path:
    """The folder that is copied: ours, or the one above it that holds all that may be changed."""
    here = os.path.realpath(Path.cwd())
    return Path(os.path.commonpath([here, *map(os.path.realpath, files)]))


def _tell(address: str) -> None:
    click.echo(f"Review: {address}")
    click.echo("It ends when the page is closed, or with Ctrl-C.", err=True)


def _is_empty(model: ReviewModel) -> bool:
    state = model.session.state
    return not (state.proposals or state.rejected or state.left)


def _report_nothing(model: ReviewModel) -> int:
    from devicefix.reporting import text

    state = model.session.state
    text.show_errors(state.errors)
    if state.checked:
        files = "1 file" if state.checked == 1 else f"{state.checked} files"
        click.echo(f"Nothing to review in {files}.")
    return CANNOT if state.errors else DONE


def _ended(model: ReviewModel) -> int:
    from devicefix.reporting import terminal, text

    errors = model.session.state.errors
    text.show_errors(errors)
    if model.written is None:
        terminal.complain(f"Nothing was written. To continue: {model.subject.again}")
        return CANNOT if errors else DONE
    for path in model.written["files"]:
        click.echo(f"wrote {terminal.printable(path)}")
    for line in model.written["errors"]:
        terminal.complain(line)
    terminal.complain(f"To revert: {model.subject.undo}")
    return CANNOT if errors or model.written["errors"] else DONE
