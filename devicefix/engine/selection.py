"""Which rules were asked for: codes, the beginnings of codes, or names."""

from __future__ import annotations

import difflib
import re
import string
from collections.abc import Iterable, Sequence
from typing import Final

from devicefix.codemod import Codemod
from devicefix.engine.errors import UnknownRuleError
from devicefix.settings import Settings

_FAMILY: Final = re.compile(r"[A-Z]+[0-9]")
_LETTERS: Final = string.ascii_uppercase
_MOST: Final = 5
"""So many names are proposed."""


def selected_codes(settings: Settings, codemods: Sequence[type[Codemod]]) -> frozenset[str]:
    """The codes that ``select`` names, all if it names none, less those of ``ignore``.

    Rules that run on request have to be named, or a beginning that they share with no other rule:
    ``DFX5`` where all of these wait. Raises `UnknownRuleError`.
    """
    usual = frozenset(codemod.code for codemod in codemods if not codemod.on_request)
    chosen = _codes(settings.select, codemods) or usual
    off = frozenset(c.code for c in codemods if c.switch and not getattr(settings, c.switch))
    return chosen - _codes(settings.ignore, codemods, all_of=True) - off


def _codes(
    selectors: Iterable[str], codemods: Sequence[type[Codemod]], *, all_of: bool = False
) -> frozenset[str]:
    found: set[str] = set()
    for selector in selectors:
        matches = _matching(selector, codemods)
        usual = [codemod for codemod in matches if all_of or not codemod.on_request]
        found.update(codemod.code for codemod in usual or matches)
    return frozenset(found)


def _matching(selector: str, codemods: Sequence[type[Codemod]]) -> list[type[Codemod]]:
    wanted = selector.strip()
    matches = [
        codemod
        for codemod in codemods
        if wanted and (codemod.code.startswith(wanted.upper()) or codemod.name == wanted.lower())
    ]
    if not matches:
        raise UnknownRuleError(_message(selector, codemods))
    return matches


def find_rule(name: str, codemods: Sequence[type[Codemod]]) -> type[Codemod]:
    """The one rule with this code or name, in either case. Raises `UnknownRuleError`."""
    for codemod in codemods:
        if name.upper() == codemod.code or name.lower() == codemod.name:
            return codemod
    raise UnknownRuleError(_message(name, codemods))


def unknown_rule(selectors: Iterable[str], codemods: Sequence[type[Codemod]]) -> str:
    """What is wrong with the first of ``selectors`` that names no rule; empty where all do."""
    try:
        _codes(selectors, codemods)
    except UnknownRuleError as error:
        return str(error)
    return ""


def _message(name: str, codemods: Sequence[type[Codemod]]) -> str:
    hint = _of_code(name.strip().upper(), codemods) or _of_name(name.strip().lower(), codemods)
    return f"unknown rule {name!r}; {hint or '`devicefix rules` lists all'}"


def _of_code(wanted: str, codemods: Sequence[type[Codemod]]) -> str:
    """The codes that have the longest beginning in common with ``wanted``, or its digits."""
    codes = sorted(codemod.code for codemod in codemods)
    if wanted.isdecimal():
        return _did_you_mean([code for code in codes if code.lstrip(_LETTERS).startswith(wanted)])
    families = sorted({letters[0] for code in codes if (letters := _FAMILY.match(code))})
    if not any(wanted.startswith(family.rstrip("0123456789")) for family in families):
        return ""
    known = len(wanted) - len(wanted.lstrip(_LETTERS))
    for end in range(len(wanted), known, -1):
        alike = [code for code in codes if code.startswith(wanted[:end])]
        if alike:
            return _did_you_mean(alike)
    return f"codes begin with {', '.join(families)}"


def _of_name(wanted: str, codemods: Sequence[type[Codemod]]) -> str:
    names = sorted(codemod.name for codemod in codemods)
    alike = [name for name in names if wanted and name.startswith(wanted)]
    return _did_you_mean(alike or difflib.get_close_matches(wanted, names))


def _did_you_mean(found: Sequence[str]) -> str:
    more = ", …" if len(found) > _MOST else ""
    return f"did you mean {', '.join(found[:_MOST])}{more}?" if found else ""
