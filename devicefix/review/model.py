"""The review that a page works on: what it shows, what was said, what was written."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from devicefix.engine import Report
from devicefix.engine.writing import digest
from devicefix.proposals import Accepted, FileHunks, Hunk, Proposal, ReviewSession, State, Verdict
from devicefix.proposals.attribution import file_hunks
from devicefix.reporting.page.content import Material, content_of, file_of, group_of
from devicefix.reporting.places import near

_Json = dict[str, Any]
_Stamp = tuple[int, int, int]
_DEPENDS: Final = "the accepted fixes depend on fixes that are not accepted"


class NotNowError(Exception):
    """What was asked for does not fit how things stand; the message is for the page."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is reviewed, and how it goes on."""

    open_session: Callable[[bool], ReviewSession]
    """Looks at the files, and takes part in what was decided before; whether it may use several
    processes: not from a process that has threads."""
    where: str
    """The paths, as the user named them."""
    undo: str
    """The command that takes back what was written."""
    again: str
    """The command that goes on with the review."""
    allow_dirty: bool = False


@dataclass(slots=True)
class _Shown:
    """The hunks of each group as they were shown last: what was rejected may be made no more."""

    state: State | None = None
    of_group: dict[str, tuple[FileHunks, ...]] = field(default_factory=dict)

    def note(self, state: State) -> None:
        if self.state is not None and self.state.files is state.files:
            return
        self.state = state
        found: dict[str, dict[str, list[Hunk]]] = {}
        for file in state.files:
            for hunk in file.hunks:
                for group in hunk.proposals:
                    found.setdefault(group, {}).setdefault(file.path, []).append(hunk)
        for group, files in found.items():
            self.of_group[group] = tuple(FileHunks(p, tuple(h)) for p, h in files.items())


