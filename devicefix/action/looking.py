"""The step that looks: findings, or fixes that may be proposed."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from devicefix.action.changed import ALL, revision
from devicefix.action.folders import top_of, working_in
from devicefix.action.handover import Handover
from devicefix.action.inputs import InputError, Inputs, Mode
from devicefix.action.runner import Runner, annotate, group, say, withhold
from devicefix.engine import Report, check, rehearsal
from devicefix.pull_requests import NewContent, Proposal
from devicefix.reporting.account import Account
from devicefix.reporting.formats import render
from devicefix.reporting.pull_request import (
    commit_message,
    gist,
    nothing_to_propose,
    pull_request_body,
)
from devicefix.settings import Settings, load_settings

if TYPE_CHECKING:
    from devicefix.verification.acceptance import Acceptance

DONE: Final = 0
FOUND: Final = 1
CANNOT: Final = 2
_EVENTS: Final = frozenset({"push", "schedule", "workflow_dispatch", "repository_dispatch"})
"""Those whose checkout is a branch of the repository itself. In the others it may be a stranger's
work, or a merge that is on no branch."""
_OWN: Final = "devicefix/"
"""Begins the names of branches, where the workflow gives none."""


def look(inputs: Inputs, runner: Runner) -> int:
    """Do what the workflow asks for, but for the pull request; the exit status.

    Raises `InputError`, and what the engine and a verification raise.
    """
    if inputs.mode is Mode.FIX:
        _check_event(runner)
        _base(inputs, runner)  # now, and not after a verification
    withhold()
    with working_in(top_of(inputs.folder, runner.workspace)) as top:
        runner.set_outputs(root=top)
        paths = [Path(os.path.relpath(inputs.folder / path)) for path in inputs.paths]
        settings = _settings(paths, inputs)
        if inputs.mode is Mode.CHECK:
            return _check(paths, settings, inputs, runner)
        return _fix(paths, settings, inputs, runner)


def _check_event(runner: Runner) -> None:
    if runner.event not in _EVENTS:
        raise InputError(
            f"input mode: fix works for {', '.join(sorted(_EVENTS))} only, not for "
            f"{runner.event}, where the checkout may be untrusted; use mode check"
        )


def _check(paths: list[Path], settings: Settings, inputs: Inputs, runner: Runner) -> int:
    since = revision(inputs.since, runner, Path.cwd())
    report = check(paths, settings, jobs=0, since=since)
    account = Account(report, "check")
    print(render(account, "github"), end="")  # noqa: T201
    runner.summarise(render(account, "markdown"))
    _tell(account, runner)
    if report.errors:
        return CANNOT
    return FOUND if report.files and inputs.fail_on_findings else DONE


def _fix(paths: list[Path], settings: Settings, inputs: Inputs, runner: Runner) -> int:
    since = "" if inputs.since == ALL else inputs.since
    trial = rehearsal(paths, settings, jobs=0, since=since)
    acceptance = None
    if inputs.verify:
        from devicefix.action.proving import prove

        acceptance = prove(trial, inputs)
    report = trial.report() if acceptance is None else acceptance.report
    account = Account(report, "apply", acceptance=acceptance, written=_is_accepted(acceptance))
    today = _today(account)
    with group("devicefix"):
        say(render(today, "text"))
    runner.summarise(render(account if account.written else today, "markdown"))
    _tell(today, runner)
    handover = _handover(account, inputs, runner)
    if handover is not None:
        runner.set_outputs(proposal=handover.write(runner.temporary))
    return _status(report, acceptance)


def _today(account: Account) -> Account:
    """The same, for what is checked out: nothing is written there."""
    report = account.report.unwritten()
    acceptance = account.acceptance
    if acceptance is not None:
        acceptance = dataclasses.replace(acceptance, report=report)
    return replace(account, report=report, acceptance=acceptance, dry_run=True, written=False)


def _tell(account: Account, runner: Runner) -> None:
    """Outputs, and the report as a file that code scanning takes."""
    file = runner.temporary / "devicefix.sarif"
    file.write_text(render(account, "sarif"), encoding="utf-8", errors="backslashreplace")
    tallies = account.tallies()
    runner.set_outputs(
        findings=sum(tally.findings for tally in tallies),
        fixable=sum(tally.fixed for tally in tallies),
        left=sum(tally.left for tally in tallies),
        changed=len(account.report.changes),
        sarif_file=file,
    )


def _handover(account: Account, inputs: Inputs, runner: Runner) -> Handover | None:
    """What is to become of the pull request; None where it has to stay as it is."""
    base = _base(inputs, runner)
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
    body = pull_request_body(account) if files else nothing_to_propose(report)
    proposal = Proposal(
        branch=inputs.branch or _OWN + base,
        base=base,
        files=files,
        title=inputs.title,
        body=body,
        message=commit_message(inputs.message or inputs.title, account),
        author=inputs.author,
        gist=gist(body),
    )
    return Handover(str(inputs.folder), proposal)


def _base(inputs: Inputs, runner: Runner) -> str:
    if inputs.base:
        return inputs.base
    if runner.ref_type != "branch":
        raise InputError(f"input base: is required, because {runner.ref_name} is not a branch")
    return runner.ref_name


def _is_accepted(acceptance: Acceptance | None) -> bool:
    from devicefix.verification.acceptance import Decision

    return acceptance is None or acceptance.decision is Decision.ACCEPTED or acceptance.has_rest


def _is_finished(account: Account) -> bool:
    """Whether it is sure that there is nothing to fix."""
    from devicefix.verification.acceptance import Decision

    sure = (Decision.ACCEPTED, Decision.NOTHING)
    verified = account.acceptance is None or account.acceptance.decision in sure
    return verified and not account.report.errors


def _status(report: Report, acceptance: Acceptance | None) -> int:
    from devicefix.verification.acceptance import Decision

    if acceptance is not None and acceptance.decision is Decision.UNKNOWN:
        annotate("error", f"the program could not be verified: {acceptance.reason}")
        return CANNOT
    if report.errors:
        return CANNOT
    if acceptance is not None and not _is_accepted(acceptance) and acceptance.refusal is not None:
        annotate("error", f"the program does not pass with the fixes: {acceptance.reason}")
        return FOUND
    return DONE


def _settings(paths: list[Path], inputs: Inputs) -> Settings:
    start = Path(os.path.commonpath([path.absolute() for path in paths]))
    settings = load_settings(start if start.is_dir() else start.parent)
    return replace(
        settings,
        select=inputs.select or settings.select,
        ignore=(*settings.ignore, *inputs.ignore),
        unsafe_fixes=settings.unsafe_fixes or inputs.unsafe_fixes,
    )
