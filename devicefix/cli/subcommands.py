"""The subcommands, each loaded when it is asked for: `devicefix --version` needs none of them."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, MutableMapping
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
