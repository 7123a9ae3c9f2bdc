"""``devicefix rules``."""

from __future__ import annotations

import sys

import click

from devicefix.cli.exits import DONE, failures
from devicefix.cli.options import output_format


@click.command("rules")
@output_format
def rules_command(output_format: str) -> int:
    """List all rules."""
    from devicefix.engine.registry import load_codemods
    from devicefix.reporting import catalogue

    with failures():
        codemods = load_codemods()
    if output_format == "json":
        click.echo(catalogue.rules_json(codemods))
    else:
        catalogue.show_rules(codemods, sys.stdout)
    return DONE
