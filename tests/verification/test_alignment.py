"""Which observation of one run is which of the other."""

from __future__ import annotations

import pytest

from devicefix.verification.alignment import Pair, aligned


def pairs(before: str, after: str, kinds: bool = True) -> list[Pair]:
    """Words like ``n1``: a kind and a value."""
    one, other = before.split(), after.split()
    named = [word[0] for word in one], [word[0] for word in other]
    return list(aligned(one, other, named if kinds else None))


def test_equally_many_are_paired_one_by_one() -> None:
    assert pairs("a1 b2", "b2 a1") == [(0, 0), (1, 1)]


@pytest.mark.parametrize("kinds", [True, False])
def test_what_is_equal_belongs_together(kinds: bool) -> None:
    assert pairs("a1 a2 a3", "a1 a3", kinds) == [(0, 0), (1, None), (2, 1)]
    assert pairs("a1 a3", "a1 a2 a3", kinds) == [(0, 0), (None, 1), (1, 2)]


def test_values_that_changed_are_still_of_their_kind() -> None:
    """A value is no longer read, and all that follow have changed; some are equal by chance."""
    gone = pairs("n7 b1 i2 b1 i3 b1 i4", "b1 i5 b1 i2 b1 i6")
    assert gone == [(0, None), *((at + 1, at) for at in range(6))]


def test_where_all_of_a_kind_have_changed_the_last_is_without_partner() -> None:
    assert pairs("a1 a2 a3", "a4 a5") == [(0, 0), (1, 1), (2, None)]


def test_nothing_is_left_out() -> None:
    found = pairs("a1 b2 c3", "d1 e2 f3 g4 h5")
    assert [one for one, _ in found if one is not None] == [0, 1, 2]
    assert [other for _, other in found if other is not None] == [0, 1, 2, 3, 4]
