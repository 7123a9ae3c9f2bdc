"""Options that several commands share, and the settings they make."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from msgspec import Struct
from msgspec.structs import replace

from devicefix.settings import (
    STYLES,
    Settings,
    SettingsError,
    load_settings,
    place_of,
    why_no_version,
)

_PATH = click.Path(path_type=Path)


def _version(context: click.Context, option: click.Parameter, value: str | None) -> str | None:
    if value is not None and (reason := why_no_version(value)):
        raise click.BadParameter(reason.removeprefix("min-torch "), context, option)
    return value


_EXCLUDE = click.option(
    "--exclude",
    multiple=True,
    metavar="PATTERN",
    help="Skip these files and folders as well; patterns as in .gitignore.",
)
_RULES = (
    click.option(
        "--select",
        multiple=True,
        metavar="CODE",
        help="Only these rules: codes, code prefixes or names, separated by commas.",
    ),
    click.option("--ignore", multiple=True, metavar="CODE", help="All rules except these."),
    _EXCLUDE,
    click.option(
        "--unsafe-fixes",
        is_flag=True,
        help=("Include fixes that may change what the program does."),
    ),
    click.option(
        "--style",
        type=click.Choice(STYLES),
        help=(
            "How devices are chosen and queried: for CUDA and the CPU (the default), for any "
            "accelerator, with torch.accelerator, or by a function of the project that returns "
            "the device."
        ),
    ),
    click.option(
        "--min-torch",
        metavar="VERSION",
        callback=_version,
        help=(
            "The oldest torch version that the code has to run with, such as 2.0. Default: what "
            "the project declares (pyproject.toml, setup.cfg, setup.py, requirements*.txt, "
            "environment.yml, Pipfile), else what its README names, else 2.4."
        ),
    ),
    click.option(
        "--time-limit",
        metavar="SECONDS",
        type=click.FloatRange(min=0),
        help=(
            "CPU time for one program; one that takes longer is reported as not fully analysed. "
            "Default: 60; 0 means no limit."
        ),
    ),
    click.option("--no-python2", is_flag=True, help="Do not convert Python 2 files; report them."),
    click.option(
        "--config",
        type=click.Path(path_type=Path),
        help="The pyproject.toml to read. Default: the nearest one above the paths.",
    ),
)

_KNOWN = (
    click.option(
        "--baseline",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Do not report findings that are recorded in this file by `devicefix baseline`.",
    ),
    click.option("--no-baseline", is_flag=True, help="Ignore the baseline that the settings name."),
    click.option(
        "--evidence",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help=(
            "Where the source does not show what a value is, use what runs have recorded in FILE "
            "(`devicefix run --record FILE`); fixes that depend on it are never safe."
        ),
    ),
    click.option(
        "--since",
        metavar="REV",
        default="",
        help=(
            "Only groups of fixes with a finding on a line that changed since this git revision; "
            "REV... means since the branch left REV."
        ),
    ),
    click.option(
        "--force-exclude",
        is_flag=True,
        help="Exclude files even if PATHS name them explicitly, as pre-commit hooks do.",
    ),
)

jobs = click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Number of parallel processes. Default: the number of processors.",
)

no_cache = click.option(
    "--no-cache",
    is_flag=True,
    help="Analyse all files again, without cached results.",
)

remaining = click.option(
    "--remaining",
    "listing",
    is_flag=True,
    help="List every use of CUDA that remains, and why.",
)


def check_listing(listing: bool, since: str) -> None:
    """Raises `click.UsageError` where a run that looks at changed lines is to list what remains."""
    if listing and since:
        raise click.UsageError(
            "--remaining and --since cannot be combined: --remaining lists whole files"
        )


def detail(command: Callable[..., Any]) -> Callable[..., Any]:
    """``-q`` and ``-v``; ``command`` gets what `Detail` is called, as ``detail``."""
    quiet = "Print the findings only, one per line; with apply, those that remain."
    verbose = "List every fix and every place, and where each rule is described."
    for name, text in (("verbose", verbose), ("quiet", quiet)):
        option = click.option(f"-{name[0]}", f"--{name}", "detail", flag_value=name, help=text)
        command = option(command)
    return command


output_format = click.option(
    "--output-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Format of the output.",
)


def _here(
    context: click.Context, argument: click.Parameter, given: tuple[Path, ...]
) -> tuple[Path, ...]:
    return given or (Path(),)


paths = click.argument("paths", nargs=-1, type=_PATH, callback=_here)
"""The current folder where none is given."""


class Selection(Struct, frozen=True):
    """What the options say that the settings could say, too; one field for each option."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    unsafe_fixes: bool = False
    style: str | None = None
    min_torch: str | None = None
    time_limit: float | None = None
    no_python2: bool = False
    config: Path | None = None
    baseline: Path | None = None
    no_baseline: bool = False
    evidence: Path | None = None
    since: str = ""
    """What no setting says: the engine is asked for it."""
    force_exclude: bool = False

    def paths(self, given: Sequence[Path], settings: Settings) -> Sequence[Path]:
        """Those of ``given`` that are to be looked at."""
        if not self.force_exclude:
            return given
        from devicefix.engine.discovery import without_excluded

        return without_excluded(given, settings.exclude)


