"""Outputs of a step, and the report on the page of the run."""

from __future__ import annotations

import dataclasses

from msgspec.structs import replace

from devicefix.action.runner import Runner, group, say
from devicefix.reporting.account import Account
from devicefix.reporting.formats import render


def tell_of_fixes(account: Account, runner: Runner) -> None:
    """What the fixes would do to what is checked out: nothing is written there."""
    today = _today(account)
    with group("devicefix"):
        say(render(today, "text"))
    runner.summarise(render(account if account.written else today, "markdown"))
    set_outputs(today, runner)


def _today(account: Account) -> Account:
    report = account.report.unwritten()
    acceptance = account.acceptance
    if acceptance is not None:
        acceptance = dataclasses.replace(acceptance, report=report)
    return replace(account, report=report, acceptance=acceptance, dry_run=True, written=False)


def set_outputs(account: Account, runner: Runner) -> None:
    """Counts, and the report as a file that code scanning takes."""
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
