"""Where the report of `check` and `apply` goes, and in which format."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from devicefix.cli.launching import check_writable
from devicefix.reporting.formats import FORMATS, GITHUB, TEXT, format_of, render

if TYPE_CHECKING:
    from devicefix.reporting.account import Account

_SOURCES = frozenset({".py", ".pyi", ".ipynb"})


class Output(Struct, frozen=True):
    """What the options say."""

    form: str = TEXT
    file: Path | None = None
    """None for stdout."""

    @property
    def for_people(self) -> bool:
        """Whether stdout is to be read, and not taken by a program."""
        return self.file is not None or self.form == TEXT

    def show(self, account: Account, show_text: Callable[[], None]) -> None:
        """Report ``account``; ``show_text`` brings the text to the terminal."""
        if self.for_people:
            show_text()
        if self.file is not None:
            write_report(self.file, render(account, self.form))
        elif self.form != TEXT:
            click.echo(render(account, self.form), nl=False)
        if self.form == GITHUB:
            _summarise(account)


def _summarise(account: Account) -> None:
    """Add to the summary of the job, where GitHub has named a file for it."""
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if not summary:
        return
    try:
        with Path(summary).open("a", encoding="utf-8", errors="backslashreplace") as out:
            out.write(render(account, "markdown"))
    except OSError as error:
        raise click.ClickException(f"{summary} cannot be written: {error.strerror}") from error


def write_report(file: Path, content: str) -> None:
    """Put a report into ``file``, whole or not at all. Raises `ClickException`."""
    from devicefix.engine.outputs import put_file

    try:
        # a name may be in any encoding; a report about it is better than none
        put_file(file, content.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise click.ClickException(f"{file} cannot be written: {error.strerror}") from error


def checked_file(context: click.Context, option: click.Parameter, file: Path | None) -> Path | None:
    """An option's file, if a report may go there: no source, and a folder that can be written."""
    if file is None:
        return None
    if file.suffix.lower() in _SOURCES:  # --output-file *.py, as a shell spells it out
        reason = f"{file} is a source file, which a report must not overwrite"
        raise click.BadParameter(reason, context, option)
    check_writable(file)
    return file


_OPTIONS = (
    click.option(
        "--output-format",
        type=click.Choice(FORMATS),
        help="Format of the output. Default: text.",
    ),
    click.option(
        "--output-file",
        type=click.Path(dir_okay=False, path_type=Path),
        callback=checked_file,
        help=(
            "Write the output to this file; without --output-format, its extension decides the "
            "format. Text is printed as well."
        ),
    ),
)


def output(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a report; ``command`` gets an `Output`, as ``output``."""

    @functools.wraps(command)
    def with_output(*arguments: Any, **given: Any) -> Any:
        form, file = given.pop("output_format"), given.pop("output_file")
        form = form or (format_of(file) if file is not None else TEXT)
        return command(*arguments, output=Output(form, file), **given)

    for decorate in reversed(_OPTIONS):
        with_output = decorate(with_output)
    return with_output
