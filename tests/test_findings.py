"""The frozen types: order, equality, the weakest member."""

from __future__ import annotations

import pytest

from devicefix.findings import Applicability, Edit, Span


def test_the_weakest_applicability_is_the_smallest() -> None:
    assert min(Applicability) is Applicability.DISPLAY
    assert Applicability.UNSAFE < Applicability.SAFE


def test_edits_sort_by_place_then_rank() -> None:
    edits = [Edit(3, 3, 1, "a"), Edit(3, 3, 0, "b"), Edit(1, 9, 5, "c")]
    assert [edit.text for edit in sorted(edits)] == ["c", "b", "a"]


def test_identical_edits_are_one() -> None:
    assert len({Edit(1, 1, 0, "x"), Edit(1, 1, 0, "x")}) == 1


def test_they_are_frozen() -> None:
    with pytest.raises(AttributeError):
        Span(0, 1).start = 2  # type: ignore[misc]
