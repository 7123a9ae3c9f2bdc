"""Programs that hypothesis makes up, before and after `apply`.

Each is made from a version that is right on any device, by leaving out transfers and spelling them
in other ways; so it is known what has to come out. A small sample, the same in every run, is part
of the suite. The long run has the programs with the numbers below what the environment says, in
four shares; `tests.properties.campaign` is the same with a journal::

    DEVICEFIX_PROPERTIES=20000 pytest -m properties --dist=load tests/properties
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings

from tests.properties.campaign import batches
from tests.properties.checking import Violation, violations
from tests.properties.choices import Choices, choices
from tests.properties.programs import Generated, generate

SAMPLE: Final = 8
"""Programs of the run that belongs to the suite: they take some three seconds."""
SHARES: Final = 4
MANY: Final = int(os.environ.get("DEVICEFIX_PROPERTIES", "0"))
_PATIENT: Final = (
    HealthCheck.too_slow,
    HealthCheck.data_too_large,
    HealthCheck.function_scoped_fixture,
)

TOLERATED: Final = frozenset({"invalid"})
"""A program that is none: what was drawn does not fit together."""


def _faults(program: Generated, folder: Path) -> list[Violation]:
    found = [v for v in violations(program, folder) if v.rule not in TOLERATED]
    if found:
        note(program.text)
    return found


@pytest.mark.properties
@settings(
    max_examples=SAMPLE,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=_PATIENT,
    phases=[Phase.generate],
)
@given(made=choices())
def test_what_is_written_means_the_same_everywhere(made: Choices, tmp_path: Path) -> None:
    assert _faults(generate(made), tmp_path) == []


@pytest.mark.properties
@pytest.mark.skipif(not MANY, reason="half an hour for 20,000 programs: DEVICEFIX_PROPERTIES=N")
@pytest.mark.parametrize("share", range(SHARES))
def test_what_is_written_means_the_same_in_many_programs(share: int, tmp_path: Path) -> None:
    numbers = range(share * MANY // SHARES, (share + 1) * MANY // SHARES)
    wrong = [failure for batch in batches(numbers, tmp_path) for failure in batch.failures]
    assert wrong == [], wrong[0].smallest(tmp_path)
