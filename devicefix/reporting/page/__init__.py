"""The page that shows fixes side by side: as a report in one file, and as a review to work with."""

from __future__ import annotations

from devicefix.reporting.page.content import Material, content_of
from devicefix.reporting.page.document import document, policy

__all__ = ["Material", "content_of", "document", "policy"]
