"""The torch that a README, or a page on installing, says that its project works with.

People write for people, so the grammar is small. A version is a number behind ``torch`` or
``PyTorch``, with nothing between but the words and signs of `_BETWEEN` (``pytorch==1.4``, ``PyTorch
(ver. 1.0+)``, ``[PyTorch](address), tested with v1.3.1``), and is one that torch had: ``torchvision
0.2``, ``PyTorch Lightning 2.0``, ``PyTorch 3.5`` are none. The number has a point (``1.0``,
``1.x``), or else a sign before or behind it (``>=1``, ``2+``); in a table, where results stand,
it has three parts, or a sign before it. Of addresses those of badges and wheels are read.

A project works with all versions that it names, so the lowest counts, but for what is said not to
work (``older than PyTorch 1.0``, ``PyTorch < 1.0``) or is about another branch or tag. News count
where nothing else names a version: below a heading such as *Changelog*, beside a date or words such
as ``now supports``.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

from devicefix.engine.requirements import RELEASES

_SIGN: Final = r"(?:={1,3}|~=?|>=?|<=|≥|≤|\^)"
_WORDS: Final = (
    "versions? vers? v releases? installed install is with on using under works? at least min"
    " minimum recommended required requires stable library framework tested developed"
).replace(" ", "|")
_BETWEEN: Final = rf"(?:{_SIGN}|'s\b|[-:,()|：]|\b(?:{_WORDS})\b\.?)"  # noqa: RUF001  a colon
_NUMBER: Final = r"\d\.x|\d{1,2}\.\d{1,2}(?:\.(?:\d{1,2}|x))?|\d"
_UNIT: Final = r"(?:[-\s]?(?:x|times|ms|sec\w*|s|min\w*|hours?|h|[gm]b|gpus?|epochs?)\b|\s?%)"
_VERSION: Final = re.compile(
    r"(?<![\w./@-])(?:py)?torch"
    rf"(?P<between>\s{{0,4}}(?:{_BETWEEN}\s{{0,4}}){{0,8}}(?:v\.?\s?)?)"
    rf"(?P<number>{_NUMBER})(?:\.?(?:a|b|rc|post|dev)\d{{1,8}})?"
    r"(?P<behind>\s?\+|\s(?:or|and)\s(?:later|above|newer|higher|up|greater))?"
    rf"(?!\w|\.\d|{_UNIT})",
    re.IGNORECASE,
)
_HAS_SIGN: Final = re.compile(rf"{_SIGN}|\bv", re.IGNORECASE)
_NOT_BEFORE: Final = re.compile(r"\b(?:before|below|than|until|under|from|without)\s+$", re.I)
_NOT_BEHIND: Final = re.compile(r"\s*\w+(?:n.t|\s+not)\b", re.I)
_ELSEWHERE: Final = re.compile(r"(?<!this )\b(?:branch|tag)\b", re.I)
_NEWS: Final = re.compile(
    r"\b(?:(?:19|20)\d\d|now|news?|support(?:s|ed)?|updated?|upgraded?|migrated?|ported|added"
    r"|fix(?:ed)?|released)\b",
    re.I,
)
_HEADING: Final = re.compile(r"\s*#{1,6}\s(.*)")
_OF_NEWS: Final = re.compile(
    r"\b(?:change ?log|news|updates?|history|releases?|what.s new)\b", re.I
)

_BADGE: Final = re.compile(r"https?://img\.shields\.io/badge/([^\s)\"'?>]+)")
_WHEEL: Final = re.compile(r"https?://\S*/(torch-[^/\s]*)\.whl")
_TARGET: Final = re.compile(r"\]\([^()\s]*\)")
_ADDRESS: Final = re.compile(r"https?://[^\s)]*")
_TAG: Final = re.compile(r"<[A-Za-z/!][^<>]*>")
_MARKUP: Final = re.compile(r"[*`\\\[\]]|(?<!\w)_+|_+(?!\w)")
_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+(?=[A-Z])")


def of_readme(text: str) -> Iterator[str]:
    """``">=1.4"`` for each version that is named; for those of the news if there are no others."""
    said: list[str] = []
    news: list[str] = []
    is_news = False
    for line in text.split("\n"):
        if heading := _HEADING.match(line):
            is_news = _OF_NEWS.search(heading[1]) is not None
        if "torch" not in line.lower():
            continue
        for sentence in _sentences(line):
            told = news if is_news or _NEWS.search(sentence) else said
            told.extend(_versions(sentence))
    yield from said or news


def _sentences(line: str) -> Iterator[str]:
    """What badges say, and the rest without markup: the texts of links, the names of wheels."""
    for badge in _BADGE.findall(line):
        yield re.sub("[-_]+", " ", unquote(badge))
    text = _ADDRESS.sub("", _WHEEL.sub(r"\1", _TARGET.sub("", line)))
    yield from _SENTENCE.split(html.unescape(_MARKUP.sub("", _TAG.sub(" ", text))))


def _versions(sentence: str) -> Iterator[str]:
    if _ELSEWHERE.search(sentence):
        return
    for found in _VERSION.finditer(sentence):
        is_meant = _is_version(found["between"], found["number"], found["behind"] or "")
        works = not _NOT_BEFORE.search(sentence[: found.start()])
        if is_meant and works and not _NOT_BEHIND.match(sentence, found.end()):
            yield f">={found['number'].lower().replace('.x', '.0')}"


def _is_version(between: str, number: str, behind: str) -> bool:
    """Whether it can be none but one of torch's, and no result or quantity."""
    has_sign = _HAS_SIGN.search(between) is not None
    if "|" in between and not has_sign and number.count(".") < 2:
        return False
    parts = [int(part) for part in number.lower().split(".") if part != "x"]
    if len(parts) == 1 and not (has_sign or behind or ".x" in number.lower()):
        return False
    minor = tuple([*parts, 0][:2])
    return any(release.release[:2] == minor for release in RELEASES)
