"""Which rules were asked for: codes, the beginnings of codes, or names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from devicefix.codemod import Codemod
from devicefix.engine.errors import UnknownRuleError
from devicefix.settings import Settings


def selected_codes(settings: Settings, codemods: Sequence[type[Codemod]]) -> frozenset[str]:
    """The codes that ``select`` names, less those of ``ignore``.

    If it names none: all but those of rules that are there on request.

    Raises `UnknownRuleError`.
    """
    usual = frozenset(codemod.code for codemod in codemods if not codemod.on_request)
    chosen = _codes(settings.select, codemods) or usual
    return chosen - _codes(settings.ignore, codemods)


def _codes(selectors: Iterable[str], codemods: Sequence[type[Codemod]]) -> frozenset[str]:
    return frozenset(code for selector in selectors for code in _matching(selector, codemods))


def _matching(selector: str, codemods: Sequence[type[Codemod]]) -> list[str]:
    wanted = selector.strip()
    matches = [
        codemod.code
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


def _message(name: str, codemods: Sequence[type[Codemod]]) -> str:
    known = {spelling.lower(): spelling for c in codemods for spelling in (c.code, c.name)}
    near = ", ".join(known[match] for match in difflib.get_close_matches(name.lower(), known))
    return f"unknown rule {name!r}" + (f"; did you mean {near}?" if near else "")
