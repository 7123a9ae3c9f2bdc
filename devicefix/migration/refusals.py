"""What keeps a whole campaign from going on."""

from __future__ import annotations


class CampaignError(Exception):
    """``str()`` is one sentence for people."""
