"""Options that several commands share, and the settings they make."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from devicefix.settings import Settings, load_settings, why_no_version

_Command = TypeVar("_Command", bound=Callable[..., Any])

_PATH = click.Path(path_type=Path)


def _version(context: click.Context, option: click.Parameter, value: str | None) -> str | None:
    if value is not None and (reason := why_no_version(value)):
        raise click.BadParameter(reason.removeprefix("min-torch "), context, option)
    return value


_SELECTION = (
    click.option(
        "--select",
        multiple=True,
        metavar="CODE",
        help="Only these rules: codes, beginnings of codes or names, separated by commas.",
    ),
    click.option("--ignore", multiple=True, metavar="CODE", help="All rules but these."),
    click.option("--unsafe-fixes", is_flag=True, help="Fixes that may change meaning count, too."),
    click.option(
        "--min-torch",
        metavar="VERSION",
        callback=_version,
        help="The oldest torch that the code has to run with, such as 2.0.",
    ),
    click.option(
        "--no-python2", is_flag=True, help="Leave files of Python 2 as they are, and name them."
    ),
    click.option(
        "--config",
        type=click.Path(path_type=Path),
        help="The pyproject.toml to read; by default the nearest one above the paths.",
    ),
)

jobs = click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="The most processes that share the work; as many as there are processors by default.",
)

output_format = click.option(
    "--output-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="For people or for programs.",
)


paths = click.argument("paths", nargs=-1, required=True, type=_PATH)
paths_if_any = click.argument("paths", nargs=-1, type=_PATH)


def selection(command: _Command) -> _Command:
    """Selection and settings: what `check` and `apply` have in common."""
    for decorate in reversed(_SELECTION):
        command = decorate(command)
    return command


def make_settings(
    paths: Sequence[Path],
    select: Sequence[str],
    ignore: Sequence[str],
    unsafe_fixes: bool,
    config: Path | None,
    min_torch: str | None = None,
    no_python2: bool = False,
) -> Settings:
    """The settings of the project that ``paths`` belong to, with the options over them.

    Raises `SettingsError`.
    """
    settings = load_settings(_start(paths), config)
    if select:
        settings = replace(settings, select=_split(select))
    if ignore:
        settings = replace(settings, ignore=(*settings.ignore, *_split(ignore)))
    if min_torch is not None:
        settings = replace(settings, min_torch=min_torch)
    if no_python2:
        settings = replace(settings, python2=False)
    return replace(settings, unsafe_fixes=settings.unsafe_fixes or unsafe_fixes)


def _start(paths: Sequence[Path]) -> Path:
    """The folder that holds all of ``paths``."""
    try:
        start = Path(os.path.commonpath([os.path.normpath(path.absolute()) for path in paths]))
    except ValueError:  # on several drives
        return Path.cwd()
    return start if start.is_dir() else start.parent


def _split(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(item for value in values for item in value.split(",") if item)
