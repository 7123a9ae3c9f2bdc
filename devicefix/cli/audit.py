"""``devicefix audit``."""

from __future__ import annotations

from pathlib import Path

import click

from devicefix.audit import TARGETS
from devicefix.cli import options
from devicefix.cli.exits import CANNOT, DONE, failures
from devicefix.cli.options import Selection, make_settings

_FORMATS = ("text", "json", "markdown", "html")


@click.command("audit")
@options.paths
@options.excluding
@click.option(
    "--target",
    type=click.Choice(TARGETS),
    required=True,
    help="The accelerator that the code is to run on.",
)
@click.option(
    "--output-format",
    "form",
    type=click.Choice(_FORMATS),
    default="text",
    show_default=True,
    help="Format of the output.",
)
def audit_command(paths: tuple[Path, ...], selection: Selection, target: str, form: str) -> int:
    """Count what blocks another accelerator, and estimate the effort.

    Nothing is executed or changed. Exit status: 0, or 2 if a file could not be processed.
    """
    from devicefix.audit.auditing import audit
    from devicefix.reporting import audit_html, audit_json, audit_markdown, audit_text, text

    with failures():
        found = audit(paths, make_settings(paths, selection), target)
    renderers = {
        "text": audit_text.render,
        "json": audit_json.render,
        "markdown": audit_markdown.render,
        "html": audit_html.render,
    }
    click.echo(renderers[form](found), nl=False)
    text.show_errors(found.errors)
    return CANNOT if found.errors else DONE
