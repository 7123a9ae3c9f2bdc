"""What annotations and other libraries say of a parameter: not everything is a tensor."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Moves = Callable[[str], list[str]]


@pytest.mark.parametrize("annotation", ["np.ndarray", "'np.ndarray'", "pd.Series", "pd.DataFrame"])
def test_an_array_by_annotation_is_read_where_it_is(moves: Moves, annotation: str) -> None:
    program = f"""
        import pandas as pd
        def robust(x: {annotation}, w):
            return np.clip(x.abs() / w, -3, 3)
        """
    assert moves(program) == []


@pytest.mark.parametrize(
    ("head", "count"), [("import pandas as pd", 0), ("from pandas import Series", 0), ("", 1)]
)
def test_pandas_has_some_methods_of_a_tensor(moves: Moves, head: str, count: int) -> None:
    program = f"""
        {head}
        def robust(x):
            size = x.abs() / 2.0
            return np.clip(size * size, -3, 3)
        """
    assert len(moves(program)) == count


@pytest.mark.parametrize(
    ("head", "eps", "count"),
    [
        ("x, eps: float", "eps", 0),
        ("x, eps", "eps", 1),
        ("x, eps", "float(eps)", 0),
        ("x, eps: int", "eps / 2 + 1", 0),
        ("x, eps: list", "eps", 1),
        ("x, large", "1e-5 if large else 1e-6", 0),
        ("x", "x.shape[0]", 0),
        ("x", "torch.relu(x).size(1)", 0),
        ("x", "x.shape[1:]", 1),
        ("x, large", "1e-5 if large else [1e-6]", 1),
    ],
)
def test_a_tensor_of_a_number_has_no_dimensions(
    moves: Moves, head: str, eps: str, count: int
) -> None:
    program = f"""
        def scaled({head}):
            return torch.relu(x) * torch.tensor({eps})
        """
    assert len(moves(program)) == count


@pytest.mark.parametrize(
    ("head", "annotation", "count"),
    [
        ("", "torch.Tensor", 1),
        ("", "torch.FloatTensor", 1),
        ("", "torch.LongTensor", 1),
        ("", "'torch.Tensor'", 1),
        ("import torch as th", "th.Tensor", 1),
        ("from torch import Tensor as T", "T", 1),
        ("from tinygrad import Tensor", "Tensor", 0),
        ("class Tensor: pass", "Tensor", 0),
        ("", "object", 0),
        ("", "'no annotation'", 0),
    ],
)
def test_a_tensor_by_annotation_is_one_by_whatever_name(
    moves: Moves, head: str, annotation: str, count: int
) -> None:
    program = f"""
        {head}
        def scaled(x: {annotation}):
            return x * torch.ones(3)
        """
    assert len(moves(program)) == count


@pytest.mark.parametrize(
    ("annotation", "name"),
    [
        ("torch.Tensor", "x"),
        ("Union[torch.Tensor, np.ndarray]", "y"),
        ("torch.Tensor | None", "y"),
        ("'None | torch.Tensor'", "y"),
        ("Optional[torch.Tensor]", "y"),
        ("typing.Union[torch.Tensor, np.ndarray, None]", "y"),
    ],
)
def test_what_may_be_none_by_annotation_is_asked_for_no_device(
    moves: Moves, annotation: str, name: str
) -> None:
    program = f"""
        import typing
        from typing import Optional, Union
        def scaled(x: {annotation}, y):
            h = torch.zeros(3)
            z = h + 1.0 if x is None else h + x.relu()
            return z * y.relu()
        """
    assert moves(program) == [f"FACTORY torch.zeros(3) => {name}.device"]


def test_what_the_function_itself_compares_with_none_is_asked_for_no_device(moves: Moves) -> None:
    program = """
        def scaled(x, y):
            h = torch.zeros(3)
            z = h + 1.0 if x is None else h + x.relu()
            return z * y.relu()
        """
    assert moves(program) == ["FACTORY torch.zeros(3) => y.device"]
    asked = "            if x is None: return y\n"
    below = program.replace("            h =", f"{asked}            h =")
    assert moves(below) == ["FACTORY torch.zeros(3) => x.device"]
