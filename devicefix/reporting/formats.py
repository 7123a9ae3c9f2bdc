"""The formats in which `check` and `apply` report: one file each, with ``render(account)``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from devicefix.reporting.account import Account

TEXT: Final = "text"
GITHUB: Final = "github"
FORMATS: Final = (TEXT, "json", "sarif", GITHUB, "markdown", "html")
_BY_SUFFIX: Final = {
    ".htm": "html",
    ".html": "html",
    ".json": "json",
    ".md": "markdown",
    ".sarif": "sarif",
}


def format_of(file: Path) -> str:
    """The format that the name of a file asks for."""
    form = _BY_SUFFIX.get(file.suffix.lower(), TEXT)
    return form if form in FORMATS else TEXT


def render(account: Account, form: str) -> str:
    """``account`` in one of `FORMATS`; it ends with a line end."""
    match form:
        case "json":
            from devicefix.reporting import json

            return json.render(account)
        case "markdown":
            from devicefix.reporting import markdown

            return markdown.render(account)
        case "html":
            from devicefix.reporting import html

            return html.render(account)
        case "github":
            from devicefix.reporting import github

            return github.render(account)
        case "sarif":
            from devicefix.reporting import sarif

            return sarif.render(account)
        case _:
            from devicefix.reporting import text

            return text.render(account)
