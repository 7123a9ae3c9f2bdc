"""``devicefix explain``."""

from __future__ import annotations

import sys

import click

from devicefix.cli.exits import DONE, failures


@click.command("explain")
@click.argument("code")
def explain_command(code: str) -> int:
    """Say what the rule CODE (or the rule of that name) finds, why, and how safe its fix is."""
    from devicefix.engine.registry import load_codemods
    from devicefix.engine.selection import find_rule
    from devicefix.reporting import catalogue

    with failures():
        codemod = find_rule(code, load_codemods())
    catalogue.show_rule(codemod, sys.stdout)
    return DONE
