"""``devicefix check -`` and ``devicefix apply -``: a text that comes from standard input."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from msgspec import Struct

from devicefix.cli.exits import failures, status
from devicefix.cli.options import Selection, make_settings
from devicefix.engine import Report, check, rehearsal

if TYPE_CHECKING:
    from devicefix.cli.apply import ApplyOptions
    from devicefix.cli.output import Output

_DASH: Final = Path("-")
_NAMELESS: Final = Path("<stdin>")

stdin_filename = click.option(
    "--stdin-filename",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help=(
        "With - as PATH: the file whose content standard input is. It decides which settings and "
        "which other files are used, and need not exist."
    ),
)


class Piped(Struct, frozen=True):
    """A text, and the file that it is, or is to be, the content of."""

    name: Path
    data: bytes

    @property
    def texts(self) -> dict[str, bytes]:
        """What takes the place of files, for reports."""
        return {str(self.name): self.data}


def is_piped(paths: Sequence[Path], name: Path | None) -> bool:
    """Whether ``paths`` ask for standard input. Raises `click.UsageError` where they do not fit."""
    if _DASH in paths and len(paths) > 1:
        raise click.UsageError("- (standard input) cannot be combined with other paths")
    if name is not None and _DASH not in paths:
        raise click.UsageError("--stdin-filename needs - (standard input) as PATH")
    return _DASH in paths


def read(name: Path | None) -> Piped:
    """Standard input to its end."""
    if sys.stdin is None:  # closed by whoever started us
        raise click.UsageError("- is standard input, and there is none")
    return Piped(name or _NAMELESS, sys.stdin.buffer.read())


def check_piped(
    piped: Piped, selection: Selection, output: Output, listing: bool, detail: str | None
) -> int:
    """What `check` says of the text; the exit status."""
    from devicefix.reporting import baseline_text, text
    from devicefix.reporting.account import Account

    with failures():
        settings = make_settings([piped.name], selection)
        overlay = {piped.name: piped.data}
        report = check([piped.name], settings, overlay=overlay, since=selection.since)
    account = Account(report, "check", texts=piped.texts, listing=listing)
    shown = text.Detail(detail or "normal")
    output.show(
        account,
        lambda: text.show_check(
            report, sys.stdout, listing=listing, detail=shown, texts=piped.texts
        ),
    )
    if shown is not text.Detail.QUIET:
        baseline_text.show_use(report.baseline)
    text.show_errors(report.errors)
    return status(report, found=bool(report.files))


def apply_piped(piped: Piped, asked: ApplyOptions) -> int:
    """Write the fixed text to stdout, or show what would be fixed; the exit status.

    Where it cannot be worked on, it comes out as it went in: nobody loses a text for an error.
    """
    from devicefix.reporting import text

    try:
        report = _rehearsed(piped, asked)
    except click.ClickException:
        if not asked.writes_nothing:
            _write(piped.data)
        raise
    if asked.writes_nothing:
        _show(report, piped, asked)
    else:
        _write(next((change.after for _, change in report.changes), piped.data))
    text.show_errors(report.errors)
    return status(report, found=asked.check and bool(report.changes))


def _rehearsed(piped: Piped, asked: ApplyOptions) -> Report:
    with failures():
        settings = asked.settings([piped.name])
        overlay = {piped.name: piped.data}
        since = asked.selection.since
        trial = rehearsal([piped.name], settings, True, overlay=overlay, since=since)
        return trial.report()


def _show(report: Report, piped: Piped, asked: ApplyOptions) -> None:
    from devicefix.reporting import diff, text
    from devicefix.reporting.account import Account

    def show_text() -> None:
        if asked.dry_run:
            diff.show_or_write(report)
        out = sys.stderr if asked.dry_run else sys.stdout
        shown = text.Detail(asked.detail or "normal")
        text.show_apply(
            report, out, dry_run=True, listing=asked.listing, detail=shown, texts=piped.texts
        )

    account = Account(report, "apply", True, texts=piped.texts, listing=asked.listing)
    asked.output.show(account, show_text)


def _write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