_Option = Callable[[Callable[..., Any]], Callable[..., Any]]


def rules(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options that choose rules and settings; ``command`` gets a `Selection`, as ``selection``."""
    return _selecting(command, _RULES)


def excluding(command: Callable[..., Any]) -> Callable[..., Any]:
    """The one that skips files, for a command that has no rules to choose from."""
    return _selecting(command, (_EXCLUDE,))


def selection(command: Callable[..., Any]) -> Callable[..., Any]:
    """The same, and options that say what is left out: a baseline, what has not changed."""
    return _selecting(command, (*_RULES, *_KNOWN))


def _selecting(command: Callable[..., Any], decorators: Sequence[_Option]) -> Callable[..., Any]:
    names = Selection.__struct_fields__

    @functools.wraps(command)
    def chosen_first(*arguments: Any, **given: Any) -> Any:
        chosen = {name: given.pop(name) for name in names if name in given}
        return command(*arguments, selection=Selection(**chosen), **given)

    with_selection: Callable[..., Any] = chosen_first
    for decorate in reversed(decorators):
        with_selection = decorate(with_selection)
    return with_selection


def make_settings(paths: Sequence[Path], chosen: Selection) -> Settings:
    """The settings of the project that ``paths`` belong to, with the options over them.

    Raises `SettingsError`.
    """
    settings = load_settings(_start(paths), chosen.config)
    check_rules(settings, _start(paths), chosen.config)
    if chosen.exclude:
        settings = replace(settings, exclude=(*settings.exclude, *chosen.exclude))
    if chosen.select:
        settings = replace(settings, select=_split(chosen.select))
    if chosen.ignore:
        settings = replace(settings, ignore=(*settings.ignore, *_split(chosen.ignore)))
    if chosen.min_torch is not None:
        settings = replace(settings, min_torch=chosen.min_torch)
    if chosen.style is not None:
        settings = replace(settings, style=chosen.style)
    if reason := settings.why_not():
        _refuse_style(reason, paths, chosen)
    if chosen.time_limit is not None:
        settings = replace(settings, time_limit=chosen.time_limit)
    if chosen.baseline is not None and chosen.no_baseline:
        raise click.UsageError("--baseline and --no-baseline cannot be combined")
    if chosen.baseline is not None or chosen.no_baseline:
        settings = replace(settings, baseline=str(chosen.baseline or ""))
    if chosen.evidence is not None:
        settings = replace(settings, evidence=str(chosen.evidence))
    if chosen.no_python2:
        settings = replace(settings, python2=False)
    return replace(settings, unsafe_fixes=settings.unsafe_fixes or chosen.unsafe_fixes)


def _refuse_style(reason: str, paths: Sequence[Path], chosen: Selection) -> None:
    """Raises what says where the style comes from, or the version that is too old for it."""
    if chosen.style is None:
        path, line = place_of("style", _start(paths), chosen.config)
        raise SettingsError(path, line, reason)
    if chosen.min_torch is None:
        path, line = place_of("min-torch", _start(paths), chosen.config)
        raise SettingsError(path, line, reason)
    raise click.UsageError(reason)


def check_rules(settings: Settings, start: Path, config: Path | None) -> None:
    """Raises `SettingsError`, which names the line, for rules that the settings name in vain."""
    keys = {"select": settings.select, "ignore": settings.ignore}
    for key, selectors in keys.items():
        if not selectors:
            continue
        from devicefix.engine.registry import load_codemods
        from devicefix.engine.selection import unknown_rule

        reason = unknown_rule(selectors, load_codemods())
        if reason:
            path, line = place_of(key, start, config)
            raise SettingsError(path, line, f"{key}: {reason}")


def _start(paths: Sequence[Path]) -> Path:
    """The folder that holds all of ``paths``."""
    try:
        start = Path(os.path.commonpath([os.path.normpath(path.absolute()) for path in paths]))
    except ValueError:  # on several drives
        return Path.cwd()
    return start if start.is_dir() else start.parent


def _split(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(item for value in values for item in value.split(",") if item)
