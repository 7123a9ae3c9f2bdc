"""A program that is written in another way means the same, and the same is found in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.properties.checking import variations_that_differ
from tests.properties.choices import Choices
from tests.properties.programs import generate
from tests.properties.test_generated import MANY


@pytest.mark.properties
@pytest.mark.skipif(
    not MANY, reason="takes a second for each program: DEVICEFIX_PROPERTIES=N, a tenth of them here"
)
def test_ways_of_writing_make_no_difference(tmp_path: Path) -> None:
    for number in range(max(1, MANY // 10)):
        program = generate(Choices.seeded(number))
        assert list(variations_that_differ(program, tmp_path)) == [], program.text
