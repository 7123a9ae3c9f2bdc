"""``devicefix explain``."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

import click

from devicefix.cli.exits import DONE, failures
from devicefix.cli.options import Selection, make_settings, output_format
from devicefix.engine import Asked

_PLACES: Final = (
    re.compile(r"(?P<file>.+?\.ipynb):(?:cell )?(?P<cell>\d+):(?P<line>\d+)(?::(?P<column>\d+))?"),
    re.compile(r"(?P<file>.+?)(?P<cell>(?!))?:(?P<line>\d+)(?::(?P<column>\d+))?"),
)


@click.command("explain")
@click.argument("subject", metavar="CODE|FILE:LINE[:COLUMN]|NOTEBOOK:CELL:LINE[:COLUMN]")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="The pyproject.toml to read. Default: the nearest one above FILE.",
)
@click.option(
    "--evidence",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Also show what runs have recorded (`devicefix run --record FILE`).",
)
@output_format
def explain_command(
    subject: str,
    paths: tuple[Path, ...],
    config: Path | None,
    evidence: Path | None,
    output_format: str,
) -> int:
    """Explain a rule, or where the tensors on a line are, and why.

    CODE (or the name of a rule): what the rule finds, why, and how safe its fix is.

    FILE:LINE: for every tensor, module, array, loader and device on the line, where it is now and
    after the fix, where it was created and how it got here, what it is combined with, and which
    findings involve it. The program around FILE is analysed as a whole; PATHS are those that
    `check` would be given, by default the project of FILE. Cells of a notebook are counted from 1.
    """
    place = next(filter(None, (pattern.fullmatch(subject) for pattern in _PLACES)), None)
    if place is not None:
        chosen = Selection(config=config, evidence=evidence)
        return _explain_line(Path(place["file"]), _asked(place), paths, chosen, output_format)
    if paths or evidence is not None:
        what = "PATHS" if paths else "--evidence"
        raise click.UsageError(f"{what} can be given with FILE:LINE only")
    if Path(subject).is_file():
        raise click.UsageError(f"which line? devicefix explain {subject}:LINE")
    return _explain_rule(subject, output_format)


def _asked(place: re.Match[str]) -> Asked:
    cell, line, column = (int(place[n]) if place[n] else None for n in ("cell", "line", "column"))
    return Asked(line or 0, column, cell)


def _explain_rule(code: str, output_format: str) -> int:
    from devicefix.engine.registry import load_codemods
    from devicefix.engine.selection import find_rule
    from devicefix.reporting import catalogue

    with failures():
        codemod = find_rule(code, load_codemods())
    if output_format == "json":
        click.echo(catalogue.rules_json([codemod]))
    else:
        catalogue.show_rule(codemod, sys.stdout)
    return DONE


def _explain_line(
    file: Path,
    place: Asked,
    paths: tuple[Path, ...],
    chosen: Selection,
    output_format: str,
) -> int:
    from devicefix.engine import explain
    from devicefix.reporting import explanation

    with failures():
        settings = make_settings((*paths, file), chosen)
        explained = explain(file, place, paths, settings)
    if output_format == "json":
        click.echo(explanation.render(explained))
    else:
        explanation.show(explained, sys.stdout)
    return DONE
