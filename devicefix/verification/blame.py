"""Which groups of fixes are at fault where the program does not do the same with all of them."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from devicefix.engine import AppliedGroup, Choice, Identity
from devicefix.verification.acceptance import Guilty
from devicefix.verification.failing import Failing, failing
from devicefix.verification.search import EnoughError, Search
from devicefix.verification.trials import Trial, Trials

_GUILTY: Final = "left out: the verification does not pass with it"


class Blame:
    """Leaves out as little as need be until the rest passes."""

    def __init__(self, trials: Trials, first: Trial) -> None:
        self._trials = trials
        self._first = first
        self._found: list[tuple[AppliedGroup, Trial]] = []
        self.rest: Trial | None = None
        """Without the groups at fault; None where nothing passed."""
        self.exhausted = False

    def run(self) -> None:
        """Find the groups at fault one after the other: what is wrong first may hide more."""
        trial = self._first
        try:
            while not trial.passed:
                refused = self._refused(trial, failing(trial.verification))
                if not refused:
                    return
                trial = self._trials.of(_without(trial.choice, refused))
        except EnoughError:
            self.exhausted = True
            return
        self.rest = trial

    def guilty(self) -> tuple[Guilty, ...]:
        """The groups at fault, those that were found first before others."""
        return tuple(self._shown(group, trial) for group, trial in self._found)

    def _refused(self, trial: Trial, fault: Failing) -> frozenset[Identity]:
        """The groups of ``trial`` without which its ``fault`` is gone; none if it never is."""
        groups = {group.identity: group for group in trial.report.groups}

        def passes(kept: frozenset[Identity]) -> bool:
            choice = self._only(_without(trial.choice, groups.keys() - kept), kept)
            return fault.is_gone(self._trials.of(choice, fault.devices).verification)

        search = Search(tuple(groups), passes)
        search.run(bare=fault.bare)
        if len(search.refused) == len(groups) and not passes(frozenset()):
            return frozenset()  # it fails without any of them: that is not their fault
        self.exhausted = self.exhausted or search.exhausted
        self._found += ((groups[identity], trial) for identity in search.refused)
        return frozenset(search.refused)

    def _only(self, choice: Choice, kept: frozenset[Identity]) -> Choice:
        """``choice`` without what is found only where others are left out: it has its own turn."""
        while True:
            made = (group.identity for group in self._trials.report(choice).groups)
            new = frozenset(one for one in made if not any(one & other for other in kept))
            if new <= choice.without:
                return choice
            choice = _without(choice, new)

    def _shown(self, group: AppliedGroup, trial: Trial) -> Guilty:
        everything = self._trials.report(self._first.choice)
        others = frozenset(g.identity for g in everything.groups) - {group.identity}
        alone = self._trials.report(Choice(without=others))
        if not any(g.identity == group.identity for g in alone.groups):
            alone = everything  # it needs others, and is shown with them
        changes = tuple((r.path, c) for r, c in alone.changes if r.path in group.lines)
        return Guilty(group, changes, trial.verification)


def _without(choice: Choice, groups: frozenset[Identity] | set[Identity]) -> Choice:
    return replace(choice, without=choice.without | groups, why=_GUILTY)
