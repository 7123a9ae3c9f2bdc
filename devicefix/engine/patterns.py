"""Patterns as .gitignore writes them, each matched in a time that a path and a pattern bound.

A pattern of pathspec's is a regular expression that tries every way to share a name out among its
stars: for ``a*a*a*a*b`` there are more of them than can be tried. But what stands between two stars
may be taken where it comes first, as nothing that follows fits behind a later place only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from pathspec import GitIgnoreSpec

_STAR: Final = "[^/]*"
"""How pathspec writes ``*``; a pattern that is split at each slash cannot write it itself."""
_FOLDERS: Final = "(?:/.+)?"
"""How it writes ``**`` between slashes."""
_TOKEN: Final = re.compile(r"\\.|\[\^?\]?[^\]]*\]", re.DOTALL)
_BOUND: Final = re.compile(r"/|\(\?P<ps_d>|\(\?:\(\?P<ps_d>|\Z")
"""Where a part of a path ends in such an expression."""


def patterns_of(lines: Iterable[str]) -> GitIgnoreSpec:
    """The patterns of some lines; raises ``ValueError`` where one means nothing."""
    spec = GitIgnoreSpec.from_lines(lines)
    for pattern in spec.patterns:
        regex: re.Pattern[str] | None = getattr(pattern, "regex", None)
        if regex is not None and not {"\0", "\x01"} & {*regex.pattern}:
            pattern.regex = re.compile(_bounded(regex.pattern))
    return spec


class _Firsts:
    """Writes expressions that take the first place that fits and try no other."""

    def __init__(self) -> None:
        self._count = 0

    def first(self, text: str) -> str:
        # an atomic group, which Python has from 3.11 on
        self._count += 1
        return f"(?=(?P<first{self._count}>{text}))(?P=first{self._count})"

    def segment(self, text: str) -> str:
        """A part of a path, of which the end is still to come."""
        begin, *others = text.split(_STAR)
        if len(others) < 2:
            return text
        *inner, last = others
        taken = "".join(self.first(f"[^/]*?{part}") for part in inner if part)
        return f"{begin}{taken}{_STAR}{last}"


def _bounded(regex: str) -> str:
    firsts = _Firsts()
    chunks = regex.split(_FOLDERS)
    whole = [_by_segment(chunk, firsts) for chunk in chunks]
    *inner, last = whole
    if not inner:
        return last
    begin, *middle = inner
    begin = begin.removeprefix("^").replace("(?:.+/)?", "(?:.+?/)??", 1)
    found = "^" + firsts.first(f"{begin}(?=/)")
    found += "".join(firsts.first(f"(?:/.+?)??{chunk}(?=/)") for chunk in middle)
    return found + _FOLDERS + last


def _without_slash(token: re.Match[str]) -> str:
    """A class of characters has no slash for git, and pathspec's ``[^a]`` would have it."""
    return f"(?!\x01){token[0]}" if token[0].startswith("[") else token[0]


def _by_segment(chunk: str, firsts: _Firsts) -> str:
    """With the stars of each part of the path bounded."""
    lead = next((m for m in ("^(?:.+/)?", "^", "/") if chunk.startswith(m)), "")
    rest, found = chunk[len(lead) :], lead
    # a star is written with a slash, which ends nothing
    rest = _TOKEN.sub(_without_slash, rest.replace("[^/]", "\0"))
    while rest:
        bound = _BOUND.search(rest)
        end = bound.start() if bound is not None else len(rest)
        found += firsts.segment(rest[:end].replace("\0", "[^/]").replace("\x01", "/"))
        if end == len(rest) or rest[end] != "/":
            return found + rest[end:].replace("\0", "[^/]").replace("\x01", "/")
        found += "/"
        rest = rest[end + 1 :]
    return found
