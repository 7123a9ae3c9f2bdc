"""How a campaign gets on: for people as lines with a bar below them, for programs as JSON lines."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from devicefix.migration.campaign import Happening, Tell
from devicefix.migration.rows import Row
from devicefix.migration.states import State
from devicefix.reporting.terminal import console, printable

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


@contextmanager
def shown(count: int, as_json: bool) -> Iterator[Tell]:
    """Gives what is to be told of each happening; ``count`` repositories have something to do."""
    if as_json:
        yield _json_line
    elif sys.stderr.isatty():
        with _bar() as progress:
            yield _Lines(count, progress)
    else:
        yield _Lines(count, None)


def counts(rows: Sequence[Row]) -> dict[str, int]:
    """How many repositories are in which state, in the order of the states."""
    found = Counter(row.state for row in rows)
    return {state.value: found[state] for state in State if found[state]}


def line(row: Row) -> str:
    """What has become of a repository, on one line; what strangers wrote is escaped."""
    about = row.request_url if row.state is State.PUBLISHED else row.reason
    what = f"{row.name}: {row.state.value}{f' ({about})' if about else ''}"
    return printable(what)


def as_json(row: Row) -> dict[str, Any]:
    """One repository, as it stands."""
    return {
        "name": row.name,
        "url": row.url,
        "state": row.state.value,
        "running": row.running.value if row.running else None,
        "failed_stage": row.failed.value if row.failed else None,
        "attempts": row.attempts,
        "next_try": row.next_try or None,
        "reason": row.reason,
        "commit": row.commit or None,
        "base": row.base or None,
        "pull_request": {"number": row.number, "url": row.request_url} if row.number else None,
        "operation": row.operation or None,
        "seconds": round(row.seconds, 3),
        "clone_bytes": row.size,
        "updated": row.updated,
    }


def _json_line(happening: Happening) -> None:
    said = {
        "event": happening.kind,
        "stage": happening.stage.value,
        "last": happening.is_last,
        **as_json(happening.row),
    }
    print(json.dumps(said), flush=True)  # noqa: T201


class _Lines:
    """A line for each repository that has come to its end, and one for what is put off."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._progress = progress
        self._task: TaskID | None = None
        if progress is not None:
            self._task = progress.add_task("", total=total)

    def __call__(self, happening: Happening) -> None:
        row = happening.row
        if happening.is_last:
            print(line(row), flush=True)  # noqa: T201
        elif happening.kind == "postponed":
            again = f"{row.name}: {happening.stage.value} is retried: {row.reason}"
            print(printable(again), flush=True)  # noqa: T201
        if self._progress is not None and self._task is not None:
            doing = printable(f"{happening.stage.value} {row.name}")
            self._progress.update(self._task, description=doing, advance=int(happening.is_last))
            self._progress.refresh()


def _bar() -> Progress:
    """It turns no wheel of its own: a process with threads is a bad one to fork."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        MofNCompleteColumn(),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
        console=console(sys.stderr),
        transient=True,
        auto_refresh=False,
        redirect_stdout=sys.stdout.isatty(),
    )
