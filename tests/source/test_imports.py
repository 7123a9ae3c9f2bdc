"""Local names and their origins."""

from __future__ import annotations

import ast

import pytest

from devicefix.source import bound_names


@pytest.mark.parametrize(
    ("text", "package", "names"),
    [
        ("import torch", "", {"torch": "torch"}),
        ("import torch as th", "", {"th": "torch"}),
        ("import torch.nn.functional", "", {"torch": "torch"}),
        ("import torch.nn.functional as F", "", {"F": "torch.nn.functional"}),
        ("import os, torch.nn as nn", "", {"os": "os", "nn": "torch.nn"}),
        ("from torch import nn", "", {"nn": "torch.nn"}),
        ("from torch import nn, zeros as z", "", {"nn": "torch.nn", "z": "torch.zeros"}),
        ("from torch import *", "", {"*": "torch"}),
        ("from . import x", "", {"x": ".x"}),
        ("from .m import x as y", "", {"y": ".m.x"}),
        ("from .. import x", "", {"x": "..x"}),
        ("from ..m import *", "", {"*": "..m"}),
        ("from . import *", "", {"*": "."}),
        ("from . import x", "p.q", {"x": "p.q.x"}),
        ("from .m import x", "p.q", {"x": "p.q.m.x"}),
        ("from .. import x", "p.q", {"x": "p.x"}),
        ("from ..m import *", "p.q", {"*": "p.m"}),
        ("from ... import x", "p.q", {"x": "...x"}),
    ],
)
def test_bound_names(text: str, package: str, names: dict[str, str]) -> None:
    (node,) = ast.parse(text).body
    assert isinstance(node, ast.Import | ast.ImportFrom)
    assert bound_names(node, package) == names
