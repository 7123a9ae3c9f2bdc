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
            return np.clip(x.abs() / 2.0, -3, 3)
        """
    assert len(moves(program)) == count
