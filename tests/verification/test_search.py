"""Finding what keeps a whole from passing."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable

import pytest

from devicefix.verification.search import EnoughError, Search

Passes = Callable[[frozenset[int]], bool]


class Oracle:
    """Counts how often it is asked."""

    def __init__(self, passes: Passes, most: int = 10_000) -> None:
        self._passes = passes
        self._most = most
        self.asked: list[frozenset[int]] = []

    def __call__(self, kept: frozenset[int]) -> bool:
        if len(self.asked) >= self._most:
            raise EnoughError
        self.asked.append(kept)
        return self._passes(kept)


def searched(count: int, oracle: Oracle, bare: bool = True) -> Search[int]:
    search = Search(range(count), oracle)
    search.run(bare)
    return search


@pytest.mark.parametrize("seed", range(150))
def test_exactly_the_guilty_are_found_with_few_questions(seed: int) -> None:
    chance = random.Random(seed)
    count = chance.randint(1, 40)
    guilty = frozenset(chance.sample(range(count), chance.randint(1, min(count, 4))))
    oracle = Oracle(lambda kept: kept.isdisjoint(guilty))
    search = searched(count, oracle)
    assert frozenset(search.refused) == guilty
    assert search.kept == frozenset(range(count)) - guilty
    assert not search.exhausted
    bound = len(guilty) * (2 * math.ceil(math.log2(count)) + 1) if count > 1 else 0
    assert len(oracle.asked) <= bound


def test_one_among_many_costs_a_logarithm() -> None:
    for one in range(64):
        oracle = Oracle(lambda kept, one=one: one not in kept)  # type: ignore[misc]
        assert searched(64, oracle).refused == (one,)
        assert len(oracle.asked) <= 12


def test_nothing_is_asked_twice() -> None:
    oracle = Oracle(lambda kept: kept.isdisjoint({3, 17}))
    searched(32, oracle)
    assert len(oracle.asked) <= len(set(oracle.asked)) + 1


@pytest.mark.parametrize(("pair", "bad"), list(itertools.permutations(range(3), 2)))
def test_two_that_need_each_other_are_not_blamed(pair: int, bad: int) -> None:
    """0, 1, 2: all but ``bad`` pass only together."""
    needed = frozenset(range(3)) - {bad}

    def passes(kept: frozenset[int]) -> bool:
        return bad not in kept and (not kept & needed or needed <= kept)

    search = searched(3, Oracle(passes))
    assert search.refused == (bad,)
    assert search.kept == needed


@pytest.mark.parametrize("bad", range(8))
def test_what_fails_without_all_of_them_needs_most_of_them(bad: int) -> None:
    """It does not pass bare: the fixes 2 and 5 are what makes it run at all."""
    needed = frozenset({2, 5}) - {bad}
    search = searched(8, Oracle(lambda kept: bad not in kept and needed <= kept), bare=False)
    assert search.refused == (bad,)


def test_two_guilty_where_it_does_not_pass_bare() -> None:
    search = searched(8, Oracle(lambda kept: 7 in kept and kept.isdisjoint({0, 1})), bare=False)
    assert set(search.refused) == {0, 1}


def test_where_nothing_passes_nobody_is_blamed() -> None:
    oracle = Oracle(lambda kept: False)
    search = searched(8, oracle, bare=False)
    assert (search.kept, search.refused) == (None, ())
    assert len(oracle.asked) <= 2 + 4 + 8


def test_those_that_only_hurt_together_are_not_all_blamed() -> None:
    search = searched(6, Oracle(lambda kept: not {1, 4} <= kept))
    assert len(search.refused) == 1
    assert search.refused[0] in {1, 4}
    assert search.kept == frozenset(range(6)) - set(search.refused)


def test_says_how_far_it_got() -> None:
    guilty = frozenset({3, 9, 12, 20})
    for most in range(20):
        oracle = Oracle(lambda kept: kept.isdisjoint(guilty), most)
        search = searched(32, oracle)
        assert frozenset(search.refused) <= guilty
        assert search.kept is not None
        assert search.kept.isdisjoint(guilty)
        assert search.exhausted or frozenset(search.refused) == guilty
