"""Rules in SARIF, with their documentation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from devicefix.codemod import Codemod, documentation
from devicefix.reporting.catalogue import markdown_of
from devicefix.reporting.rule_pages import page_of
from devicefix.reporting.severity import family_of, severity_of

_LONGEST: Final = 1024
"""Characters that GitHub takes of a description."""
_URGENCY: Final = ("recommendation", "warning", "error")


def rules(codemods: Iterable[type[Codemod]]) -> list[dict[str, Any]]:
    """What a viewer tells of each rule."""
    return [_rule(codemod, page_of(codemod)) for codemod in codemods]


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
