"""Comments by which an author keeps devicefix away from a line or a file."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct

_NAME: Final = "devicefix"
_IGNORE: Final = re.compile(
    r"#\s*devicefix\s*:\s*ignore(?:\s*\[(?P<codes>[^\]]*)\]|(?![\w\[-]))", re.IGNORECASE
)
_SAID: Final = re.compile(r"#\s*devicefix\s*:\s*(?P<word>[\w-]+)(?P<list>\s*\[)?", re.IGNORECASE)
_LIKE_US: Final = re.compile(
    r"#\s*(?P<tool>[\w-]{7,12})\s*:\s*(?P<word>ignore|skip-file)(?![\w-])", re.IGNORECASE
)
_ALIKE: Final = 0.85
"""``devicfix`` and ``device-fix`` are ours with an error; ``device`` is another word."""
_OTHERS: Final = {"noqa": "ignore", "disable": "ignore", "off": "ignore", "skip": "skip-file"}
"""What other tools call it."""
_SKIP_FILE: Final = re.compile(r"#\s*devicefix\s*:\s*skip-file(?![\w-])", re.IGNORECASE)


class Suppressions(Struct, frozen=True):
    """What the comments of one file suppress.

    ``by_line`` maps a 1-based physical line to the codes named there; an empty tuple stands for
    ``# devicefix: ignore`` without codes, which suppresses every rule.
    """

    skip_file: bool
    by_line: Mapping[int, tuple[str, ...]]
    misspelt: Mapping[int, str] = MappingProxyType({})
    """By line what a comment was probably meant to say: ``ignore`` or ``skip-file``."""

    def covers(self, code: str, first_line: int, last_line: int) -> bool:
        """Say whether ``code`` is suppressed on any physical line of ``first_line..last_line``.

        A comment names a rule (``DFX103``) or, by a prefix, a family (``DFX1``).
        """
        if self.skip_file:
            return True
        return any(
            not codes or code.upper().startswith(codes)
            for _, codes in self.within(first_line, last_line)
        )

    def within(self, first_line: int, last_line: int) -> Iterator[tuple[int, tuple[str, ...]]]:
        """The lines of ``first_line..last_line`` that have a comment, and the codes in it."""
        for line in range(first_line, last_line + 1):
            if line in self.by_line:
                yield line, self.by_line[line]


class Ignore(Struct, frozen=True):
    """What one comment says: ``# devicefix: ignore`` or ``# devicefix: ignore[DFX103]``."""

    codes: tuple[str, ...]
    """Those that it names, in capitals; none for all rules."""
    start: int
    """Where it begins in the comment, which may say other things before and after it."""
    end: int
    listed: tuple[int, int] | None
    """Where the codes stand between the brackets."""


def may_suppress(text: str) -> bool:
    """Whether a text has comments for devicefix, or some that look like it; fast."""
    return _NAME in text.lower() or _LIKE_US.search(text) is not None


def find_ignore(comment: str) -> Ignore | None:
    """What a comment, hash sign included, asks to be ignored; None where that is nothing."""
    match = _IGNORE.search(comment)
    codes = _codes(match["codes"]) if match is not None else None
    if match is None or codes is None:
        return None
    listed = match.span("codes") if match["codes"] is not None else None
    return Ignore(codes, *match.span(), listed)


def read_suppressions(comments: Iterable[tuple[int, str]]) -> Suppressions:
    """Read ``(line, comment text)`` pairs, the hash sign included."""
    by_line: dict[int, tuple[str, ...]] = {}
    misspelt: dict[int, str] = {}
    skip_file = False
    for line, comment in comments:
        skip_file = skip_file or bool(_SKIP_FILE.search(comment))
        ignore = find_ignore(comment)
        if ignore is not None:
            by_line[line] = ignore.codes
        elif meant := _meant(comment):
            misspelt[line] = meant
    return Suppressions(skip_file, by_line, misspelt)


def _meant(comment: str) -> str:
    """``ignore`` or ``skip-file``, where a comment says something like it; else nothing."""
    said = _SAID.search(comment)
    if said is None and (alike := _LIKE_US.search(comment)):
        close = difflib.SequenceMatcher(None, _NAME, alike["tool"].lower()).ratio()
        return alike["word"].lower() if close >= _ALIKE else ""
    if said is None or _SKIP_FILE.search(comment):
        return ""
    word = said["word"].lower().replace("_", "-")
    if word in _OTHERS or said["list"]:
        return _OTHERS.get(word, "ignore")
    return next(iter(difflib.get_close_matches(word, ("ignore", "skip-file"), n=1, cutoff=0.7)), "")


def _codes(listed: str | None) -> tuple[str, ...] | None:
    """Return the codes of a list; () for no list at all; None for a list that names nothing."""
    if listed is None:
        return ()
    return tuple(code.upper() for code in re.split(r"[,\s]+", listed) if code) or None
