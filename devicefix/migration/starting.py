"""What a campaign is made of, put together as its plan says."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from devicefix.migration.campaign import Campaign, Tell
from devicefix.migration.executors import RAY, Executor
from devicefix.migration.ledger import Ledger
from devicefix.migration.plan import Plan
from devicefix.migration.refusals import CampaignError
from devicefix.migration.schema import exclusive
from devicefix.migration.states import State
from devicefix.migration.surroundings import token_of

if TYPE_CHECKING:
    from devicefix.migration.proposing import Proposer

_BRANCH: Final = "branch"
_JOBS: Final = 2
"""Of this machine, where nobody says how many."""


@contextmanager
def opened(plan: Plan) -> Iterator[Ledger]:
    """The campaign's state, ours to write, with what the plan says now.

    Raises `CampaignError`.
    """
    with exclusive(plan.folder), Ledger.opened(plan.database) as ledger:
        ledger.interrupted()
        ledger.adopt(plan.entries)
        yield ledger


def started(plan: Plan, ledger: Ledger, open_prs: bool, tell: Tell) -> Campaign:
    """Ready to run. Raises `CampaignError` and `PullRequestError`."""
    proposer = _proposer(plan, ledger) if open_prs else None
    return Campaign(plan, ledger, _executor(plan), proposer, tell)


def check_token(plan: Plan) -> str:
    """The token for pull requests. Raises `CampaignError` where there is none."""
    variable = plan.github.token_variable
    token = token_of(variable)
    if not token:
        raise CampaignError(f"--open-prs needs a token in the environment variable {variable}")
    if not (token.isascii() and token.isprintable() and " " not in token):
        raise CampaignError(f"the environment variable {variable} holds no valid token")
    return token


def _proposer(plan: Plan, ledger: Ledger) -> Proposer:
    from devicefix.migration.proposing import Proposer

    token, branch = check_token(plan), ledger.said(_BRANCH)
    if branch not in ("", plan.wording.branch):
        raise CampaignError(
            f"{plan.file}: the pull requests of this campaign come from {branch}; with another "
            "branch they would be opened again. Give the campaign another name"
        )
    ledger.keep(_BRANCH, plan.wording.branch)
    return Proposer(plan, token, int(ledger.began), plan.folder / "work")


def _executor(plan: Plan) -> Executor:
    work, folder = plan.work, plan.folder / "work"
    if work.executor == RAY:
        from devicefix.migration.cluster import Cluster
        from devicefix.migration.ray_messages import Wanted

        address = work.ray_address or os.environ.get("RAY_ADDRESS", "")
        wanted = Wanted(address, work.jobs, work.ray_patience)
        return Cluster(wanted, folder, plan.github.token_variable, _said)
    from devicefix.migration.local import Local

    return Local(work.jobs or _JOBS, folder)


def _said(text: str) -> None:
    from devicefix.reporting.terminal import printable

    print(printable(text), file=sys.stderr, flush=True)  # noqa: T201


def retry(plan: Plan, ledger: Ledger, names: Sequence[str]) -> None:
    """Make what has failed due again; or what is called so, from its beginning.

    Raises `CampaignError`.
    """
    for name in names:
        keys = [e.key for e in plan.entries if name in (e.key, e.name, e.order.url)]
        if not keys:
            raise CampaignError(f"{plan.file}: no repository is called {name}")
        for key in keys:
            ledger.retry(key, whole=True)
    for row in ledger.rows() if not names else ():
        if row.state is State.FAILED:
            ledger.retry(row.key, whole=False)
