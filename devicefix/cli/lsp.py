"""``devicefix lsp``."""

from __future__ import annotations

import importlib.util

import click

from devicefix.cli.exits import DONE


@click.command("lsp")
@click.option(
    "--tcp",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help="Listen for an editor on this port of 127.0.0.1; 0 means any free port.",
)
def lsp_command(tcp: int | None) -> int:
    """Start the language server for editors.

    It shows findings while you type, quick fixes, and what is inferred about a value. An editor
    starts it and talks to it over stdin and stdout (the Language Server Protocol).
    """
    if importlib.util.find_spec("pygls") is None:
        raise click.ClickException("the server needs pygls: pip install 'devicefix[lsp]'")
    from devicefix.lsp import serving

    if tcp is None:
        serving.over_stdio()
    else:
        serving.over_tcp(tcp)
    return DONE
