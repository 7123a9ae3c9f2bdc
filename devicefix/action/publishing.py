"""The step of the job that may write: a bundle is believed only where it can be made again.

The fixes come from devicefix itself, once more, from the commit that is checked out; the pull
request from the inputs of the workflow. Of the bundle stay the choice of fixes, and the evidence.
"""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Final

from devicefix.action.bundle import Bundle, BundleError, check_origin
from devicefix.action.drafting import account_of, draft
from devicefix.action.fixing import rehearsed
from devicefix.action.handover import Handover
from devicefix.action.inputs import Inputs
from devicefix.action.runner import Runner
from devicefix.action.telling import tell_of_fixes
from devicefix.engine import AppliedGroup, Choice, Rehearsal, Report
from devicefix.engine.choice import ALL_BUT_UNSAFE
from devicefix.findings import Applicability
from devicefix.pull_requests import Proposal, checkout
from devicefix.reporting.account import Account
from devicefix.settings import Settings

_WORKFLOWS: Final = ".github"
"""A folder that says what a token may be used for: it is no place for changes."""


def take(paths: list[Path], settings: Settings, inputs: Inputs, runner: Runner) -> None:
    """Hand over what the bundle proposes. Raises `BundleError`, and what the engine raises."""
    given = Bundle.read(inputs.bundle)
    commit = checkout(inputs.folder).head
    check_origin(given, commit)
    account = _made_again(rehearsed(paths, settings, inputs), given)
    proposal = draft(account, inputs, runner)
    if proposal is None:
        raise BundleError("the proposal has fixes that did not pass, or are not to be proposed")
    _check_places(proposal)
    _check_same(given, Bundle.of(account, proposal, commit))
    tell_of_fixes(account, runner)
    runner.set_outputs(proposal=Handover(str(inputs.folder), proposal).write(runner.temporary))


def _made_again(trial: Rehearsal, given: Bundle) -> Account:
    """What devicefix makes with the choice that the bundle names."""
    acceptance = given.acceptance if given.files else None
    choice = acceptance.choice if acceptance is not None else ALL_BUT_UNSAFE
    report = trial.report(choice)
    if given.acceptance is None:
        return account_of(report, None)
    proven = _beyond(report, trial.report(ALL_BUT_UNSAFE), choice)
    evidence = dataclasses.replace(given.acceptance, report=report, proven=proven)
    return account_of(report, evidence)


def _beyond(report: Report, usual: Report, choice: Choice) -> tuple[AppliedGroup, ...]:
    """The unsafe groups that are made only as a verification has proven them."""
    if choice == ALL_BUT_UNSAFE:
        return ()
    known = {group.identity for group in usual.groups}
    unsafe = (g for g in report.groups if g.applicability is Applicability.UNSAFE)
    return tuple(group for group in unsafe if group.identity not in known)


def _check_places(proposal: Proposal) -> None:
    top = os.path.realpath(Path.cwd())
    for file in proposal.files:
        inside = Path(os.path.relpath(os.path.realpath(file.path), top))
        if inside.parts[0].lower() == _WORKFLOWS:
            raise BundleError(
                f"{file.path}: mode publish changes nothing in {_WORKFLOWS}; leave it out in both "
                "jobs (`exclude` in the settings of devicefix)"
            )


def _check_same(given: Bundle, made: Bundle) -> None:
    names = sorted(given.files.keys() | made.files.keys())
    others = [name for name in names if given.files.get(name) != made.files.get(name)]
    if others:
        raise BundleError(_other("the fixes of " + ", ".join(others[:3])))
    if given.patch != made.patch:
        raise BundleError(_other("its patch"))
    if given.body != made.body:
        raise BundleError(_other("the text of the pull request"))


def _other(what: str) -> str:
    return (
        f"the proposal is not what devicefix makes of this commit: {what} differs. Give both jobs "
        "the same inputs; if they have the same, something has changed the proposal in between"
    )
