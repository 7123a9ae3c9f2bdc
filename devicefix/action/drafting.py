"""What is to be proposed: a pull request, as far as the fixes and the inputs decide."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import Final

from devicefix.action.inputs import InputError, Inputs
from devicefix.action.runner import Runner, annotate
from devicefix.engine import Report
from devicefix.pull_requests import NewContent, Proposal, PullRequestError, checkout
from devicefix.reporting.account import Account
from devicefix.reporting.pull_request import (
    commit_message,
    gist,
    nothing_to_propose,
    pull_request_body,
)
from devicefix.verification.acceptance import Acceptance, Decision

_OWN: Final = "devicefix/"
"""Begins the names of branches, where the workflow gives none."""


def account_of(report: Report, acceptance: Acceptance | None) -> Account:
    """``report``, as a pull request tells it."""
    return Account(report, "apply", acceptance=acceptance, written=is_accepted(acceptance))


def draft(account: Account, inputs: Inputs, runner: Runner) -> Proposal | None:
    """What is to become of the pull request; None where it has to stay as it is."""
    base = base_of(inputs, runner)
    if base.startswith(_OWN) and not inputs.branch:
        annotate(
            "notice", f"{base} is a branch that devicefix created: no pull request is opened for it"
        )
        return None
    report = account.report
    changes = report.changes if account.written else ()
    if not changes and not _is_finished(account):
        return None
    files = tuple(
        NewContent(str(Path(result.path).absolute()), change.before, change.after)
        for result, change in changes
    )
    body = _body(account, base, inputs.folder) if files else nothing_to_propose(report)
    return Proposal(
        branch=inputs.branch or _OWN + base,
        base=base,
        files=files,
        title=inputs.title,
        body=body,
        message=commit_message(inputs.message or inputs.title, account),
        author=inputs.author,
        gist=gist(body),
    )


def _body(account: Account, base: str, folder: Path) -> str:
    below = Path(os.path.realpath(folder)).relative_to(os.path.realpath(_top(folder)))
    return pull_request_body(account, base, PurePosixPath(below))


def _top(folder: Path) -> Path:
    """That of the checkout; the folder itself where there is none to repeat anything in."""
    try:
        return Path(checkout(folder).top)
    except PullRequestError:
        return folder


def base_of(inputs: Inputs, runner: Runner) -> str:
    """The branch that the pull request is for. Raises `InputError` where nobody says."""
    if inputs.base:
        return inputs.base
    if runner.ref_type != "branch":
        raise InputError(f"input base: is required, because {runner.ref_name} is not a branch")
    return runner.ref_name


def is_accepted(acceptance: Acceptance | None) -> bool:
    """Whether fixes may be proposed."""
    return acceptance is None or acceptance.decision is Decision.ACCEPTED or acceptance.has_rest


def _is_finished(account: Account) -> bool:
    """Whether it is sure that there is nothing to fix."""
    sure = (Decision.ACCEPTED, Decision.NOTHING)
    verified = account.acceptance is None or account.acceptance.decision in sure
    return verified and not account.report.errors
