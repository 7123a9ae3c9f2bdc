"""Fixes are written only if the program does the same with them: which of them may be.

What the settings ask for has to pass as a whole; where it does not, the groups at fault are looked
for. Unsafe groups are tried besides, and stay where the run proves them.
"""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path
from typing import Final

from devicefix.engine import AppliedGroup, Choice, Identity, Report
from devicefix.verification.acceptance import Acceptance, Decision, Unproven
from devicefix.verification.blame import Blame
from devicefix.verification.failing import failing
from devicefix.verification.trials import Rehearse, Trial, Trials, Verify
from devicefix.verification.upgrades import Upgrades

MOST: Final = 40
"""Verifications that are spent on finding out."""


def accept(rehearse: Rehearse, verify: Verify, root: Path, most: int = MOST) -> Acceptance:
    """Find out what may be written of what ``rehearse`` makes of the files below ``root``.

    Nothing is written. Raises `LaunchError` where the program cannot be run.
    """
    return _Gate(Trials(rehearse, verify, root, most)).acceptance()


class _Gate:
    def __init__(self, trials: Trials) -> None:
        self._trials = trials

    def acceptance(self) -> Acceptance:
        whole = self._trials.report(Choice())
        if not whole.groups:
            return self._upgraded(whole, None)
        first = self._trials.of(Choice())
        if first.verification.verdict.is_unknown:
            return self._unknown(first)
        if first.passed:
            return self._upgraded(whole, first)
        return self._mended(whole, first) or self._rejected(first)

    def _mended(self, whole: Report, first: Trial) -> Acceptance | None:
        """With unsafe groups that are proven and without which it does not run at all, if so."""
        if failing(first.verification).bare:
            return None
        upgrades = Upgrades(self._trials, self._extra(whole), None)
        upgrades.run_at_once()
        return self._accepted(whole, upgrades) if upgrades.trial is not None else None

    def _extra(self, whole: Report) -> dict[Identity, AppliedGroup]:
        """The unsafe groups that nobody asked for."""
        known = {group.identity for group in whole.groups}
        every = self._trials.report(Choice(trusts_all=True))
        return {group.identity: group for group in every.groups if group.identity not in known}

    def _unknown(self, trial: Trial) -> Acceptance:
        return Acceptance(
            decision=Decision.UNKNOWN,
            reason=trial.verification.reason,
            report=trial.report,
            verification=None,
            choice=trial.choice,
            refusal=trial.verification,
            trials=self._trials.count,
        )

    def _upgraded(self, whole: Report, base: Trial | None) -> Acceptance:
        """What passed, and the unsafe groups that are proven besides."""
        upgrades = Upgrades(self._trials, self._extra(whole), base)
        upgrades.run()
        return self._accepted(whole, upgrades)

    def _accepted(self, whole: Report, upgrades: Upgrades) -> Acceptance:
        known = {group.identity for group in whole.groups}
        trial = upgrades.trial
        return Acceptance(
            decision=Decision.ACCEPTED if trial is not None else Decision.NOTHING,
            reason=trial.verification.reason if trial is not None else "there is nothing to fix",
            report=trial.report if trial is not None else whole,
            verification=trial.verification if trial is not None else None,
            choice=trial.choice if trial is not None else Choice(),
            proven=_new(trial, known) if trial is not None else (),
            unproven=upgrades.unproven(),
            idle=_idle(trial) if trial is not None else (),
            trials=self._trials.count,
            exhausted=upgrades.exhausted,
        )

    def _rejected(self, first: Trial) -> Acceptance:
        blame = Blame(self._trials, first)
        blame.run()
        rest = blame.rest
        return Acceptance(
            decision=Decision.REJECTED,
            reason=first.verification.reason,
            report=rest.report if rest is not None else first.report,
            verification=rest.verification if rest is not None else None,
            choice=(rest or first).choice,
            refusal=first.verification,
            guilty=blame.guilty(),
            idle=_idle(rest or first),
            trials=self._trials.count,
            exhausted=blame.exhausted,
        )


def _new(trial: Trial, known: Container[Identity]) -> tuple[AppliedGroup, ...]:
    return tuple(group for group in trial.unsafe if group.identity not in known)


def _idle(trial: Trial) -> tuple[Unproven, ...]:
    lacking = ((group, trial.lacks(group)) for group in trial.report.groups)
    return tuple(Unproven(group, reason) for group, reason in lacking if reason)
