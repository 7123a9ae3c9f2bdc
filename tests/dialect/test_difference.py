"""What changed between two texts, as edits."""

from __future__ import annotations

import random
from typing import Any

import pytest

from devicefix.dialect import difference as module
from devicefix.dialect.difference import difference
from devicefix.source import Source

LINES = (
    "print x\n",
    "print(x)\n",
    "x / y\n",
    "\n",
    "  z\n",
    'print "a", b\n',
    "import q\n",
    "'''\n",
)


@pytest.mark.parametrize("seed", range(40))
def test_the_edits_give_the_new_text(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(20):
        old, new = ("".join(chance.choices(LINES, k=chance.randint(0, 12))) for _ in range(2))
        assert Source.from_text(old).apply(difference(old, new)) == new


def test_what_is_put_in_twice_at_one_place_is_there_twice() -> None:
    old, new = "a\nb", "a\n\n\n\nb"
    assert Source.from_text(old).apply(difference(old, new)) == new


@pytest.mark.parametrize("more", ["", "import x\n"])
def test_many_lines_are_not_compared_word_by_word_with_each_other(
    more: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []

    class Matcher(module.SequenceMatcher[str]):
        def __init__(self, junk: Any, a: list[str], b: list[str], autojunk: bool) -> None:
            sizes.append(len(a) * len(b))
            super().__init__(junk, a, b, autojunk)

    monkeypatch.setattr(module, "SequenceMatcher", Matcher)
    edits = difference("print 1\n" * 100, "print(1)\n" * 50 + more + "print(1)\n" * 50)
    assert len(edits) >= 200
    assert max(sizes) <= 101 * 101  # lines; their words are four and five times as many
