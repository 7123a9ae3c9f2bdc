"""Which library calls take the name of a device."""

from __future__ import annotations

import pytest

from devicefix.torch_api import takes_device


@pytest.mark.parametrize(
    ("name", "keyword", "expected"),
    [
        ("ignite.engine.create_supervised_trainer", "device", True),
        ("transformers.pipeline", "device", True),
        ("transformers.pipeline", "model", False),
        ("transformers.pipeline", None, False),
        ("mace.calculators.mace_mp", "device", True),
        ("laboratory.Bench", "device", False),
        ("numpy.zeros", "device", False),
    ],
)
def test_the_library_and_the_keyword_decide(name: str, keyword: str | None, expected: bool) -> None:
    assert takes_device(name, keyword) is expected
