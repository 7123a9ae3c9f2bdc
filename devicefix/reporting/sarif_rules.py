"""Rules in SARIF, with their documentation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from importlib.metadata import Distribution, entry_points
from typing import Any, Final

from devicefix.codemod import Codemod, documentation
from devicefix.engine.registry import GROUP
from devicefix.reporting.catalogue import markdown_of
from devicefix.reporting.severity import family_of, severity_of

_LONGEST: Final = 1024
"""Characters that GitHub takes of a description."""
_URGENCY: Final = ("recommendation", "warning", "error")
_DOCUMENTATION: Final = re.compile(r"documentation\s*,\s*(\S+)", re.IGNORECASE)


def rules(codemods: Iterable[type[Codemod]]) -> list[dict[str, Any]]:
    """What a viewer tells of each rule."""
    return [_rule(codemod, page_of(codemod)) for codemod in codemods]


def page_of(codemod: type[Codemod]) -> str | None:
    """The page of a rule, where its distribution names a site with such pages."""
    site = _pages().get(codemod.__module__.partition(".")[0])
    return f"{site}/rules/{codemod.code}/" if site is not None else None


def _rule(codemod: type[Codemod], page: str | None) -> dict[str, Any]:
    docs = documentation(codemod)
    what = dict(docs.sections).get("What it does", docs.summary)
    content = {
        "id": codemod.code,
        "name": codemod.name,
        "shortDescription": {"text": _short(docs.summary)},
        "fullDescription": {"text": _short(" ".join(what.split()))},
        "help": {"text": markdown_of(codemod), "markdown": markdown_of(codemod)},
        "defaultConfiguration": {"level": severity_of(codemod).name.lower()},
        "properties": {
            "tags": [tag for tag in ("pytorch", family_of(codemod)) if tag],
            "precision": "high",
            "problem.severity": _URGENCY[severity_of(codemod)],
        },
    }
    return {**content, "helpUri": page} if page else content


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


@lru_cache(maxsize=1)
def _pages() -> dict[str, str]:
    """By package of rules the site with their pages, as its distribution names it."""
    found = {}
    for entry in entry_points(group=GROUP):
        page = _site(entry.dist) if entry.dist is not None else None
        if page is not None:
            found[entry.module.partition(".")[0]] = page.rstrip("/")
    return found


def _site(distribution: Distribution) -> str | None:
    urls = distribution.metadata.get_all("Project-URL") or []
    named = (_DOCUMENTATION.fullmatch(url.strip()) for url in urls)
    return next((match[1] for match in named if match), None)
