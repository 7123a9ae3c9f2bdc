"""The subcommands, each loaded when it is asked for: `devicefix --version` needs none of them."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Final

import click

NAMES: Final = (
    "check",
    "apply",
    "review",
    "undo",
    "redo",
    "run",
    "verify",
    "baseline",
    "migrate",
    "rules",
    "explain",
    "lsp",
    "mcp",
    "audit",
)
"""Each has its file in `devicefix.cli`, and there ``<name>_command``."""
_ELSEWHERE: Final = {"diff": "apply --dry-run", "fix": "apply", "lint": "check"}
"""Commands of other tools, and what they are here."""


class Commands(click.Group):
    """Knows what is meant by the name of a file, or of a command that other tools have."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Raises `click.UsageError` with what to type instead."""
        name = args[0]
        if name in _ELSEWHERE:
            ctx.fail(f"No such command {name!r}: use devicefix {_ELSEWHERE[name]}.")
        if name not in NAMES and Path(name).exists():
            ctx.fail(f"{name!r} is not a command: use devicefix check {name}")
        return super().resolve_command(ctx, args)


class Subcommands(MutableMapping[str, click.Command]):
    """By name, as click wants them; to list the names loads nothing."""

    def __init__(self) -> None:
        self._loaded: dict[str, click.Command] = {}
        self._names = list(NAMES)

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._loaded:
            if name not in NAMES:
                raise KeyError(name)
            module = importlib.import_module(f"devicefix.cli.{name}")
            self._loaded[name] = getattr(module, f"{name}_command")
        return self._loaded[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._loaded[name] = command
        if name not in self._names:
            self._names.append(name)

    def __delitem__(self, name: str) -> None:
        self._names.remove(name)
        self._loaded.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
