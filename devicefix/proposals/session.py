"""A review under way: what is proposed, what was decided, and what would be written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from msgspec.structs import replace

from devicefix.engine import (
    AppliedGroup,
    Change,
    Choice,
    EngineError,
    FileError,
    FileResult,
    Identity,
    Rehearsal,
    Report,
    commit,
)
from devicefix.engine.writing import digest
from devicefix.proposals.by_hand import ByHand, why_not
from devicefix.proposals.moved import Moves
from devicefix.proposals.picture import Picture
from devicefix.proposals.state import Accepted, Proposal, Said, State
from devicefix.proposals.store import Kept, ReviewError, Store, digest_on_disk, files_of
from devicefix.proposals.verdicts import Verdict, Verdicts

WHY: Final = "not accepted in review"
"""Why a group is not made."""


Resolve = Callable[[str, bytes, Change], bytes]
"""Asks somebody about the result of a file in which an edit by hand meets fixes that were accepted
later, between marks as git writes them; gives what is to be written."""


class ReviewSession:
    """A review of what `apply` would do below some paths. Nothing is written but by `write`.

    ``rehearsal`` is a dry run. Unsafe groups are proposed, too. With a ``store`` it goes on where
    the last one stopped, and keeps what is decided at once.

    Deciding takes no time, looking takes as long as `apply`: `settle` after something was rejected.

    Raises `ReviewError`, as do `decide` and `restore`.
    """

    def __init__(self, rehearsal: Rehearsal, store: Store | None = None) -> None:
        self._rehearsal = rehearsal
        self._store = store
        self._seen: dict[str, AppliedGroup] = {}
        self._names: dict[str, str] = {}
        """What the run calls a file, by its real path."""
        self._digests: dict[str, str] = {}
        """Of the files as the run has read them, by real path."""
        self._state: State | None = None
        self._picture = self._drawn(frozenset())
        self._kept = store.load().fresh(self._digest_of) if store is not None else Kept()
        self.said = Said(
            self._kept.verdicts.renamed(self._names),
            {self._names.get(path, path): edit for path, edit in self._kept.by_hand.items()},
        )
        self.resumed: Final = sum(
            self.verdicts.of(group) is not Verdict.PENDING for group in self._seen.values()
        )
        """How many groups something was said of in an earlier session."""

    @property
    def verdicts(self) -> Verdicts:
        """What was said of groups."""
        return self.said.verdicts

    @property
    def state(self) -> State:
        """How things stand."""
        if self._state is None:
            self._state = self._now()
        return self._state

    def _now(self) -> State:
        picture, report = self._picture, self._picture.report
        shown = tuple(self._proposal(key) for key in picture.groups)
        others = (self._proposal(key) for key in self._seen if key not in picture.groups)
        return State(
            proposals=shown,
            rejected=tuple(p for p in others if p.verdict is Verdict.REJECTED),
            files=picture.files,
            left=tuple(x for r in report.files for x in r.left if not x.reason.startswith(WHY)),
            errors=report.errors,
            checked=report.checked,
            is_settled=self.verdicts.rejected == picture.settled,
        )

    def decide(self, ids: Iterable[str], verdict: Verdict) -> State:
        """Accept or reject proposals, or take back what was said of them.

        Raises ``KeyError`` for an id that is none.
        """
        groups = [self._seen[key] for key in ids]
        return self.restore(replace(self.said, verdicts=self.verdicts.decided(groups, verdict)))

    def edit(self, path: str, offered: bytes, saved: bytes) -> State:
        """Write what somebody has made of ``offered``, the `result` of a file, by hand.

        What is accepted or rejected later changes that, too.
        """
        others = {name: edit for name, edit in self.said.by_hand.items() if name != path}
        mine = {path: ByHand(offered, saved)} if saved != offered else {}
        return self.restore(replace(self.said, by_hand={**others, **mine}))

    def restore(self, said: Said) -> State:
        """Go back to what `said` was before."""
        self.said, self._state = said, None
        self._keep(said)
        return self.state

    def settle(self) -> State:
        """Look what comes of leaving out all that is rejected.

        A group that was split, that takes the place of another one or that now does something else
        is a proposal that nothing was said of. If there is none, the proposals stay as they are.
        """
        rejected = self.verdicts.rejected
        if rejected != self._picture.settled:
            self._state = None
            report = self._report(rejected)
            if self._picture.without <= rejected and self._picture.is_right_for(report, rejected):
                self._picture = replace(self._picture, settled=rejected)
            else:
                self._picture = self._drawn(rejected)
        return self.state

    def result(self, path: str, ids: Iterable[str]) -> Change | None:
        """What would become of a file if these were accepted, too, and nothing made by hand.

        None where it would stay as it is, as they build on others.
        """
        groups = [self._seen[key] for key in ids]
        report = self._only_accepted(self.verdicts.decided(groups, Verdict.ACCEPTED))
        return next((change for result, change in report.changes if result.path == path), None)

    def accepted(self, resolve: Resolve | None = None) -> Accepted:
        """What `write` would write.

        Raises `ReviewError` where an edit by hand does not go together with it, and ``resolve`` is
        not given.
        """
        report = self._with_edits(self._only_accepted(self.verdicts), resolve)
        made = {group.identity for group in report.groups}
        asked = (self._proposal(key) for key in self._seen)
        return Accepted(
            report,
            tuple(
                p for p in asked if p.verdict is Verdict.ACCEPTED and p.group.identity not in made
            ),
        )

    def rehearse(self, choice: Choice) -> Report:
        """What was accepted, but for what ``choice`` leaves out.

        Raises `ReviewError` where an edit by hand does not go together with that.
        """
        return self._with_edits(self._only_accepted(self.verdicts, choice), None)

    def write(self, accepted: Accepted | None = None, allow_dirty: bool = False) -> Report:
        """Write what was accepted; ``accepted`` where that is known already. Ends the session.

        For the next one, of the files that are rewritten only rejections are kept. Raises
        `JournalError`, and unless ``allow_dirty`` `UncommittedError`; then nothing was written.
        """
        report = commit((accepted or self.accepted()).report, allow_dirty)
        return replace(report, errors=(*report.errors, *self.note_written(report)))

    def note_written(self, report: Report) -> tuple[FileError, ...]:
        """Keep only what holds now that ``report`` is on the disk. Ends the session.

        What keeps that from being kept is no reason not to tell what was written: it is returned.
        """
        written = {result.path: change for result, change in report.changes}
        self._digests |= {os.path.realpath(p): digest(c.after) for p, c in written.items()}
        try:
            self._keep(self._left_of(written, Moves.of(report)))
        except ReviewError as error:
            assert self._store is not None
            return (FileError(str(self._store.location), None, str(error)),)
        return ()

    def _left_of(self, written: Mapping[str, Change], moves: Moves) -> Said:
        """What still holds."""
        verdicts = self.verdicts
        rejected = (moves.identity(name) for name in verdicts.rejected)
        return Said(
            Verdicts(
                {n: s for n, s in verdicts.accepted.items() if not files_of(n) & written.keys()},
                frozenset(name for name in rejected if name is not None),
            ),
            {path: edit for path, edit in self.said.by_hand.items() if path not in written},
        )

    def changed_files(self) -> tuple[str, ...]:
        """The files with proposals that do not hold any more what the run has read."""
        changed = (path for path, old in self._digests.items() if digest_on_disk(path) != old)
        return tuple(sorted(self._names[path] for path in changed))

    def _proposal(self, key: str) -> Proposal:
        group = self._seen[key]
        return Proposal(key, group, self.verdicts.of(group))

    def _drawn(self, without: frozenset[Identity]) -> Picture:
        picture = Picture(self._report(without), without, without)
        self._seen.update(picture.groups)
        self._note_files(picture.report)
        return picture

    def _note_files(self, report: Report) -> None:
        before = {result.path: change for result, change in report.changes}
        found = {path for group in report.groups for path, _, _ in group.identity}
        for path in found.union(before):
            real = os.path.realpath(path)
            if real not in self._names:
                self._names[real] = path
                known = digest(before[path].before) if path in before else digest_on_disk(path)
                self._digests[real] = known or ""

    def _digest_of(self, real_path: str) -> str | None:
        return self._digests.get(real_path) or digest_on_disk(real_path)

    def _report(self, without: frozenset[Identity], why: str = WHY) -> Report:
        return self._rehearsal.report(Choice(without=without, trusts_all=True, why=why))

    def _only_accepted(self, verdicts: Verdicts, choice: Choice | None = None) -> Report:
        if choice is None or not choice.without:
            choice = Choice(why=WHY)
        left_out = verdicts.rejected | choice.without
        while True:
            report = self._report(left_out, choice.why)
            others = frozenset(
                group.identity
                for group in report.groups
                if verdicts.of(group) is not Verdict.ACCEPTED
            )
            if not others:
                return report
            if others <= left_out:
                raise EngineError("fixes that were not accepted cannot be left out")
            left_out |= others

    def _with_edits(self, report: Report, resolve: Resolve | None) -> Report:
        for path, edit in self.said.by_hand.items():
            made = {result.path: change for result, change in report.changes}
            old = made.get(path)
            if old is None:
                continue  # no fix of it is accepted any more, and nothing else is written
            merged = edit.on(old.after)
            data = merged.data
            if merged.has_conflicts or why_not(data, old, path) is not None:
                if resolve is None:
                    raise ReviewError(
                        f"{path}: the manual edit conflicts with fixes accepted since; "
                        "resolve it with devicefix apply -i"
                    )
                data = resolve(path, data, old)
                self.edit(path, old.after, data)
            report = _changed(report, path, replace(old, after=data))
        return report

    def _keep(self, said: Said) -> None:
        if self._store is None:
            return
        reals = {name: real for real, name in self._names.items()}
        verdicts = said.verdicts.renamed(reals)
        by_hand = {reals.get(path, path): edit for path, edit in said.by_hand.items()}
        self._store.keep(Kept(verdicts, {**self._kept.digests, **self._digests}, by_hand))


def _changed(report: Report, path: str, change: Change) -> Report:
    """``report`` with another result of one file."""
    new = change if change.after != change.before else None
    known = {result.path: result for result in report.files}
    known[path] = replace(known.get(path, FileResult(path, (), (), ())), change=new)
    remains = report.remains.without({path}) if report.remains is not None else None
    files = tuple(known[name] for name in sorted(known))
    return replace(report, files=files, remains=remains)
