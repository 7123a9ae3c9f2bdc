"""A file's result in the user's editor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from devicefix.engine import Change
    from devicefix.proposals import Proposal, State

_NOTEBOOK: Final = ".ipynb"
_MOST: Final = 9
"""Files that one key can name."""


def chosen_file(proposal: Proposal, state: State) -> str | None:
    """Which of the files that a proposal changes is to be edited."""
    from devicefix.reporting.places import near

    changed = [f.path for f in state.files if any(proposal.id in h.proposals for h in f.hunks)]
    paths = [path for path in changed if not path.endswith(_NOTEBOOK)][:_MOST]
    if not paths:
        click.echo("Notebooks cannot be edited here.")
        return None
    if len(paths) == 1:
        return paths[0]
    for number, path in enumerate(paths, start=1):
        click.echo(f"{number}  {near(path)}")
    click.echo("Which file? ", nl=False)
    key = click.getchar()
    click.echo(key if key.isprintable() else "")
    return paths[int(key) - 1] if key.isdigit() and 1 <= int(key) <= len(paths) else None


def edited(path: str, offered: bytes, result: Change) -> bytes | None:
    """What becomes of ``offered`` in the editor; None where nothing that parses does."""
    from devicefix.proposals.by_hand import why_not
    from devicefix.reporting.terminal import printable

    data = offered
    while True:
        try:
            saved = click.edit(data, extension=".py")
        except click.ClickException as error:
            click.echo(printable(error.message))
            return None
        if saved is None:
            return None
        reason = why_not(saved, result, path)
        if reason is None:
            return saved
        data = saved
        line = f"line {reason.line}: " if reason.line is not None else ""
        click.echo(f"This cannot be written: {line}{printable(reason.reason)}")
        click.echo("Edit again? [y n] ", nl=False)
        key = click.getchar()
        click.echo(key if key.isprintable() else "")
        if key != "y":
            return None
