"""``async`` as a name: a keyword since Python 3.7, and torch calls its argument ``non_blocking``.

There is no tree to ask: no parser of today takes such a text, whichever Python it is for. So the
tokens have to do, and what they do not tell is an error.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from devicefix.findings import Edit, Span
from devicefix.source import Source, SourceError
from devicefix.source.lexing import Token, tokens

_NAME: Final = "async"
_KEYWORD_BEFORE: Final = frozenset({"def", "for", "with"})
_TRANSFERS: Final = frozenset({"cuda", "cpu", "to", "copy_", "type"})
"""Methods of tensors, storages and modules that had it (github.com/pytorch/pytorch, 0.4 notes)."""
_FOR_TRANSFERS: Final = "non_blocking"
_OTHERWISE: Final = "async_"
_CONSTRUCTOR: Final = "__init__"


class Renamed(Struct, frozen=True):
    """One ``async``, and what is to stand there."""

    span: Span
    text: str
    edits: tuple[Edit, ...]


class _Use(Struct, frozen=True):
    """An ``async`` that is a name, and where it stands."""

    at: int
    """Its number among the tokens."""
    function: str
    """In the brackets of which call or definition it stands; empty where in none."""
    role: str
    """``argument``, ``parameter``, ``attribute`` or ``name``."""


class _Bracket(Struct, frozen=True):
    function: str = ""
    is_definition: bool = False


def renamed(source: Source, others: Iterable[Source]) -> tuple[Renamed, ...]:
    """What becomes of each name ``async`` in ``source``; ``others`` are the files around it.

    Raises `SourceError` where that cannot be told.
    """
    own = _significant(source.text)
    uses = list(_uses(own))
    if not uses:
        return ()
    around = [_significant(other.text) for other in others if _NAME in other.text]
    defined = {use.function for text in (own, *around) for use in _uses(text) if _is_parameter(use)}
    if _CONSTRUCTOR in defined:
        defined |= {name for text in (own, *around) for name in _classes(text)}
    stored = any(_is_stored(text, use) for text in (own, *around) for use in _uses(text))
    name = _plain_name(uses, own, source)
    return tuple(_renamed(source, own, use, defined, stored, name) for use in uses)


def _renamed(
    source: Source, own: Sequence[Token], use: _Use, defined: set[str], stored: bool, name: str
) -> Renamed:
    span = own[use.at].span
    if use.role == "attribute" and not stored:
        return _by_getattr(source, own, use)
    new = name
    if use.role == "attribute":
        new = _OTHERWISE
    elif use.role in ("argument", "parameter"):
        new = _FOR_TRANSFERS if use.function in _TRANSFERS else _OTHERWISE
        if use.role == "argument" and use.function not in defined | _TRANSFERS:
            line = source.position(span.start)[0]
            called = f"`{use.function}`" if use.function else "something"
            reason = f"`async` has been a keyword since Python 3.7, and the name that {called}"
            raise SourceError(source.path, line, f"{reason} now uses for it is unknown")
    return Renamed(span, new, (Edit(span.start, span.end, 0, new),))


def _by_getattr(source: Source, own: Sequence[Token], use: _Use) -> Renamed:
    """``args.async`` -> ``getattr(args, "async")``: who made it, an option say, goes on."""
    at = use.at - 1  # the dot
    while at >= 2 and own[at].text == "." and own[at - 1].kind == "name":
        if own[at - 2].text != ".":
            break
        at -= 2
    start, name = own[at - 1], own[use.at]
    if start.kind != "name":
        line = source.position(name.span.start)[0]
        raise SourceError(source.path, line, "`.async` cannot be read in Python 3.7 and later")
    dot = own[use.at - 1]
    edits = (
        Edit(start.span.start, start.span.start, 0, "getattr("),
        Edit(dot.span.start, name.span.end, 0, ', "async")'),
    )
    return Renamed(name.span, "getattr", edits)


def _plain_name(uses: Sequence[_Use], own: Sequence[Token], source: Source) -> str:
    """What variables are called: as the parameters of this file, which they may be."""
    names = {
        _FOR_TRANSFERS if use.function in _TRANSFERS else _OTHERWISE
        for use in uses
        if _is_parameter(use)
    } or {_OTHERWISE}
    plain = [use for use in uses if use.role == "name"]
    if not plain:
        return _OTHERWISE
    taken = {token.text for token in own if token.kind == "name"}
    if len(names) > 1 or names & taken:
        line = source.position(own[plain[0].at].span.start)[0]
        reason = "`async` has been a keyword since Python 3.7: rename it"
        raise SourceError(source.path, line, reason)
    return names.pop()


def _is_parameter(use: _Use) -> bool:
    return use.role == "parameter"


def _is_stored(own: Sequence[Token], use: _Use) -> bool:
    if use.role != "attribute" or use.at + 1 >= len(own):
        return False
    return own[use.at + 1].text == "=" and not use.function


def _classes(own: Sequence[Token]) -> Iterator[str]:
    for before, name in itertools.pairwise(own):
        if before.text == "class" and name.kind == "name":
            yield name.text


def _significant(text: str) -> list[Token]:
    return [token for token in tokens(text) if not token.is_quiet]


def _uses(own: Sequence[Token]) -> Iterator[_Use]:
    """Every ``async`` that is no keyword of ``async def`` and its kin."""
    brackets: list[_Bracket] = []
    for at, token in enumerate(own):
        if token.text in ("(", "[", "{"):
            brackets.append(_opened(own, at))
        elif token.text in (")", "]", "}"):
            if brackets:
                brackets.pop()
        elif token.kind == "name" and token.text == _NAME:
            following = own[at + 1].text if at + 1 < len(own) else ""
            if following not in _KEYWORD_BEFORE:
                bracket = brackets[-1] if brackets else _Bracket()
                yield _Use(at, bracket.function, _role(own, at, following, bracket))


def _role(own: Sequence[Token], at: int, following: str, bracket: _Bracket) -> str:
    before = own[at - 1].text if at else ""
    if before == ".":
        return "attribute"
    if bracket.is_definition and before in ("(", ","):
        return "parameter"
    return "argument" if following == "=" and before in ("(", ",") and bracket.function else "name"


def _opened(own: Sequence[Token], at: int) -> _Bracket:
    if own[at].text != "(" or not at:
        return _Bracket()
    name = own[at - 1]
    if name.kind != "name":
        return _Bracket("something" if name.text in (")", "]") else "")
    return _Bracket(name.text, at >= 2 and own[at - 2].text == "def")
