"""Which arguments are tensors: what the installed torch says of itself."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

from devicefix.torch_api import FUNCTIONS, NO_TENSORS, OPEN_POSITIONS, TENSOR_POSITIONS

torch = pytest.importorskip("torch")

ELSE = ("Optional", "None", "Union")
BOUNDS = {"torch.clamp", "torch.clamp_", "torch.clip", "torch.clip_"}
"""Numbers, as good as always."""
Said = list[tuple[str, bool]]


def typed(name: str) -> Iterator[list[tuple[str, str]]]:
    """The positional parameters in each way to call a function with tensors, and their types."""
    found: Any = torch
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)
    if inspect.isfunction(found):
        parameters = inspect.signature(found).parameters.values()
        if all(p.annotation is not p.empty for p in parameters):
            named = (p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD)
            yield [(p.name, str(p.annotation)) for p in named]
            return
    short = name.removeprefix("torch.nn.functional.").removeprefix("torch.").replace(".", "_")
    for schema in torch._C._jit_get_schemas_for_operator(f"aten::{short}"):
        if any("Tensor" in str(a.type) for a in schema.arguments):
            yield [(a.name, str(a.type)) for a in schema.arguments if not a.kwarg_only]


def said(name: str) -> Iterator[Said]:
    """The same, with whether they take tensors."""
    for way in typed(name):
        yield [(parameter, "Tensor" in kind) for parameter, kind in way]


def open_positions(name: str) -> set[int]:
    """Where a function takes tensors in one way to call it, and something else in another."""
    ways = [[kind for _, kind in way] for way in typed(name)]
    found = set[int]()
    for at in range(max(map(len, ways), default=0)):
        kinds = [way[at] for way in ways if len(way) > at]
        tensor = ["Tensor" in kind and not any(word in kind for word in ELSE) for kind in kinds]
        if any("Tensor" in kind for kind in kinds) and not all(tensor):
            found.add(at)
    return found & TENSOR_POSITIONS.get(name, found)


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


def test_where_a_number_does_as_well() -> None:
    named = [name for name in FUNCTIONS if not name.startswith("torch.nn.utils.")]
    assert {name: at for name in named if (at := open_positions(name))} == OPEN_POSITIONS
    assert 1 in OPEN_POSITIONS["torch.mul"]
    assert "torch.matmul" not in OPEN_POSITIONS
