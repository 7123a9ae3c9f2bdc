"""Which rules were asked for: codes, the beginnings of codes, or names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from devicefix.codemod import Codemod
from devicefix.engine.errors import UnknownRuleError
from devicefix.settings import Settings


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


def _message(name: str, codemods: Sequence[type[Codemod]]) -> str:
    known = {spelling.lower(): spelling for c in codemods for spelling in (c.code, c.name)}
    near = ", ".join(known[match] for match in difflib.get_close_matches(name.lower(), known))
    return f"unknown rule {name!r}" + (f"; did you mean {near}?" if near else "")
