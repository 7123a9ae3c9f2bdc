"""A small project, with two files that share a fix, and what may never become of it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_MASKS: Final = """\
import torch


def causal(n):
    return torch.ones(n, n).tril()
"""
_MODEL: Final = """\
import torch
from masks import causal
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        return self.out(causal(x.size(1)) @ x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Net().to(device)(torch.randn(1, 8, 8, device=device)).sum())
"""
_CELL: Final = """\
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
net = torch.nn.Linear(2, 2).to(device)
print(net(torch.randn(3, 2)))
"""
SOURCES: Final = {
    "masks.py": _MASKS.encode(),
    "model.py": _MODEL.encode(),
    "note.ipynb": json.dumps(
        {
            "cells": [
                {
                    "cell_type": "code",
                    "execution_count": None,
                    "id": "a",
                    "metadata": {},
                    "outputs": [],
                    "source": _CELL.splitlines(keepends=True),
                }
            ],
            "metadata": {},
            "nbformat": 4,
            "nbformat_minor": 5,
        },
        indent=1,
    ).encode(),
}
TOGETHER: Final = ("masks.py", "model.py")
"""They share a fix."""
TEMPORARY: Final = re.compile(r"\.devicefix-.*\.tmp")


def plant(top: Path, sources: Mapping[str, bytes] = SOURCES) -> None:
    """A fresh project in ``top/tree``."""
    shutil.rmtree(top, ignore_errors=True)
    for name in ("tree", "state", "cache", "tmp"):
        (top / name).mkdir(parents=True)
    for name, content in sources.items():
        (top / "tree" / name).write_bytes(content)


def held(top: Path) -> dict[str, bytes]:
    """What the files of the project hold, but for unfinished ones of ours."""
    tree = top / "tree"
    files = (path for path in tree.rglob("*") if path.is_file())
    return {
        str(path.relative_to(tree)): path.read_bytes()
        for path in files
        if not TEMPORARY.fullmatch(path.name)
    }


def unfinished(top: Path) -> list[str]:
    """Files of ours that nobody needs any more."""
    found = (path for name in ("tree", "state") for path in (top / name).rglob("*"))
    return sorted(str(path) for path in found if TEMPORARY.fullmatch(path.name))
