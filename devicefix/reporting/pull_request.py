"""What the commit and the pull request say."""

from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import PurePosixPath
from typing import Final

from devicefix.engine import Report
from devicefix.reporting.account import Account
from devicefix.reporting.formats import render
from devicefix.reporting.repeating import repetition

_TOP: Final = PurePosixPath()
_SECONDS: Final = re.compile(r"\d+(\.\d+)? s\b")
_FOOT: Final = """\
---
<sub>Created by devicefix {version}, which updates this branch until somebody else commits to it. \
Close this pull request to decline the changes: it is opened again only if they are different. \
Text above or below this is kept.</sub>
"""


def pull_request_body(account: Account, base: str, folder: PurePosixPath = _TOP) -> str:
    """The summary, the rules, what a person must decide, the evidence and how to see it oneself.

    ``base``: the branch that it is for; ``folder``: where all was done, below the top of the
    repository.
    """
    found = account.acceptance.verification if account.acceptance is not None else None
    again = repetition(found, base, folder) if found is not None else ""
    foot = _FOOT.format(version=version("devicefix"))
    return "\n\n".join(filter(None, [render(account, "markdown").rstrip(), again, foot]))


def gist(body: str) -> str:
    """``body`` without what varies from run to run: how long something took."""
    return _SECONDS.sub("", body)


def nothing_to_propose(report: Report) -> str:
    """Why the pull request is closed."""
    return (
        f"devicefix no longer finds anything to fix in {report.checked} "
        f"file{'s' * (report.checked != 1)}: this pull request is closed."
    )


def commit_message(title: str, account: Account) -> str:
    """``title``, and how often which rule was at work."""
    return f"{title}\n\n{counts(account)}".rstrip()


def counts(account: Account) -> str:
    """How often which rule was at work, a line each. Names of rules are ours, no stranger's."""
    return "\n".join(
        f"- {tally.code} {tally.rule}: {tally.fixed}" for tally in account.tallies() if tally.fixed
    )
