"""A branch, a commit, and the one pull request that goes with it.

Knows nothing of findings or reports: it is given files, a title and a body.
"""

from __future__ import annotations

from devicefix.pull_requests.branch import Server
from devicefix.pull_requests.errors import OutdatedError, PullRequestError, UnauthorizedError
from devicefix.pull_requests.forge import Forge
from devicefix.pull_requests.limits import LimitedError
from devicefix.pull_requests.proposal import Author, NewContent, Operation, Outcome, Proposal
from devicefix.pull_requests.publishing import publish, withdraw
from devicefix.pull_requests.remote import Remote
from devicefix.pull_requests.scratch import Checkout, checkout

__all__ = [
    "Author",
    "Checkout",
    "Forge",
    "LimitedError",
    "NewContent",
    "Operation",
    "Outcome",
    "OutdatedError",
    "Proposal",
    "PullRequestError",
    "Remote",
    "Server",
    "UnauthorizedError",
    "checkout",
    "publish",
    "withdraw",
]
