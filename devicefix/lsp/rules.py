"""The rules by their codes, as findings name them."""

from __future__ import annotations

from functools import lru_cache

from lsprotocol import types

from devicefix.codemod import Codemod
from devicefix.engine.registry import load_codemods
from devicefix.reporting.rule_pages import page_of_code


@lru_cache(maxsize=1)
def rules() -> dict[str, type[Codemod]]:
    """All that are installed."""
    return {codemod.code: codemod for codemod in load_codemods()}


def description(code: str) -> types.CodeDescription | None:
    """Where an editor leads who clicks on a code; nowhere if no site has the page of the rule."""
    page = page_of_code(code)
    return types.CodeDescription(href=page) if page is not None else None
