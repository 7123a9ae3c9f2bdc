"""The decisions that findings belong to, for reports that show what each would change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from devicefix.engine import Left
from devicefix.engine.groups import UNSAFE, grouped
from devicefix.findings import Applicability, Edit, Finding
from devicefix.reporting.account import Account


class FixGroup(Struct, frozen=True):
    """All edits of one decision."""

    findings: tuple[Finding, ...]
    edits: Mapping[str, tuple[Edit, ...]]
    """By file; in the texts in which the findings have their places."""
    left: Left | None
    """Why it is left, of one of them; None where `apply` makes it, or made it."""

    @property
    def is_safe(self) -> bool:
        """Whether all of it is."""
        fixes = (finding.fix for finding in self.findings)
        return all(fix is not None and fix.applicability is Applicability.SAFE for fix in fixes)


def fix_groups(account: Account) -> dict[Finding, FixGroup]:
    """The decisions by their findings, where the edits of all of them are known.

    Those that only a person can make have none; nor those of texts that were made on the way.
    """
    return {finding: group for group in _groups(account) for finding in group.findings}


def _groups(account: Account) -> Iterator[FixGroup]:
    if not account.proposes:
        made: Iterable[tuple[Finding, ...]] = ()
    elif account.report.groups:
        made = (group.findings for group in account.report.groups)
    else:
        made = _by_decision(finding for finding, left in account.outcomes() if left is None)
    for findings in made:
        yield from _whole(findings, None)
    left = {one.finding: one for _, one in account.outcomes() if one is not None}
    for findings in _by_decision(left):
        if all(left[finding].reason.startswith(UNSAFE) for finding in findings):
            yield from _whole(findings, left[findings[0]])


def _by_decision(findings: Iterable[Finding]) -> Iterator[tuple[Finding, ...]]:
    return (group.members for group in grouped(findings))


def _whole(findings: tuple[Finding, ...], left: Left | None) -> Iterator[FixGroup]:
    if any(finding.fix is None or not finding.fix.placed for finding in findings):
        return
    for group in grouped(findings):
        if group.edits:
            yield FixGroup(findings, group.edits, left)
