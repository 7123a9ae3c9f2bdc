"""Facts in one line each, so that a test reads like a table."""

from __future__ import annotations

import ast
from collections.abc import Callable
from textwrap import dedent

import pytest

from devicefix.flow import FileFacts, Transfer, analyse
from devicefix.source import Source

Facts = Callable[..., FileFacts]
Moves = Callable[..., list[str]]


def _facts(*parts: str) -> FileFacts:
    """The facts of a program that is written in parts."""
    return analyse(Source.from_text("".join(map(dedent, parts))))


def _moves(*parts: str) -> list[str]:
    """One line per transfer: offence, expression, and where to.

    ``+device`` is a name that has to be defined first; ``x in for …`` rebinds ``x`` below that
    statement; what is unsafe or blocked says why behind a ``?`` or ``!``.
    """
    return [_line(transfer) for transfer in _facts(*parts).transfers]


def _line(transfer: Transfer) -> str:
    what = ast.unparse(transfer.tree).split("\n")[0]
    if transfer.name:
        what = f"{transfer.name} in {what}"
    place = "cpu"
    if transfer.device is not None:
        place = ("+" if transfer.device.preamble else "") + transfer.device.text
    arrow = "=>" if transfer.keyword else "->"
    doubt = f" ? {transfer.unsafe}" if transfer.unsafe else ""
    block = f" ! {transfer.blocked}" if transfer.blocked else ""
    return f"{transfer.offence.name} {what} {arrow} {place}{doubt}{block}"


@pytest.fixture
def facts() -> Facts:
    """Everything that flow says about a program."""
    return _facts


@pytest.fixture
def moves() -> Moves:
    """The transfers of a program, one line each; ``=>`` is ``device=`` on a factory."""
    return _moves
