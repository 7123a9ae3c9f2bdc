"""``devicefix mcp``."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import click

from devicefix.cli.exits import DONE


@click.command("mcp")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    metavar="FOLDER",
    help="The only folder that the agent may use. Default: the current folder.",
)
def mcp_command(root: Path) -> int:
    """Start the MCP server for coding agents.

    Its tools explain, check, apply, run and verify. An agent starts it and talks to it over stdin
    and stdout (the Model Context Protocol). The tools `run` and `verify` execute the program; the
    others only read it, and `apply` writes only if the agent asks for that.
    """
    if importlib.util.find_spec("mcp") is None:
        raise click.ClickException("the server needs the MCP SDK: pip install 'devicefix[mcp]'")
    from devicefix.mcp import serving

    serving.over_stdio(root)
    return DONE
