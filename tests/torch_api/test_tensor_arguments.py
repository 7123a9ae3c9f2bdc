"""Which arguments are tensors: what the installed torch says of itself."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

from devicefix.torch_api import FUNCTIONS, NO_TENSORS, TENSOR_POSITIONS

torch = pytest.importorskip("torch")

BOUNDS = {"torch.clamp", "torch.clamp_", "torch.clip", "torch.clip_"}
"""Numbers, as good as always."""
Said = list[tuple[str, bool]]


def said(name: str) -> Iterator[Said]:
    """The positional parameters in each way to call a function, and whether they take tensors."""
    found: Any = torch
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)
    if inspect.isfunction(found):
        parameters = inspect.signature(found).parameters.values()
        if all(p.annotation is not p.empty for p in parameters):
            named = (p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD)
            yield [(p.name, "Tensor" in str(p.annotation)) for p in named]
            return
    short = name.removeprefix("torch.nn.functional.").removeprefix("torch.").replace(".", "_")
    for schema in torch._C._jit_get_schemas_for_operator(f"aten::{short}"):
        yield [(a.name, "Tensor" in str(a.type)) for a in schema.arguments if not a.kwarg_only]


def test_no_tensor_is_overlooked() -> None:
    assert TENSOR_POSITIONS.keys() <= FUNCTIONS.keys()
    overlooked = {
        (name, at, parameter)
        for name, positions in TENSOR_POSITIONS.items()
        for way in said(name)
        for at, (parameter, tensor) in enumerate(way)
        if tensor and at not in positions and name not in BOUNDS
    }
    assert overlooked == set()


def test_no_keyword_is_overlooked() -> None:
    keywords = {key for name in FUNCTIONS for way in said(name) for key, tensor in way if tensor}
    assert "input" in keywords
    assert NO_TENSORS.isdisjoint(keywords)
