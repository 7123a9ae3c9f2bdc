"""What needs a decision, group by group."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from devicefix.engine import Left
from devicefix.findings import Applicability, Finding


class Decision(Struct, frozen=True):
    """Findings that are fixed together or not at all, and why they are not."""

    findings: tuple[Finding, ...]
    reason: str
    applicability: Applicability

    @property
    def codes(self) -> tuple[str, ...]:
        """The rules that found something, each once."""
        return tuple(dict.fromkeys(finding.code for finding in self.findings))

    @property
    def places(self) -> tuple[str, ...]:
        """File, cell and line of each finding, each place once."""
        return tuple(dict.fromkeys(finding.where for finding in self.findings))


def decisions(left: Iterable[Left]) -> tuple[Decision, ...]:
    """What is left, first where only a person can decide, then what is merely unsafe."""
    found: dict[object, list[Left]] = {}
    for number, one in enumerate(left):
        found.setdefault(_key(one, number), []).append(one)
    made = (
        Decision(tuple(one.finding for one in group), group[0].reason, _sure(group[0].finding))
        for group in found.values()
    )
    return tuple(sorted(made, key=lambda one: one.applicability))


def _key(one: Left, number: int) -> object:
    fix = one.finding.fix
    if fix is None:
        return number
    return "" if fix.shared else one.finding.path, fix.group, one.reason


def _sure(finding: Finding) -> Applicability:
    return finding.fix.applicability if finding.fix is not None else Applicability.DISPLAY
