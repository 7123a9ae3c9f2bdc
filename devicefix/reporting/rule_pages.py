"""Where the documentation of a rule is on the web."""

from __future__ import annotations

import os
import re
from functools import cache, lru_cache
from importlib.metadata import Distribution, entry_points
from typing import Final

from devicefix.codemod import Codemod
from devicefix.engine import registry

DOCS_VARIABLE: Final = "DEVICEFIX_DOCS_URL"
"""A site with the pages of the rules that come with devicefix, before the one of the release."""
_OWN: Final = "codemods"
_DOCUMENTATION: Final = re.compile(r"documentation\s*,\s*(\S+)", re.IGNORECASE)
_URL: Final = re.compile(r"https?://[!-~]+")


def page_of(codemod: type[Codemod]) -> str | None:
    """The URL of a rule's page; None if no site is known.

    The site is the ``Documentation`` URL in the metadata of the distribution that has the rule.
    """
    package = codemod.__module__.partition(".")[0]
    named = os.environ.get(DOCS_VARIABLE, "") if package == _OWN else ""
    site = named or _sites().get(package, "")
    return f"{site.rstrip('/')}/rules/{codemod.code}/" if _URL.fullmatch(site) else None


def page_of_code(code: str) -> str | None:
    """The same for a code. The rules are imported only if some site is known.

    Raises `RegistryError` as `load_codemods` does.
    """
    if not (os.environ.get(DOCS_VARIABLE) or _sites()):
        return None
    codemod = _rules().get(code)
    return page_of(codemod) if codemod is not None else None


@cache
def _rules() -> dict[str, type[Codemod]]:
    return {codemod.code: codemod for codemod in registry.load_codemods()}


@lru_cache(maxsize=1)
def _sites() -> dict[str, str]:
    """By package of rules the documentation site that its distribution names."""
    found = {}
    for entry in entry_points(group=registry.GROUP):
        site = _site(entry.dist) if entry.dist is not None else None
        if site is not None:
            found[entry.module.partition(".")[0]] = site
    return found


def _site(distribution: Distribution) -> str | None:
    urls = distribution.metadata.get_all("Project-URL") or []
    named = (_DOCUMENTATION.fullmatch(url.strip()) for url in urls)
    return next((match[1] for match in named if match), None)
