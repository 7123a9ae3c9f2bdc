"""Programs in, facts out: one line per transfer, so that a test reads like a table."""

from __future__ import annotations

import ast
from collections.abc import Callable
from textwrap import dedent
from typing import Final

import pytest

from devicefix.flow import FileFacts, Transfer, analyse
from devicefix.source import Source

IMPORTS: Final = """\
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset
"""
MODEL: Final = """\
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
"""


def _look(head: str, program: str) -> FileFacts:
    return analyse(Source.from_text(head + dedent(program)))


def _line(transfer: Transfer) -> str:
    what = ast.unparse(transfer.tree).split("\n")[0]
    if transfer.name:
        what = f"{transfer.name} in {what}"
    place = "cpu"
    if transfer.device is not None:
        place = "+" * bool(transfer.device.preamble) + transfer.device.text
    arrow = "=>" if transfer.keyword else "->"
    doubt = "?" * bool(transfer.unsafe) + "!" * bool(transfer.blocked)
    return f"{transfer.offence.name} {what} {arrow} {place}{doubt}"


@pytest.fixture
def facts() -> Callable[[str], FileFacts]:
    """Everything that flow says of a program; it finds torch, NumPy and their usual names."""
    return lambda program: _look(IMPORTS, program)


@pytest.fixture
def moves() -> Callable[[str], list[str]]:
    """The transfers of a program, one line each.

    ``FACTORY torch.zeros(3) => device`` is a ``device=``, ``DATA x -> device`` a ``.to(device)``
    behind an expression, ``BATCH x in for …`` one below a statement; ``-> +device`` has to define
    the name first; a ``?`` stands behind what is unsafe, a ``!`` behind what is blocked.
    """
    return lambda program: [_line(t) for t in _look(IMPORTS, program).transfers]


@pytest.fixture
def beside_model() -> Callable[[str], list[str]]:
    """The same for a program that has a ``device`` and, on it, a ``model``."""
    return lambda program: [_line(t) for t in _look(IMPORTS + MODEL, program).transfers]
