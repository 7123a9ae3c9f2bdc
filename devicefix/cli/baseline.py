"""``devicefix baseline``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from devicefix.cli import options
from devicefix.cli.exits import failures, status
from devicefix.cli.options import Selection, jobs, make_settings


@click.command("baseline")
@options.paths
@options.rules
@click.option(
    "--baseline",
    "location",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help=(
        "The file to write. Default: `baseline` of the settings, else devicefix-baseline.json in "
        "the current folder."
    ),
)
@click.option(
    "--prune", is_flag=True, help="Only remove entries that are no longer found; add none."
)
@jobs
def baseline_command(
    paths: tuple[Path, ...], selection: Selection, location: Path | None, prune: bool, jobs: int
) -> int:
    """Record the findings in PATHS, to report only new ones later.

    `check` and `apply` with this baseline do not report them. Entries of other paths, and of rules
    that are not selected, are kept.

    Exit status: 0 done, 2 a file could not be processed.
    """
    from devicefix.engine.baseline import DEFAULT_NAME, from_here
    from devicefix.engine.recording import record_baseline
    from devicefix.reporting import baseline_text, progress, text

    with failures():
        settings = make_settings(paths, selection)
        configured = settings.baseline
        file = location or from_here(configured or DEFAULT_NAME)
        recorded = record_baseline(
            paths, settings, file, prune=prune, progress=progress.progress_bar, jobs=jobs
        )
    baseline_text.show_recorded(recorded, sys.stdout, named=bool(location or configured))
    text.show_errors(recorded.report.errors)
    return status(recorded.report, found=False)
