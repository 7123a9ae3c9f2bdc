"""What `apply` would do, to be looked at and decided on: groups of fixes, hunks, verdicts.

One model for all who show it: the terminal, the local page, reports.
"""

from __future__ import annotations

from devicefix.proposals.hunks import FileHunks, Hunk, Line, Row
from devicefix.proposals.session import ReviewSession
from devicefix.proposals.state import Accepted, Proposal, Said, State
from devicefix.proposals.store import ReviewError, Store
from devicefix.proposals.verdicts import Verdict, Verdicts

__all__ = [
    "Accepted",
    "FileHunks",
    "Hunk",
    "Line",
    "Proposal",
    "ReviewError",
    "ReviewSession",
    "Row",
    "Said",
    "State",
    "Store",
    "Verdict",
    "Verdicts",
]
