"""``devicefix migrate``."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from devicefix.cli import verifying
from devicefix.cli.exits import CANNOT, DONE, FOUND, failures
from devicefix.cli.output import checked_file, write_report
from devicefix.migration import executors
from devicefix.reporting.terminal import printable

if TYPE_CHECKING:
    from devicefix.migration.plan import Plan
    from devicefix.migration.rows import Row

_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
_START: Final = "start"
_NAMED: Final = 5
"""Repositories that a sentence names."""


class _PlanFirst(click.Group):
    """A group with a command that need not be named: ``migrate PLAN`` is ``migrate start PLAN``."""

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        known = (*self.commands, *self.get_help_option_names(context))
        if arguments and arguments[0] not in known:
            arguments = [_START, *arguments]
        return super().parse_args(context, arguments)


@click.group("migrate", cls=_PlanFirst)
def migrate_command() -> None:
    """Rewrite many repositories and propose the changes.

    `devicefix migrate PLAN` is `devicefix migrate start PLAN`. Each step is recorded before it is
    made: a campaign that was killed continues where it stopped when it is started again, and
    nothing is pushed or opened twice.
    """


_PLAN: Final = click.argument("file", metavar="PLAN", type=_FILE)
_JSON: Final = click.option(
    "--output-format",
    "form",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="Format of the output.",
)


def _run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for decorate in (
        _JSON,
        click.option(
            "-j",
            "--jobs",
            type=click.IntRange(min=1),
            metavar="N",
            help="Number of repositories in parallel. Default: as in the plan.",
        ),
        click.option(
            "--executor",
            type=click.Choice(executors.NAMES),
            help=(
                "Where the work runs: on this machine, or on a Ray cluster. Default: as in the "
                "plan."
            ),
        ),
        click.option(
            "--open-prs",
            is_flag=True,
            help="Push branches and open pull requests. Without it, nothing leaves this machine.",
        ),
    ):
        command = decorate(command)
    return command


@migrate_command.command(_START)
@_PLAN
@_run_options
def start_command(file: Path, **asked: Any) -> int:
    """Clone, rewrite and verify the repositories of PLAN.

    A campaign that was interrupted is continued: finished work is not repeated. With --open-prs,
    also open pull requests. Prints a line for each repository that is finished; as JSON, an object
    for each step.

    Exit status: 0 done, 1 fixes of some were rejected or not verified, 2 some failed or the plan
    cannot be used.
    """
    return _run(file, **asked)


@migrate_command.command("retry")
@_PLAN
@click.argument("names", metavar="[NAME]...", nargs=-1)
@_run_options
def retry_command(file: Path, names: Sequence[str], **asked: Any) -> int:
    """Retry the repositories that failed.

    With NAMEs, start these over from their newest commit. A NAME is the address or the name that
    `devicefix migrate status` shows. An open pull request is updated.
    """
    return _run(file, again=names, retry=True, **asked)


@migrate_command.command("status")
@_PLAN
@_JSON
def status_command(file: Path, form: str) -> int:
    """Show the progress of each repository of PLAN."""
    from devicefix.migration import progress
    from devicefix.migration.ledger import Ledger
    from devicefix.migration.schema import is_worked_on

    with _failures():
        plan = _plan(file)
        with Ledger.read(plan.database) as ledger:
            rows = ledger.rows()
        on = is_worked_on(plan.folder)
    if form == "json":
        repositories = [progress.as_json(row) for row in rows]
        head = {"campaign": plan.name, "folder": str(plan.folder), "running": on}
        said = {**head, "counts": progress.counts(rows), "repositories": repositories}
        click.echo(json.dumps(said, indent=2))
        return _status(rows)
    for row in rows:
        stage = row.running.value if row.running else ""
        doing = f"; {stage} {'runs' if on else 'was interrupted'}" if stage else ""
        click.echo(progress.line(row) + doing)
    _sum_up(rows, plan)
    return _status(rows)


@migrate_command.command("report")
@_PLAN
@click.option(
    "-o",
    "--output-file",
    "output",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=checked_file,
    required=True,
    help="The file of the page.",
)
def report_command(file: Path, output: Path) -> int:
    """Write an HTML page about the repositories of PLAN.

    For each: the outcome, its changes and their verification. It is one file that needs no network.
    It can be written while the campaign runs.
    """
    from devicefix.migration.accounting import account
    from devicefix.migration.ledger import Ledger
    from devicefix.reporting.campaign_html import render

    with _failures():
        plan = _plan(file)
        for taken, what in ((file, "the plan"), (plan.database, "the campaign's state")):
            if output.exists() and taken.exists() and output.samefile(taken):
                raise click.UsageError(f"{output} is {what}")
        with Ledger.read(plan.database) as ledger:
            page = render(account(plan, ledger))
    write_report(output, page)
    return DONE


def _run(
    file: Path,
    *,
    open_prs: bool,
    jobs: int | None,
    executor: str | None,
    form: str,
    again: Sequence[str] = (),
    retry: bool = False,
) -> int:
    from devicefix.migration import progress, starting, surroundings
    from devicefix.migration.campaign import due

    with _failures(), verifying.cleared_away():
        plan = _plan(file)
        surroundings.check_system()
        own = plan.work
        work = replace(own, jobs=jobs or own.jobs, executor=executor or own.executor)
        plan = replace(plan, work=work)
        if open_prs:
            starting.check_token(plan)
        with starting.opened(plan) as ledger:
            if retry:
                starting.retry(plan, ledger, again)
            entries = {entry.key: entry for entry in plan.entries}
            count = sum(due(entries[row.key], row, open_prs) is not None for row in ledger.rows())
            with progress.shown(count, form == "json") as tell:
                starting.started(plan, ledger, open_prs, tell).run()
            rows = ledger.rows()
    if form == "json":
        said = {"event": "end", "counts": progress.counts(rows), "exit_status": _status(rows)}
        click.echo(json.dumps(said))
    else:
        _sum_up(rows, plan)
        if not open_prs:
            click.echo("Nothing was pushed; --open-prs opens pull requests.", err=True)
        elif left := _elsewhere(plan, rows):
            click.echo(left, err=True)
    return _status(rows)


def _plan(file: Path) -> Plan:
    from devicefix.migration.plan_file import load_plan

    return load_plan(file)


def _sum_up(rows: Sequence[Row], plan: Plan) -> None:
    from devicefix.migration.progress import counts

    parts = [f"{count} {state}" for state, count in counts(rows).items()]
    many = "repository" if len(rows) == 1 else "repositories"
    click.echo(f"{plan.name}: {len(rows)} {many}: {', '.join(parts)}")


def _elsewhere(plan: Plan, rows: Sequence[Row]) -> str:
    """What is said of repositories that have changes, and no pull request on the plan's server."""
    from devicefix.migration.states import State

    known = {entry.key for entry in plan.entries if entry.forge_name}
    ready = (State.REWRITTEN, State.PROVEN)
    names = [row.name for row in rows if row.state in ready and row.key not in known]
    if not names:
        return ""
    server = plan.github.api.partition("://")[2].partition("/")[0]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    listed = printable(", ".join(names[:_NAMED]))
    return f"Not pushed, because they are not on {server}: {listed}{more}."


def _status(rows: Sequence[Row]) -> int:
    from devicefix.migration.states import State

    states = {row.state for row in rows}
    if State.FAILED in states:
        return CANNOT
    return FOUND if states & {State.REJECTED, State.UNPROVEN} else DONE


@contextmanager
def _failures() -> Iterator[None]:
    from devicefix.migration.refusals import CampaignError
    from devicefix.pull_requests import PullRequestError

    with failures():
        try:
            yield
        except (CampaignError, PullRequestError) as error:
            raise click.ClickException(printable(str(error))) from error
        except sqlite3.Error as error:
            raise click.ClickException(f"the campaign's state cannot be used: {error}") from error
        except BrokenPipeError:
            raise
        except OSError as error:
            raise click.ClickException(
                printable(f"the operating system reported an error: {error}")
            ) from error
