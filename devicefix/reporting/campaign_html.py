"""A campaign as one page: what became of each repository, and its proof; one file, no network."""

from __future__ import annotations

from typing import Final

from devicefix.reporting.campaign import Campaign
from devicefix.reporting.campaign_content import content_of
from devicefix.reporting.page import document
from devicefix.reporting.page.document import Parts

_OWN: Final = ("model", "unified", "summary", "rows", "side", "start")
PARTS: Final = Parts(
    "campaign/body.html",
    ("base.css", "frame.css", "cards.css", "diff.css", "campaign/campaign.css"),
    (
        *("dom.js", "theme.js", "python.js", "diff.js", "picks.js", "evidence.js"),
        *(f"campaign/{name}.js" for name in _OWN),
    ),
)


def render(campaign: Campaign) -> str:
    """The page, as a text in UTF-8."""
    return document(content_of(campaign), f"devicefix campaign: {campaign.name}", PARTS)
