"""All that is proposed at one moment, and its hunks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct

from devicefix.engine import AppliedGroup, Identity, Report
from devicefix.proposals.attribution import file_hunks
from devicefix.proposals.hunks import FileHunks, identifier


class Picture(Struct, frozen=True, dict=True):
    """All that is proposed, with some groups left out."""

    report: Report
    without: frozenset[Identity]
    """Left out of it."""
    settled: frozenset[Identity]
    """What may be left out without anything else being another one."""

    @cached_property
    def groups(self) -> Mapping[str, AppliedGroup]:
        """By their ids, in the order of their first findings."""
        ordered = sorted(self.report.groups, key=_first_place)
        return {identifier(group.identity): group for group in ordered}

    @cached_property
    def files(self) -> tuple[FileHunks, ...]:
        by_path: dict[str, list[AppliedGroup]] = {}
        for group in self.groups.values():
            for path in group.pieces:
                by_path.setdefault(path, []).append(group)
        changes = self.report.changes
        return tuple(file_hunks(r.path, c, by_path.get(r.path, ())) for r, c in changes)

    def is_right_for(self, report: Report, rejected: frozenset[Identity]) -> bool:
        """Whether ``report``, which leaves out what is rejected, has just the other groups."""
        left_out = frozenset[object]().union(*rejected)
        here = {g.identity: g.substance for g in self.report.groups if not g.identity & left_out}
        return here == {g.identity: g.substance for g in report.groups}


def _first_place(group: AppliedGroup) -> tuple[str, int, int, int]:
    return min((f.path, f.cell or 0, f.line, f.column) for f in group.findings)
