"""Another text of a text, line by line and word by word: for what no tree can be made of."""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Callable, Iterable
from typing import Final

_WORD: Final = re.compile(r"\w+|\s+|.")
_MOST_CHANGES: Final = 3


def line_splicer(texts: Callable[[], Iterable[bytes]]) -> Callable[[bytes, random.Random], bytes]:
    """Makes other texts with lines and words of ``texts``."""
    known = functools.cache(lambda: list(dict.fromkeys(_lines(texts()))))
    words = functools.cache(
        lambda: list(dict.fromkeys(w for x in known() for w in _WORD.findall(x)))
    )

    def mutate(data: bytes, chance: random.Random) -> bytes:
        lines = data.decode("utf-8", "replace").split("\n")
        for _ in range(chance.randint(1, _MOST_CHANGES)):
            _change(lines, chance, known(), words())
        return "\n".join(lines).encode("utf-8", "replace")

    return mutate


def _lines(texts: Iterable[bytes]) -> Iterable[str]:
    for text in texts:
        yield from text.decode("utf-8", "replace").split("\n")


def _change(lines: list[str], chance: random.Random, known: list[str], words: list[str]) -> None:
    at = chance.randrange(len(lines))
    kind = chance.randrange(6)
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    if kind == 0:
        lines[at] = indent + chance.choice(known).lstrip()
    elif kind == 1:
        lines.insert(at, indent + chance.choice(known).lstrip())
    elif kind == 2 and len(lines) > 1:
        del lines[at]
    elif kind == 3:
        lines.insert(at, chance.choice(lines))
    else:
        found = _WORD.findall(lines[at]) or [""]
        found[chance.randrange(len(found))] = chance.choice(words)
        lines[at] = "".join(found)