class ReviewModel:
    """One review. One thing at a time: whoever calls sees to that.

    Only what is a plain attribute may be read meanwhile, from other threads.
    """

    stale: tuple[str, ...] = ()
    """Files that have changed on the disk since they were looked at."""
    accepted_ids: frozenset[str] = frozenset()
    """The fixes that are accepted now."""
    is_settled: bool = True
    """Whether nothing is to be done by `settle`."""

    def __init__(self, subject: Subject) -> None:
        self.subject: Final = subject
        self._open(several=True)

    def _open(self, several: bool) -> None:
        self.session = self.subject.open_session(several)
        self.written: _Json | None = None
        self._shown = _Shown()
        self._before: dict[str, bytes] = {}
        self._stamps: dict[str, _Stamp | None] = {}
        self.stale = ()
        self._note()
        self.look()

    def _note(self) -> None:
        """What others may read while something is done."""
        state = self.session.state
        accepted = (p.id for p in state.proposals if p.verdict is Verdict.ACCEPTED)
        self.accepted_ids = frozenset(accepted)
        self.is_settled = self.written is not None or state.is_settled

    # -- what is shown -----------------------------------------------------------------------------

    def content(self) -> _Json:
        """All that the page shows, as it asks for it when it is opened or something has changed."""
        state = self.session.state
        self._shown.note(state)
        proposals = sorted((*state.proposals, *state.rejected), key=_first_place)
        content = content_of(
            Material(
                proposals=proposals,
                files=state.files,
                before={file.path: self._held(file.path) for file in state.files},
                left=state.left,
                errors=state.errors,
                checked=state.checked,
            )
        )
        gone = {proposal.id for proposal in state.rejected}
        numbers = {proposal.id: at for at, proposal in enumerate(proposals)}
        for group in content["groups"]:
            if group["id"] in gone:
                group["kept"] = self._kept(group["id"], numbers)
        return {**content, "info": self._info(), "written": self.written}

    def _info(self) -> _Json:
        return {
            "where": self.subject.where,
            "again": self.subject.again,
            "resumed": self.session.resumed,
        }

    def _kept(self, group: str, numbers: Mapping[str, int]) -> list[_Json]:
        files = self._shown.of_group.get(group, ())
        return [file_of(file, self._held(file.path), numbers) for file in files]

    def _held(self, path: str) -> bytes:
        """What the file held when it was first shown; for colours only."""
        if path not in self._before:
            try:
                self._before[path] = Path(path).read_bytes()
            except OSError:
                self._before[path] = b""
        return self._before[path]

    # -- deciding ----------------------------------------------------------------------------------

    def decide(self, answers: Iterable[tuple[str, Verdict]]) -> int:
        """Take note of what was said; how many of the fixes are not there any more."""
        self._check_unwritten()
        unknown = 0
        by_verdict: dict[Verdict, list[str]] = {}
        known = {p.id for p in (*self.session.state.proposals, *self.session.state.rejected)}
        for group, verdict in answers:
            if group in known:
                by_verdict.setdefault(verdict, []).append(group)
            else:
                unknown += 1
        for verdict, groups in by_verdict.items():
            self.session.decide(groups, verdict)
        self._note()
        return unknown

    def settle(self) -> bool:
        """Look what comes of what was rejected; whether the page has to show something else."""
        if self.written is not None or self.session.state.is_settled:
            return False
        before = self.session.state.files
        self._shown.note(self.session.state)
        changed = self.session.settle().files is not before
        self._note()
        return changed

    # -- writing -----------------------------------------------------------------------------------

    def accepted(self) -> Accepted:
        """What would be written. Raises `NotNowError` where that is nothing."""
        self._check_unwritten()
        accepted = self.session.accepted()
        if not accepted.report.changes:
            raise NotNowError(_DEPENDS if accepted.missing else "nothing is accepted")
        return accepted

    def preview(self) -> _Json:
        """Exactly what would be written."""
        accepted = self.accepted()
        report = accepted.report
        return {
            "key": key_of(report),
            "files": [
                file_of(file_hunks(result.path, change, report.groups), change.before)
                for result, change in report.changes
            ],
            "fixes": len(report.groups),
            "missing": [group_of(proposal.group) for proposal in accepted.missing],
            "stale": [near(path) for path in self.session.changed_files()],
        }

    def write(self, key: str) -> _Json:
        """Write what `preview` showed under ``key``. Raises `NotNowError` if that has changed."""
        accepted = self.accepted()
        if key_of(accepted.report) != key:
            raise NotNowError("the changes are no longer the ones that were shown")
        before = {error.path for error in accepted.report.errors}
        report = self.session.write(accepted, self.subject.allow_dirty)
        self.written = {
            "files": [near(result.path) for result, _ in report.changes],
            "fixes": len(accepted.report.groups),
            "errors": [str(e) for e in report.errors if e.path not in before],
            "undo": self.subject.undo,
        }
        self._note()
        return self.written

    def look_again(self) -> None:
        """Begin anew with the files as they are now; what was said holds where they have not
        changed."""
        self._open(several=False)

    def _check_unwritten(self) -> None:
        if self.written is not None:
            raise NotNowError("the accepted fixes are written; reload to continue")

    # -- the files meanwhile -----------------------------------------------------------------------

    def look(self) -> bool:
        """Whether other files than before have changed on the disk since they were looked at."""
        if self.written is not None:
            return False
        stamps = {path: _stamp(path) for path in self._watched()}
        if stamps == self._stamps:
            return False
        self._stamps = stamps
        stale = tuple(near(path) for path in self.session.changed_files())
        changed, self.stale = stale != self.stale, stale
        return changed

    def _watched(self) -> set[str]:
        state = self.session.state
        found = {finding.path for p in state.proposals for finding in p.group.findings}
        return found.union(file.path for file in state.files)


def key_of(report: Report) -> str:
    """What a report would write, in a few characters."""
    content = repr([(r.path, digest(c.before), digest(c.after)) for r, c in report.changes])
    return hashlib.sha256(content.encode("utf-8", "backslashreplace")).hexdigest()[:32]


def _first_place(proposal: Proposal) -> tuple[str, int, int, int]:
    return min((f.path, f.cell or 0, f.line, f.column) for f in proposal.group.findings)


def _stamp(path: str) -> _Stamp | None:
    try:
        status = os.stat(path)  # noqa: PTH116 - one call for each file, twice in three seconds
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
