"""Unsafe fixes that a run proves: it does the same with them, and each of their lines ran."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from devicefix.engine import AppliedGroup, Choice, Identity
from devicefix.verification.acceptance import Unproven
from devicefix.verification.result import Verdict, Verification
from devicefix.verification.search import EnoughError, Search
from devicefix.verification.trials import Trial, Trials

_NOT_TRIED = "it was not tried: that would take too many verifications"


class Upgrades:
    """Looks for the unsafe groups that can be kept."""

    def __init__(
        self, trials: Trials, groups: Mapping[Identity, AppliedGroup], base: Trial | None
    ) -> None:
        self._trials = trials
        self._groups = groups
        self.trial = base
        """With all that was proven; None where there is nothing but what was not."""
        self.exhausted = False
        self._why: dict[Identity, str] = {}

    def unproven(self) -> tuple[Unproven, ...]:
        """The groups that are left, and why."""
        kept = {group.identity for group in self.trial.unsafe} if self.trial is not None else ()
        return tuple(
            Unproven(group, self._why.get(identity, _NOT_TRIED))
            for identity, group in self._groups.items()
            if identity not in kept
        )

    def run(self) -> None:
        """All at once, then without those that never run, then by halves."""
        try:
            waiting = self._sifted()
        except EnoughError:
            self.exhausted = True
            return
        search = Search(waiting, self._proves)
        search.run(bare=True)
        self.exhausted = search.exhausted
        if search.kept:
            self.trial = self._of(search.kept)

    def run_at_once(self) -> None:
        """All at once, and without those that never run; no search."""
        try:
            self._sifted()
        except EnoughError:
            self.exhausted = True

    def _sifted(self) -> tuple[Identity, ...]:
        """Those of which the whole does not pass though the run reaches them; none: it is done."""
        waiting = tuple(self._groups)
        while waiting:
            trial = self._of(waiting)
            self._note(trial, waiting)
            if trial.verification.verdict.is_unknown:
                return ()
            if trial.passed and not self._lacking(trial):
                self.trial = trial
                return ()
            idle = self._lacking(trial) if _ended(trial.verification) else frozenset[Identity]()
            if not idle.intersection(waiting):
                return waiting
            waiting = tuple(identity for identity in waiting if identity not in idle)
        return ()

    def _of(self, groups: Iterable[Identity]) -> Trial:
        return self._trials.of(Choice(trusted=frozenset(groups)))

    def _proves(self, kept: frozenset[Identity]) -> bool:
        trial = self._of(kept)
        self._note(trial, kept)
        return trial.passed and not self._lacking(trial)

    def _lacking(self, trial: Trial) -> frozenset[Identity]:
        """The unsafe groups, of those that nobody asked for, of which ``trial`` proves nothing."""
        extra = (group for group in trial.unsafe if self._is_extra(group))
        return frozenset(group.identity for group in extra if trial.lacks(group))

    def _is_extra(self, group: AppliedGroup) -> bool:
        return any(group.identity & identity for identity in self._groups)

    def _note(self, trial: Trial, groups: Iterable[Identity]) -> None:
        """Why each group would not be kept, as the last look at it says."""
        lacking = {group.identity: trial.lacks(group) for group in trial.unsafe}
        for identity in groups:
            why = lacking.get(identity, "") if _ended(trial.verification) else ""
            if why or not trial.passed:
                self._why[identity] = why or f"with it {_said(trial.verification)}"


def _ended(verification: Verification) -> bool:
    """Whether the program came as far after the change as it does: what did not run never does."""
    return all(c.difference is None or c.difference.kind for c in verification.comparisons)


def _said(verification: Verification) -> str:
    differences = (c.difference for c in verification.comparisons if c.difference is not None)
    first = next(differences, None)
    if verification.verdict is Verdict.STILL_FAILS:
        return verification.reason
    what = f" ({first.what}: {first.before} before, {first.after} after)" if first else ""
    return f"{verification.reason}{what}"
