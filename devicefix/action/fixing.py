"""Fixes that may be proposed: made, verified, and handed over."""

from __future__ import annotations

from pathlib import Path

from devicefix.action.bundle import Bundle
from devicefix.action.changed import ALL
from devicefix.action.drafting import account_of, draft, is_accepted
from devicefix.action.handover import Handover
from devicefix.action.inputs import Inputs, Mode
from devicefix.action.runner import CANNOT, DONE, FOUND, Runner, annotate
from devicefix.action.telling import tell_of_fixes
from devicefix.engine import Rehearsal, Report, rehearsal
from devicefix.pull_requests import Proposal, checkout
from devicefix.reporting.account import Account
from devicefix.settings import Settings
from devicefix.verification.acceptance import Acceptance, Decision


def fix(paths: list[Path], settings: Settings, inputs: Inputs, runner: Runner) -> int:
    """Make the fixes, verify them if that was asked for, and hand over what passes."""
    trial = rehearsed(paths, settings, inputs)
    acceptance = None
    if inputs.verify:
        from devicefix.action.proving import prove

        acceptance = prove(trial, inputs)
    report = trial.report() if acceptance is None else acceptance.report
    account = account_of(report, acceptance)
    tell_of_fixes(account, runner)
    proposal = draft(account, inputs, runner)
    if proposal is not None:
        _hand_over(proposal, account, inputs, runner)
    return _status(report, acceptance)


def rehearsed(paths: list[Path], settings: Settings, inputs: Inputs) -> Rehearsal:
    """What could be made of the files."""
    since = "" if inputs.since == ALL else inputs.since
    return rehearsal(paths, settings, jobs=0, since=since)


def _hand_over(proposal: Proposal, account: Account, inputs: Inputs, runner: Runner) -> None:
    if inputs.mode is Mode.FIX:
        handover = Handover(str(inputs.folder), proposal)
        runner.set_outputs(proposal=handover.write(runner.temporary))
        return
    bundle = Bundle.of(account, proposal, checkout(inputs.folder).head)
    runner.set_outputs(bundle=bundle.write(runner.temporary))


def _status(report: Report, acceptance: Acceptance | None) -> int:
    if acceptance is not None and acceptance.decision is Decision.UNKNOWN:
        annotate("error", f"the program could not be verified: {acceptance.reason}")
        return CANNOT
    if report.errors:
        return CANNOT
    if acceptance is not None and not is_accepted(acceptance) and acceptance.refusal is not None:
        annotate("error", f"the program does not pass with the fixes: {acceptance.reason}")
        return FOUND
    return DONE
