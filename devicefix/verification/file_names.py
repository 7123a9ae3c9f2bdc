"""Which file of one run is which of another, where names have times or random parts in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence, Set
from typing import Final

_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_HEX: Final = re.compile(r"(?<![a-z0-9])(?=[a-f]*\d)[0-9a-f]{6,}(?![a-z0-9])", re.IGNORECASE)
_NUMBER: Final = re.compile(r"\d+")


def pattern(path: str) -> str:
    """``path`` without what may be a time, a process or chance."""
    for form in (_UUID, _HEX, _NUMBER):
        path = form.sub("#", path)
    return path


def kin(path: str) -> tuple[str, str]:
    """What files have in common that come and go: the folder and how the name ends."""
    folder, _, name = path.rpartition("/")
    return pattern(folder), pattern(name.rpartition(".")[2])


def _shape(path: str) -> tuple[int, str]:
    return path.count("/"), kin(path)[1]


_ALIKE: Final[tuple[Callable[[str], object], ...]] = (pattern, kin, _shape)
"""By what files are taken to be the same, the strictest first."""


def partners(
    mine: Iterable[str], other: Sequence[str], wandering: Set[str] | None = None
) -> dict[str, str]:
    """For files of the ``other`` run those of ``mine``, both in the order in which they were made.

    Equal names belong together. Of the rest, those that are alike, where both runs have equally
    many of them; ``wandering`` are those of mine that need not have the same name (None: all).
    """
    own = list(mine)
    known = set(own)
    found = {path: path for path in other if path in known}
    left = [path for path in own if path not in found]
    if wandering is not None:
        left = [path for path in left if path in wandering]
    for alike in _ALIKE:
        open_ = [path for path in other if path not in found]
        taken = set(found.values())
        left = [path for path in left if path not in taken]
        for key in dict.fromkeys(map(alike, left)):
            pair = [[p for p in paths if alike(p) == key] for paths in (open_, left)]
            if len(pair[0]) == len(pair[1]):
                found.update(zip(*pair, strict=True))
    return found
