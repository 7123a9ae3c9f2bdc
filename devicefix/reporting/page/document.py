"""The page as one document: markup, style, scripts; nothing comes from the network."""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any, Final

from msgspec import Struct


class Parts(Struct, frozen=True):
    """What a page is put together from: names of assets."""

    body: str
    styles: tuple[str, ...]
    scripts: tuple[str, ...]
    asks: bool = False
    """Whether it asks a server of ours for its content."""


_STYLES: Final = ("base.css", "frame.css", "cards.css", "diff.css", "dialogs.css")
_SCRIPTS: Final = (
    "dom.js",
    "theme.js",
    "python.js",
    "diff.js",
    "model.js",
    "picks.js",
    "filters.js",
    "cards.js",
    "evidence.js",
    "sections.js",
    "frame.js",
    "keys.js",
)
_LIVE: Final = ("server.js", "trial.js", "applying.js")
_START: Final = "start.js"
REPORT: Final = Parts("body.html", _STYLES, (*_SCRIPTS, _START))
REVIEW: Final = Parts("body.html", _STYLES, (*_SCRIPTS, *_LIVE, _START), asks=True)


def document(content: dict[str, Any], title: str, parts: Parts = REPORT) -> str:
    """A report: everything is in it, and it sends nothing and loads nothing."""
    return _filled(title, _policy(parts), json.dumps(content, separators=(",", ":")), parts)


def live_document(title: str) -> str:
    """A review, which asks a server of ours for its content."""
    return _filled(title, "", "null", REVIEW)


def policy(live: bool) -> str:
    """What the browser may do for the page of fixes, as a report or as a review."""
    return _policy(REVIEW if live else REPORT)


def _policy(parts: Parts) -> str:
    """Run and show what is in it, and nothing else."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_digest(_script(parts.scripts))}'",
            f"style-src '{_digest(_style(parts.styles))}'",
            *(["connect-src 'self'", "frame-ancestors 'none'"] if parts.asks else []),
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
        )
    )


def _filled(title: str, allowed: str, content: str, parts: Parts) -> str:
    # In a script element only "</script" and "<!--" mean something; \u003c is the same in JSON.
    meta = f'<meta http-equiv="Content-Security-Policy" content="{allowed}">\n' if allowed else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"{meta}"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{html.escape(title)}</title>\n"
        f'<link rel="icon" href="data:image/svg+xml;base64,{_icon()}">\n'
        f"<style>{_style(parts.styles)}</style>\n</head>\n"
        f"{_asset(parts.body)}"
        f'<script type="application/json" id="content">{content.replace("<", chr(92) + "u003c")}'
        f"</script>\n<script>{_script(parts.scripts)}</script>\n</body>\n</html>\n"
    )


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


@functools.cache
def _style(names: tuple[str, ...]) -> str:
    return "\n" + _joined(names)


@functools.cache
def _script(names: tuple[str, ...]) -> str:
    """All scripts in one function: they see each other, and the page sees none of them."""
    return f'\n(() => {{\n"use strict";\n{_joined(names)}}})();\n'


def _joined(names: Sequence[str]) -> str:
    return "".join(_asset(name) for name in names)


def _icon() -> str:
    return base64.b64encode(_asset("icon.svg").encode("utf-8")).decode("ascii")


@functools.cache
def _asset(name: str) -> str:
    place = files("devicefix.reporting.page").joinpath("assets", name)
    return place.read_text(encoding="utf-8")
